import type { PolygateError, Task } from 'polygate';
import { BudgetExceededError } from 'polygate';

import { formatUsd } from '../cli/money.ts';
import { createLedger, roundUsd } from '../internal/budget.ts';
import type { Reservation } from '../internal/budget.ts';
import type { Refunds } from './refunds.ts';

/** The limits of the server, in USD. */
export interface Limits {
  /** What all calls of this process may cost; undefined if it must not pay for anything. */
  readonly maxUsd: number | undefined;
  /** What one call may cost. It is reserved for a model without a usable price. */
  readonly maxUsdPerCall: number | undefined;
}

/** What a call pays for. */
export interface Purchase {
  readonly idempotencyKey: string;
  /** The tool. */
  readonly route: string;
  readonly model: string;
  /** The estimated price; undefined if the model has no usable one. */
  readonly price: number | undefined;
}

/** The budget of this process. A call reserves its price before anything is sent, so that parallel calls share it. */
export class ProcessBudget {
  readonly #limits: Limits;
  readonly #refunds: Refunds;
  readonly #ledger = createLedger();

  constructor(limits: Limits, refunds: Refunds) {
    this.#limits = limits;
    this.#refunds = refunds;
  }

  /** What is left for further calls. */
  get leftUsd(): number {
    const { spent, reserved } = this.#ledger.commitments;
    return Math.max(0, roundUsd(this.#maxUsd - spent - reserved));
  }

  /** The budget in one line. */
  get text(): string {
    if (this.#limits.maxUsd === undefined) return 'The server was started without --max-usd.';
    const { spent, reserved } = this.#ledger.commitments;
    const parts = [
      `${formatUsd(spent)} charged`,
      ...(reserved > 0 ? [`${formatUsd(reserved)} reserved for calls that may be charged`] : []),
      ...(this.#refunds.refundedUsd > 0
        ? [`${formatUsd(this.#refunds.refundedUsd)} refunded`]
        : []),
    ];
    return `${formatUsd(this.leftUsd)} of ${formatUsd(this.#limits.maxUsd)} is left (${parts.join(', ')}).`;
  }

  get #maxUsd(): number {
    return roundUsd((this.#limits.maxUsd ?? 0) + this.#refunds.refundedUsd);
  }

  /**
   * Reserves what a call may cost.
   *
   * @throws `BudgetExceededError` if the limits do not cover it.
   */
  async reserve(purchase: Purchase): Promise<Reserved> {
    const { idempotencyKey: key, model, route } = purchase;
    const usd = this.#priceToReserve(purchase);
    await this.#refunds.start();
    const reservation = this.#ledger.open({
      route,
      model,
      key,
      isChargedOnce: true,
      hasOneBody: true,
    });
    if (!this.#fits(reservation, usd)) {
      await this.#refunds.update();
      if (!this.#fits(reservation, usd)) throw this.#exceeded(usd);
    }
    return {
      charge: ({ chargeUsd = usd, id: taskId, replayed: idempotentReplay, meta }) => {
        reservation.settle();
        reservation.charge(chargeUsd, { taskId, idempotentReplay, requestId: meta?.requestId });
        return chargeUsd;
      },
      leave: (error) => {
        reservation.leave(error);
      },
    };
  }

  /** Reserves the price if it fits. No other call can run in between. */
  #fits(reservation: Reservation, usd: number): boolean {
    return reservation.reserve({ maxUsd: this.#maxUsd, strict: true }, usd, true) === undefined;
  }

  #priceToReserve({ model, price }: Purchase): number {
    const { maxUsdPerCall } = this.#limits;
    const usd = price ?? maxUsdPerCall;
    if (usd === undefined) {
      throw this.#error(
        `The price of this call is not known, because the service lists none that applies to ${model} and these arguments, so it does not fit a budget. Only a server that was started with --max-usd-per-call pays for such calls.`,
      );
    }
    if (maxUsdPerCall !== undefined && roundUsd(usd) > roundUsd(maxUsdPerCall)) {
      throw this.#error(
        `This call costs about ${formatUsd(usd)}, and a call may cost at most ${formatUsd(maxUsdPerCall)}.`,
      );
    }
    return usd;
  }

  #exceeded(usd: number): BudgetExceededError {
    return this.#error(`This call costs about ${formatUsd(usd)}, but ${this.text}`);
  }

  #error(message: string): BudgetExceededError {
    const { maxUsd = 0 } = this.#limits;
    return new BudgetExceededError(message, {
      outcome: 'not-sent',
      spentUsd: this.#ledger.view.totalUsd,
      maxUsd,
    });
  }
}

/** What is reserved for one call. */
export interface Reserved {
  /** Replaces it with the charge of the accepted task, or with the reserved amount if the service reports none. */
  readonly charge: (task: Pick<Task, 'id' | 'chargeUsd' | 'meta' | 'replayed'>) => number;
  /** Ends it after a failure, unless the request may have been charged. */
  readonly leave: (error: PolygateError) => void;
}
