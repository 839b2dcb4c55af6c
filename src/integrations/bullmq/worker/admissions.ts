import { randomUUID } from 'node:crypto';

import type { KeyCharges } from '../../../internal.ts';
import { roundUsd } from '../../../paid/amounts.ts';
import { decideReservation, unlimited } from '../decisions/settlement.ts';
import { retryDelayAfter } from '../decisions/step.ts';
import type { Admission } from '../decisions/step.ts';
import { repeatInOutage } from '../redis/connection.ts';
import type { RowStore } from '../redis/row-store.ts';
import { parseSpend } from '../redis/scripts/spend.ts';
import type { StoredRow, RowVersion } from '../row.ts';
import type { RowPrice } from './record-submission.ts';
import { logMinor, logPause, logRejection } from './steps.ts';
import type { RunnerContext } from './steps.ts';

/** How often slots are renewed, in ms: once per tick of the clock of their leases, which last several ticks. */
const renewInterval = 1_000;

/** For how long a row tries to take a slot, in ms, before it returns to the queue. */
const maxSlotWait = 1_000;

/**
 * How long a row waits while others submit, in ms: longer than most submissions take, but short enough not to delay
 * polls queued behind it.
 */
const maxPermitWait = 200;

type AdmissionContext = Pick<RunnerContext, 'concurrency' | 'gateway' | 'maxUsd' | 'rows'>;

/** Decides which rows this process submits, and renews their slots until they are released. */
export class Admissions {
  readonly #context: AdmissionContext;
  /** Jobs that hold a slot, and their turns: a job that this process has lost and taken again keeps its slot. */
  readonly #holders = new Map<string, string>();
  /** For rows that submit or wait for a slot: half of the worker's concurrency, so that polls are never held up. */
  readonly #permits: Permits;
  /** The end of the latest wait for a slot. */
  #last: Promise<unknown> = Promise.resolve();
  readonly #timer: NodeJS.Timeout;
  #isStopped = false;

  constructor(context: AdmissionContext) {
    this.#context = context;
    this.#permits = new Permits(Math.max(1, Math.floor(context.concurrency / 2)));
    this.#timer = setInterval(() => {
      if (this.#holders.size > 0) void this.#renew();
      else if (this.#isStopped) clearInterval(this.#timer);
    }, renewInterval);
  }

  /** Whether the worker has been closed, so that its rows must not be sent anymore. */
  get isStopped(): boolean {
    return this.#isStopped;
  }

