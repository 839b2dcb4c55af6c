import { AbortedError, abortedError } from '../../../errors/aborted.ts';
import { BudgetExceededError } from '../../../errors/budget.ts';
import { ConfigurationError } from '../../../errors/configuration.ts';
import { PaymentRequiredError } from '../../../errors/status.ts';
import { textOf } from '../../../types/type-guards.ts';
import { sentence } from '../../http/json.ts';
import { emptyMeta } from '../../http/response-meta.ts';
import { mayBeCharged } from '../journal/row-history.ts';
import type { RowHistory } from '../journal/row-history.ts';
import type { RowResult } from '../results.ts';
import type { Pause, PauseReason } from '../run/pause.ts';

/**
 * The error of a row: the error that was thrown, or why the row was not sent if what was thrown is the reason of an
 * aborted signal.
 */
export function toRowError(thrown: unknown, signal: AbortSignal, { reason }: Pause): Error {
  const cause = AbortedError.is(thrown) ? thrown.cause : thrown;
  // Only the batch's own reason: the caller's signal may abort a request that was sent with any error.
  if (reason && cause === reason) return reason;
  if (signal.aborted && thrown === signal.reason) return unsentError(thrown);
  return thrown instanceof Error ? thrown : new Error(textOf(thrown) ?? '', { cause: thrown });
}

/**
 * The error of a row that is not sent because of `reason`. A call that sends the row must throw this and not the reason,
 * which all such rows share: a call completes its errors, and with a fallback, a budget is a reason to try another model.
 */
export function unsentError(reason: unknown): AbortedError {
  const message =
    'The row was aborted before this run sent it, so this run was not charged for it. To continue, run the batch again.';
  return abortedError(reason, { outcome: 'not-sent' }, message);
}

/** The result of a row that a 402 or a budget kept from being submitted. */
export type PausedResult = RowResult & { readonly error: PauseReason };

/**
 * Whether the pause, or what causes it, is the only reason why a row was not submitted. Its result is not final, so it is
 * not yielded, and the next run submits the row. A row that may have been charged in this run is not among them: without a
 * journal, its key is only in its result.
 */
export function isPaused(result: RowResult, pause: Pause): result is PausedResult {
  return pause.isReason(result.error);
}

/** How many rows a paused batch or recovery has. */
interface RowCounts {
  /** Rows that were yielded. */
  readonly yielded: number;
  /** Those of them that succeeded or failed. */
  readonly done: number;
  /** All rows; undefined if the source did not yield all of them. */
  readonly total: number | undefined;
}

/**
 * The error that ends a paused batch or recovery.
 *
 * @param reason - Why it has paused.
 * @param paused - The rows that were pulled and not submitted.
 * @param unread - What earlier processes recorded about rows that were not pulled.
 */
export function pausedError(
  reason: PauseReason,
  paused: readonly PausedResult[],
  unread: readonly RowHistory[],
  { yielded, done, total }: RowCounts,
): PauseReason {
  if (ConfigurationError.is(reason)) return reason;
  const mayBePaid = paused.some(({ status }) => status === 'unknown') || unread.some(mayBeCharged);
  const rowsOpen = Math.max(paused.length, (total ?? 0) - yielded);
  const unknown = yielded - done;
  const summary =
    `Rows done: ${done}. ` +
    `Rows rejected or not sent: ${total === undefined ? 'at least ' : ''}${rowsOpen}. ` +
    `This run was not charged for them${mayBePaid ? ', but an earlier run may have been' : ''}. ` +
    (unknown > 0 ? `Rows with unknown outcome: ${unknown}; they may have been charged. ` : '');
  const advice =
    'then run it again with the same journal; without one, run only the rows not yielded.';
  if (BudgetExceededError.is(reason)) {
    const { message, spentUsd, maxUsd } = reason;
    return new BudgetExceededError(`${sentence(message)} ${summary}Raise the budget, ${advice}`, {
      outcome: mayBePaid ? 'unknown' : 'not-sent',
      spentUsd,
      maxUsd,
      rowsDone: done,
      rowsOpen,
    });
  }
  // The response of the service, which says whether it is the wallet or the API key that has reached its limit.
  const cause = paused
    .map(({ error }) => error)
    .find((error) => PaymentRequiredError.is(error) && error.outcome === 'rejected');
  return new PaymentRequiredError(
    `402: The balance is insufficient. ${summary}Top up the balance or raise the limit of the API key, ${advice}`,
    {
      meta: PaymentRequiredError.is(cause) ? cause.meta : emptyMeta(402),
      outcome: mayBePaid ? 'unknown' : 'rejected',
      cause,
      rowsDone: done,
      rowsOpen,
    },
  );
}
