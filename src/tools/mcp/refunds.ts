import type { Polygate } from 'polygate';

import { roundUsd } from '../../paid/amounts.ts';
import { balanceOf } from '../cli/look-up.ts';
import { formatUsd } from '../money.ts';

/** Half of the smallest unit in which services count quotas. */
const tolerance = 0.000_002;

/**
 * The charges of failed tasks that were returned, as far as the used quota of the API key shows it. What other programs
 * spend with the key makes the result smaller; refunds that they get can make it larger, up to the charges of own tasks
 * that have failed.
 */
export function refundedOf({
  usedBefore,
  usedNow,
  charged,
  failed,
  failedEarlier,
}: {
  /** What the service had counted as used by the API key before the first paid call of this process. */
  readonly usedBefore: number;
  /** What it counts now. */
  readonly usedNow: number;
  /** The charges of this process since then. */
  readonly charged: number;
  /** The part of them that belongs to tasks that have failed. */
  readonly failed: number;
  /** The charges of earlier processes for tasks that have failed since then: their refunds are not ours. */
  readonly failedEarlier: number;
}): number {
  const returned = roundUsd(usedBefore + charged - failedEarlier - usedNow);
  return returned >= failed - tolerance ? failed : Math.max(0, returned);
}

/**
 * Refunds of failed tasks. No response says whether the service refunds one, so the used quota of the API key decides. It is
 * read before the first paid call, and again when a task has failed or a call does not fit the budget.
 */
export class Refunds {
  readonly #gateway: Polygate;
  readonly #signal: AbortSignal;
  #before: Promise<number | undefined> | undefined;
  #charged = 0;
  #failed = 0;
  #failedEarlier = 0;
  /** The charges of tasks that were paid for by this process. */
  readonly #charges = new Map<string, number>();
  readonly #ended = new Set<string>();
  #isRead = false;
  /** What was refunded, as of the last update. */
  refundedUsd = 0;

  constructor(gateway: Polygate, signal: AbortSignal) {
    this.#gateway = gateway;
    this.#signal = signal;
  }

  /** Reads the used quota before the first paid call. Without it, refunds are not counted. */
  async start(): Promise<void> {
    this.#before ??= this.#used();
    await this.#before;
  }

  /** Adds the charge of a request that this process has paid for. */
  addCharge(idempotencyKey: string, usd: number): void {
    if (this.#charges.has(idempotencyKey)) return;
    this.#charges.set(idempotencyKey, usd);
    this.#charged = roundUsd(this.#charged + usd);
  }

  /** Adds a task that has failed. */
  async addFailure(idempotencyKey: string, chargeUsd = 0): Promise<void> {
    if (this.#ended.has(idempotencyKey)) return;
    this.#ended.add(idempotencyKey);
    const own = this.#charges.get(idempotencyKey);
    if (own === undefined) this.#failedEarlier = roundUsd(this.#failedEarlier + chargeUsd);
    else this.#failed = roundUsd(this.#failed + own);
    await this.update();
  }

  /** Reads the used quota again. */
  async update(): Promise<void> {
    if (this.#failed === 0) return;
    // Charges that arrive while the quota is read may not be part of it.
    const charged = this.#charged;
    const failed = this.#failed;
    const [usedBefore, usedNow] = await Promise.all([this.#before, this.#used()]);
    this.#isRead = usedBefore !== undefined && usedNow !== undefined;
    if (usedBefore === undefined || usedNow === undefined) return;
    const failedEarlier = this.#failedEarlier;
    this.refundedUsd = refundedOf({ usedBefore, usedNow, charged, failed, failedEarlier });
  }

  /** What is known about the refund of a failed task. */
  textFor(idempotencyKey: string): string {
    if (!this.#charges.has(idempotencyKey)) {
      return 'An earlier process has paid for it, so that a refund does not change the budget of this one.';
    }
    if (!this.#isRead) {
      return 'Whether it was refunded is not known, because the used quota of the API key could not be read.';
    }
    if (this.refundedUsd === 0) {
      return 'The used quota of the API key does not show a refund to this server.';
    }
    return this.refundedUsd >= this.#failed
      ? 'According to the used quota of the API key, it was refunded.'
      : `The used quota of the API key shows refunds of ${formatUsd(this.refundedUsd)} for failed tasks that were charged ${formatUsd(this.#failed)}.`;
  }

  async #used(): Promise<number | undefined> {
    try {
      const balance = await this.#gateway.account.balance({
        timeout: 5000,
        maxRetries: 1,
        signal: this.#signal,
      });
      return balanceOf(undefined, balance).key.usedUsd;
    } catch {
      return undefined;
    }
  }
}