  /** Stops renewing slots as soon as none is held: after an outage, submissions can still be in flight. */
  stop(): void {
    this.#isStopped = true;
    if (this.#holders.size === 0) clearInterval(this.#timer);
  }

  /** Takes one of the permits that limit how many rows submit at a time. Returns false if none becomes free soon. */
  takePermit(): Promise<boolean> {
    return this.#permits.take(maxPermitWait);
  }

  releasePermit(): void {
    this.#permits.release();
  }

  /**
   * Tries to take a slot until one is free, and then renews it until `release`. Only the row that has waited longest
   * tries, so that Redis has little to do.
   */
  async admit(row: StoredRow, price: RowPrice): Promise<Admission> {
    const giveUpAt = performance.now() + maxSlotWait;
    const pending = this.#last.then(() => this.#take(row, price, giveUpAt));
    // The caller receives the error; the next row only waits.
    this.#last = pending.catch(() => undefined);
    const admission = await pending;
    if (admission.admitted) this.#holders.set(row.jobId, admission.turn);
    return admission;
  }

  /** Renews the slot of a job no more. The slot itself is freed when the row moves. */
  release(jobId: string, turn: string): void {
    if (this.#holders.get(jobId) === turn) this.#holders.delete(jobId);
  }

  async #take(row: StoredRow, price: RowPrice, giveUpAt: number): Promise<Admission> {
    const { rows, gateway, maxUsd } = this.#context;
    const applicant = { row, price, maxUsd, admissionId: randomUUID() };
    const onRejection = (error: unknown) => logRejection(gateway, row.data.id, error);
    for (;;) {
      // Redis may have admitted the row before it became unreachable. Only this process knows that nothing was sent for
      // it.
      const admission = await repeatInOutage(rows.redis, () => admitRow(rows, applicant), {
        onRejection,
      });
      if (admission.admitted) return admission;
      const { reason, problem } = admission;
      if (reason === 'exceeded' && problem) logPause(gateway, problem);
      const delayMs = retryDelayAfter(reason);
      if (delayMs === undefined || performance.now() > giveUpAt) return admission;
      await new Promise((resolve) => void setTimeout(resolve, delayMs));
    }
  }

  async #renew(): Promise<void> {
    try {
      await this.#context.rows.renew([...this.#holders.keys()]);
    } catch (error) {
      // A lease lasts longer than several renewals.
      logMinor(this.#context.gateway, 'slots: could not be renewed', error);
    }
  }
}

/** A row that may submit as soon as the budget covers it and a slot is free. */
interface Applicant {
  readonly row: RowVersion;
  readonly price: RowPrice;
  /** The budget of the queue in USD, if there is one. */
  readonly maxUsd: number | undefined;
  /** Id of the admission: one that is repeated after an outage keeps it, and admits the row once. */
  readonly admissionId: string;
}

/**
 * Tries to admit a row. The budget is read first, and Redis admits the row only if it has not changed since.
 */
export async function admitRow(
  rows: RowStore,
  { row, price, maxUsd = Infinity, admissionId }: Applicant,
): Promise<Admission> {
  if (maxUsd === Infinity) {
    return rows.admit(row, { decision: 'held', reservation: unlimited, seen: '' }, admissionId);
  }
  const seen = await rows.readSpend();
  const { units } = price;
  const purchase = { path: row.data.path, ...price };
  const { decision, reservation, problem } = decideReservation(parseSpend(seen), purchase, maxUsd);
  const claim = { decision, reservation, units, seen };
  const admission = await rows.admit(row, claim, admissionId);
  const isExceeded = !admission.admitted && ['exceeded', 'used-up'].includes(admission.reason);
  return isExceeded ? { ...admission, problem } : admission;
}

/**
 * Reserves another attempt of a chat of which attempts were charged, if the budget covers it. What is reserved covers them
 * first: they are spent when the submission has ended.
 */
export async function reserveRetry(
  rows: RowStore,
  row: RowVersion,
  { usd, largestUsd }: Pick<KeyCharges, 'usd' | 'largestUsd'>,
  maxUsd: number | undefined,
): Promise<boolean> {
  if (maxUsd === undefined) return true;
  const { path } = row.data;
  for (;;) {
    const [seen, reservedUsd] = await Promise.all([rows.readSpend(), rows.reservedFor(row)]);
    const spend = parseSpend(seen);
    const neededUsd = usd + Math.max(largestUsd, spend.largest.get(path) ?? 0);
    const missingUsd = roundUsd(neededUsd - reservedUsd);
    if (missingUsd <= 0) return true;
    const { decision } = decideReservation(spend, { path, usd: missingUsd }, maxUsd);
    if (decision !== 'held') return false;
    const result = await rows.reserveMore(row, missingUsd, seen);
    if (result !== 'changed') return result === 'ok';
  }
}

/** A fixed number of permits, given in the order in which they were requested. */
class Permits {
  #free: number;
  readonly #waiting = new Set<() => void>();

  constructor(count: number) {
    this.#free = count;
  }

  /** Takes a permit. Returns false if none becomes free within `ms`. */
  async take(ms: number): Promise<boolean> {
    if (this.#free > 0) {
      this.#free -= 1;
      return true;
    }
    return new Promise((resolve) => {
      const give = () => {
        clearTimeout(timer);
        resolve(true);
      };
      const timer = setTimeout(() => {
        this.#waiting.delete(give);
        resolve(false);
      }, ms);
      this.#waiting.add(give);
    });
  }

  release(): void {
    const [next] = this.#waiting;
    if (next === undefined) this.#free += 1;
    else {
      this.#waiting.delete(next);
      next();
    }
  }
}
