/** What is known about the charges of a row. A batch and a queue share these rules. */
import { PolygateError } from '../../errors/base.ts';
import { AbortedError, RequestTimeoutError } from '../../errors/call.ts';
import { ConcurrencyLimitError } from '../../errors/responses.ts';
import { restateCharge } from '../../errors/restate-charge.ts';
import { TaskFailedError } from '../../errors/tasks.ts';
import { roundUsd } from '../../paid/amounts.ts';
import { isUncharged, verdictOfAttempt, verdictOfError } from '../../paid/failed-call.ts';
import { countKey, isFree } from '../../paid/keys.ts';
import type { CountedKey } from '../../paid/keys.ts';
import { isUnpaid } from '../../paid/verdict.ts';
import type { Verdict } from '../../paid/verdict.ts';

/** How far a row has come, when an error ends it. */
export interface ChargeFacts {
  /** Whether it has a task: its submission was accepted. */
  readonly hasTask: boolean;
  /** Whether an earlier submission under its key may have been charged. */
  readonly mayBeCharged: boolean;
  /** Whether its submission is recorded, so that it may have been sent. Does not matter with a task. */
  readonly isRecorded?: boolean | undefined;
}

/**
 * Whether an error proves that the task of the row failed or nothing was charged. If not, the row may have been charged,
 * and must be continued under the same key.
 */
export function isFinalError(
  { hasTask, mayBeCharged, isRecorded }: ChargeFacts,
  error: unknown,
): boolean {
  if (hasTask) return TaskFailedError.is(error);
  // What happens now says nothing about a request that was sent before.
  if (mayBeCharged) return false;
  // A callback that submits a request itself may have caused a charge before the row was recorded.
  if (!isRecorded) return !(PolygateError.is(error) && error.outcome === 'unknown');
  // If it has a task, its outcome is that of a later request.
  return PolygateError.is(error) && !error.task && isUncharged(error);
}

/** What decides how a row ends that has failed. */
export interface FailureFacts extends ChargeFacts {
  /** Whether the service charges the earlier submission once under its key, however often it is sent. */
  readonly isChargedOnce: boolean;
  /** Whether the error is the reason of a pause, so that the row is not yielded. */
  readonly isPauseReason: boolean;
}

/**
 * The end of a row that has failed. Its error says what is known about all submissions of the row, except for the
 * reason of a pause, which belongs to all rows.
 */
export function failedRow<Thrown>(
  facts: FailureFacts,
  error: Thrown,
): { readonly status: 'failed' | 'unknown'; readonly error: Thrown | PolygateError } {
  const status = isFinalError(facts, error) ? 'failed' : 'unknown';
  if (!facts.mayBeCharged || facts.hasTask || facts.isPauseReason) return { status, error };
  const next = facts.isChargedOnce
    ? 'submit the row again only under its idempotency key.'
    : 'if the row is sent again, you may pay for it a second time.';
  const advice = `This request was not charged, but an earlier one of this row may have been: ${next}`;
  return { status, error: withEarlierCharge(error, advice) };
}

/** What is known about a submission when an error ends it. */
export interface SubmissionFacts {
  /** Which run has recorded it: an earlier one may have sent it. Undefined if none has, so that it was not sent. */
  readonly recordedBy: 'this-run' | 'earlier-run' | undefined;
  /** Whether the service charges it once under its key, however often it is sent. */
  readonly isChargedOnce: boolean;
}

/**
 * The verdict about a submission that failed. Once a row may have been charged, a rejection does not say otherwise:
 *
 *     submission                                       certainly not charged   may have been charged, or aborted task
 *     -----------------------------------------------  ----------------------  --------------------------------------
 *     not recorded, so it was not sent                 none                    none
 *     recorded by this run                             none, void              unknown, charged
 *     recorded by an earlier run, which may have sent  unknown                 unknown, charged
 *
 * If it was recorded and not charged, a `refused` line takes the `submit` line back, so that the row can be submitted again,
 * even with other params.
 */
