import type { PolygateError } from '../../../errors/base.ts';
import { ConfigurationError } from '../../../errors/base.ts';
import { BudgetExceededError, abortedError } from '../../../errors/call.ts';
import type { AbortedError } from '../../../errors/call.ts';
import { createError } from '../../../errors/message.ts';
import { PaymentRequiredError } from '../../../errors/responses.ts';
import type { OpenRow } from '../../../wire/types/tasks/task-handle.ts';
import { sentence } from '../../http/json.ts';
import { emptyMeta } from '../../http/response-meta.ts';
import { mayBeCharged } from '../journal/row-history.ts';
import type { RowHistory } from '../journal/row-history.ts';
import type { RowResult } from '../results.ts';
import type { Row } from '../row/row.ts';
import type { PauseReason } from '../run/pause.ts';

/** The rows of a run that the caller has aborted. */
interface AbortedRows {
  /** The rows that were read and have no result. */
  readonly open: Iterable<Row>;
  /** What earlier runs recorded about rows that this one has not read; undefined if the journal was not read. */
  readonly unread: readonly RowHistory[] | undefined;
}

/** The error of a run that the caller has aborted before it has read its journal, and therefore any row. */
export function unreadJournalError(reason: unknown, run: 'batch' | 'recovery'): AbortedError {
  return abortedError(
    reason,
    { outcome: 'unknown', rows: [] },
    `Aborted by the caller before the journal was read. This ${run} sent nothing, but an earlier run may have been charged for its rows.`,
  );
}

/** The error of a run that the caller has aborted, with the rows that have no result. */
export function runAbortedError(reason: unknown, { open, unread }: AbortedRows): AbortedError {
  if (!unread) return unreadJournalError(reason, 'batch');
  const rows = Array.from(open, toOpenRow);
  const unknown = rows.filter(({ outcome }) => outcome === 'unknown').length;
  const isUnreadPaid = unread.some((row) => mayBeCharged(row) && !row.status);
  const outcome = unknown > 0 || isUnreadPaid ? 'unknown' : 'not-sent';
  return abortedError(
    reason,
    { outcome, rows },
    `Aborted by the caller. ${openSummary(rows.length, unknown)}` +
      (isUnreadPaid ? ' An earlier run may have been charged for rows that were not read.' : ''),
  );
}

/** What a row without a result needs to be continued. */
function toOpenRow({ id, idempotencyKey, task, mayBePaid }: Row): OpenRow {
  return { id, idempotencyKey, task, outcome: mayBePaid ? 'unknown' : 'not-sent' };
}

function openSummary(open: number, unknown: number): string {
  if (open === 0) return 'Every row that was read has a result.';
  const count = `Rows without a result: ${open}.`;
  if (unknown === 0) return `${count} None of them was sent.`;
  return (
    `${count} Of these, ${unknown} may have been charged: run the batch again with the same journal, ` +
    'or continue with the tasks and idempotency keys in `rows` of this error.'
  );
}

/** A row that only the pause kept from being submitted. */
export interface PausedRow {
  readonly status: RowResult['status'];
  readonly error: PauseReason;
}

/** The rows of a run that has paused. */
interface PausedRows {
  /** The rows that were read and not submitted. */
  readonly paused: readonly PausedRow[];
  /** What earlier runs recorded about rows that this one has not read; undefined if the journal was not read. */
  readonly unread: readonly RowHistory[] | undefined;
  /** Number of rows that were yielded. */
  readonly yielded: number;
  /** Number of those that succeeded or failed. */
  readonly done: number;
  /** Number of all rows; undefined if the source did not yield all of them. */
  readonly total: number | undefined;
}

/** What an error says, without what it says about the charge of its request, because other rows were charged. */
const summaryOf = ({ message, parts }: PolygateError): string =>
  parts?.summary ?? sentence(message);

/** The error that ends a run which has paused for this reason. */
export function runPausedError(reason: PauseReason, rows: PausedRows): PauseReason {
  if (ConfigurationError.is(reason)) return reason;
  const pause = describePause(rows);
  return BudgetExceededError.is(reason)
    ? overBudgetError(reason, pause)
    : insufficientBalanceError(rows.paused, pause);
}

/** What the error of a pause says about the rows, whatever the reason. */
interface Pause {
  readonly counts: string;
  readonly charge: string;
  /** Whether an earlier run may have paid for some of the open rows. */
  readonly mayBePaid: boolean;
  readonly rowsDone: number;
  readonly rowsOpen: number;
}

function describePause({ paused, unread, yielded, done, total }: PausedRows): Pause {
  const mayBePaid =
    paused.some(({ status }) => status === 'unknown') || !unread || unread.some(mayBeCharged);
  const rowsOpen = Math.max(paused.length, (total ?? 0) - yielded);
  const unknown = yielded - done;
  return {
    counts:
      `Rows done: ${done}. ` +
      `Rows rejected or not sent: ${total === undefined ? 'at least ' : ''}${rowsOpen}.`,
    charge:
      `This run was not charged for them${mayBePaid ? ', but an earlier run may have been' : ''}.` +
      (unknown > 0 ? ` Rows with unknown outcome: ${unknown}; they may have been charged.` : ''),
    mayBePaid,
    rowsDone: done,
    rowsOpen,
  };
}

const runAgain = 'then run it again with the same journal.';
const programAdvice = 'Without a journal, run only the rows that were not yielded.';

function overBudgetError(
  reason: BudgetExceededError,
  { counts, charge, mayBePaid, rowsDone, rowsOpen }: Pause,
): BudgetExceededError {
  const { spentUsd, maxUsd } = reason;
  const summary = `${summaryOf(reason)} ${counts}`;
  const parts = { summary, charge, advice: `Raise the budget, ${runAgain}`, programAdvice };
  const outcome = mayBePaid ? 'unknown' : 'not-sent';
  return createError(BudgetExceededError, parts, { outcome, spentUsd, maxUsd, rowsDone, rowsOpen });
}

function insufficientBalanceError(
  paused: readonly PausedRow[],
  { counts, charge, mayBePaid, rowsDone, rowsOpen }: Pause,
): PaymentRequiredError {
  // The response of the service, which says whether it is the balance or the API key that has reached its limit.
  const cause = paused
    .map(({ error }) => error)
    .find((error) => PaymentRequiredError.is(error) && error.outcome === 'rejected');
  const advice = `Top up the balance or raise the limit of the API key, ${runAgain}`;
  return createError(
    PaymentRequiredError,
    { summary: `402: The balance is insufficient. ${counts}`, charge, advice, programAdvice },
    {
      meta: PaymentRequiredError.is(cause) ? cause.meta : emptyMeta(402),
      outcome: mayBePaid ? 'unknown' : 'rejected',
      cause,
      rowsDone,
      rowsOpen,
    },
  );
}