export function verdictOfFailure(
  { recordedBy, isChargedOnce }: SubmissionFacts,
  error: unknown,
): Verdict {
  const verdict = verdictOfError(error);
  // The error is that of a callback.
  if (recordedBy === undefined) return { ...verdict, money: 'none' };
  const facts = { hasTask: false, mayBeCharged: recordedBy === 'earlier-run', isRecorded: true };
  // An aborted run does not wait for the lines of its tasks. Its `refused` line could be written late, and
  // then take back a line of another run, which has sent the task again. A queue has no such lines.
  const isAbortedTask = isChargedOnce && AbortedError.is(error);
  const isOpen = !isFinalError(facts, error) || isAbortedTask;
  return isOpen && isUnpaid(verdict) ? { ...verdict, money: 'unknown' } : verdict;
}

/**
 * The error of a request that an earlier one with the same key may have been charged for. It describes the last
 * request only, so it is replaced by a copy with the outcome of all of them, and with `advice`.
 */
export function withEarlierCharge<Thrown>(error: Thrown, advice: string): Thrown | PolygateError {
  if (!PolygateError.is(error) || error.task) return error;
  if (error.outcome !== 'rejected' && error.outcome !== 'not-sent') return error;
  return restateCharge(error, advice);
}

/**
 * The error of a call that got no slot in time, also if its `totalTimeout` ended while it was waiting for one. One that was
 * charged is no rejection.
 */
export function slotRejectionOf(error: unknown): ConcurrencyLimitError | undefined {
  const rejection = RequestTimeoutError.is(error) ? error.cause : error;
  if (!ConcurrencyLimitError.is(rejection)) return undefined;
  return rejection.verdict?.money === 'charged' ? undefined : rejection;
}

/** A key whose charge counts already, because another request or another program has paid for it. */
const countedElsewhere: CountedKey = { fromReplay: false };

/**
 * What the responses to one row cost together, in USD: each charge once, however often the row is sent, and no replay of one
 * that counts. A service that ignores keys charges each attempt.
 */
export class KeyCharges {
  usd: number;
  /** The largest charge. It shows what one request costs. */
  largestUsd: number;
  #counted: CountedKey | undefined;
  #isOpen: boolean;

  /** `isOpen`: an earlier request since the last charge may have been charged. */
  constructor(counted?: CountedKey, usd = 0, largestUsd = 0, isOpen = false) {
    this.#counted = counted;
    this.usd = usd;
    this.largestUsd = largestUsd;
    this.#isOpen = isOpen;
  }

  /** Whether all that the row has cost is known: it was charged, and no request since the last charge can have been. */
  get isKnown(): boolean {
    return this.#counted !== undefined && !this.#isOpen;
  }

  /** An attempt has failed. */
  fail(error: unknown): void {
    const verdict = verdictOfAttempt(error);
    const isCharged = verdict.money === 'charged' || this.covers(verdict);
    this.#isOpen ||= !isCharged && !isUnpaid(verdict);
  }

  /** Whether the service has charged the key, and protects it from a second charge as far as is known. */
  get isFree(): boolean {
    return isFree(this.#counted, 0, () => '');
  }

  /**
   * Adds the charge that a response reports. Returns whether it counts.
   *
   * `isLate`: it may be the response that a replay has repeated. `isOwn`: the original of a replay may be a request of this row.
   * Otherwise, another one of the same books or another program has paid for it. A batch counts all replays: its journal has
   * neither the requests of runs without a journal nor those of lost lines, and `maxUsd` limits what its tasks and completions
   * cost together. A queue counts its own: Redis has every request of every row.
   */
  add(verdict: Verdict, isLate: boolean, isOwn = true): boolean {
    if (verdict.money !== 'charged') return false;
    const { isCounted, key } = this.#count(verdict, isLate, isOwn);
    const usd = roundUsd(verdict.usd);
    this.#counted = key;
    this.#isOpen = false;
    this.largestUsd = Math.max(this.largestUsd, usd);
    if (!isCounted) this.usd = roundUsd(this.usd + usd);
    return !isCounted;
  }

  /** Whether a successful response costs nothing more than what counts already. */
  covers(verdict: Verdict, isOwn = true): boolean {
    return this.#count(verdict, false, isOwn).isCounted;
  }

  #count({ replay }: Verdict, mayBeOriginal: boolean, isOwn: boolean) {
    const counted = this.#counted ?? (isOwn ? undefined : countedElsewhere);
    return countKey(counted, { replay, mayBeOriginal, body: undefined });
  }
}
