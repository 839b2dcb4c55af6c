import type { PolygateError, Wording } from '../../errors/base.ts';
import { ConfigurationError } from '../../errors/base.ts';
import { abortedError, BudgetExceededError } from '../../errors/call.ts';
import type { AbortedError } from '../../errors/call.ts';
import { createError, textOfPart } from '../../errors/message.ts';
import { PaymentRequiredError } from '../../errors/responses.ts';
import { isVoid } from '../../paid/failed-call.ts';
import type { OpenRow } from '../../wire/types/tasks/task-handle.ts';
import { throwToCaller } from '../config/caller.ts';
import { forwardAbort, whenAborted } from '../config/clock.ts';
import { sentence } from '../http/json.ts';
import { emptyMeta } from '../http/response-meta.ts';
import { forPrograms } from './budget-decisions.ts';
import { failedRow } from './charge-rules.ts';
import { isChatPath } from './journal-line.ts';
import type { PauseReason } from './pause.ts';
import { ProgressReporter, toProgress } from './progress.ts';
import type { RowResult } from './results.ts';
import { toRowError } from './row-errors.ts';
import { mayBeCharged } from './row-history.ts';
import type { RowHistory } from './row-history.ts';
import type { RowPlan } from './row-plan.ts';
import { RowPool } from './row-pool.ts';
import type { RowSource } from './row-pool.ts';
import type { Row } from './row.ts';
import { staysLocked } from './run.ts';
import type { RunContext } from './run.ts';
import { SubmittingRow } from './submitting-row.ts';

/**
 * Reads rows while the limits allow, works on them concurrently, and yields each result as soon as it is available.
 * An error of the source is thrown after the results of all rows that were read before. So is the error that ends a
 * paused run, in place of any error of the source. If the caller aborts, the results of all rows that have finished
 * are yielded, then an error with the other rows is thrown. If the caller leaves, chats in flight are read to their end.
 */
export async function* runRows(
  source: RowSource,
  context: RunContext,
): AsyncGenerator<RowResult, void, undefined> {
  const { config, journal, budget, signal, onProgress } = context;
  const pool = new RowPool(source, context, () => progress.update());
  const progress = new ProgressReporter(config, onProgress, () =>
    toProgress(source.countRows(), pool.counts, budget),
  );
  const stopListening = whenAborted(signal, (reason) => pool.stop(reason));
  try {
    const reading = signal?.aborted ? undefined : pool.readAll();
    // Not an unhandled rejection: the loop below throws it at the end, or no caller is left to report it to.
    reading?.catch(() => undefined);
    for (;;) {
      const step = pool.nextStep();
      switch (step.type) {
        case 'yield':
          yield step.result;
          // The generator resumes once the caller has taken the result.
          pool.take();
          break;
        case 'wait':
          await pool.nextChange();
          break;
        case 'abort':
          throw runAbortedError(signal?.reason, pool.open, journal.unread);
        case 'pause':
          await journal.writeCharges();
          // Not the error of the source, which may never yield another row.
          throw runPausedError(step.reason, pool.pausedRows, journal.unread);
        case 'end':
          await reading;
          return await journal.writeCharges();
      }
    }
  } catch (error) {
    throwToCaller(error);
  } finally {
    // An abort still ends the chats in flight at once.
    await pool.leave();
    stopListening();
    progress.end();
  }
}

/**
 * Takes a row through all its states: see row.ts. Ends early when its controller aborts, and never rejects. `makePlan`
 * identifies and plans the row. `onAccepted` is called when it has a task or a completion, and waits only for its result.
 */
export async function runRow<Accepted>(
  row: Row,
  context: RunContext,
  makePlan: () => Promise<RowPlan<Accepted>>,
  onAccepted: () => void,
): Promise<RowResult> {
  const { pause } = context;
  const { signal } = row.controller;
  let stopListening: (() => void) | undefined;
  try {
    const plan = await makePlan();
    stopListening = forwardAbort(plan.signal, row.controller);
    const accepted = await accept(row, plan, context);
    onAccepted();
    return { ...identityOf(row), ...(await plan.finish(accepted, signal)) };
  } catch (thrown) {
    const error = toRowError(thrown, signal, pause.reason);
    const isPauseReason = pause.isReason(error);
    // A callback can receive a 402, too, for example for a chat request that writes the row's prompt.
    if (isPauseReason) pause.begin(error);
    // That of the earlier submission decides: the plan may be another kind of request, or may have failed.
    const isChargedOnce = !isChatPath(row.history.path);
    const { chargeFacts: facts } = row;
    const isFreed = facts.isRecorded && isVoid(error);
    const isOpen = facts.mayBeCharged || context.journal.contents.isIncompleteFor(row.history);
    const failed = { ...facts, mayBeCharged: isOpen && !isFreed, isChargedOnce, isPauseReason };
    return { ...identityOf(row), ...failedRow(failed, error) };
  } finally {
    stopListening?.();
  }
}

/** The part of a result that does not depend on how the row ended. */
function identityOf({ id, idempotencyKey, task }: Row) {
  return { id, idempotencyKey, task };
}

/** Returns what an earlier run has received for the row, or submits it. */
async function accept<Accepted>(
  row: Row,
  plan: RowPlan<Accepted>,
  context: RunContext,
): Promise<Accepted> {
  const { start } = plan;
  if ('accepted' in start) {
    row.resume(plan.taskOf(start.accepted));
    return start.accepted;
  }
  row.setKey(start.submission.intent.key);
  const accepted = new SubmittingRow(row, plan, start.submission, context).submit();
  if (!staysLocked(plan, context)) return accepted;
  context.sending.add(accepted);
  void accepted.catch(() => {}).then(() => context.sending.delete(accepted));
  return accepted;
}

/** The error of a run that the caller has aborted before it has read its journal, and therefore any row. */
export function unreadJournalError(reason: unknown, run: 'batch' | 'recovery'): AbortedError {
  return abortedError(
    reason,
    { outcome: 'unknown', rows: [] },
    `Aborted by the caller before the journal was read. This ${run} sent nothing, but an earlier run may have been charged for its rows.`,
  );
}

/**
 * The error of a run that the caller has aborted, with the rows that have no result. `unread` is what earlier runs recorded
 * about rows that this one has not read; undefined if the journal was not read.
 */
function runAbortedError(
  reason: unknown,
  open: Iterable<Row>,
  unread: readonly RowHistory[] | undefined,
): AbortedError {
  if (!unread) return unreadJournalError(reason, 'batch');
  const rows = Array.from(open, toOpenRow);
  const unknown = rows.filter(({ outcome }) => outcome === 'unknown').length;
  const isUnreadPaid = unread.some((row) => mayBeCharged(row) && !row.end);
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

/** What an error says, without what it says about the charge of its request, because other rows were charged. */
const summaryOf = ({ message, parts }: PolygateError, wording?: Wording): string =>
  sentence(textOfPart(parts?.summary, wording) ?? message);

/** The error that ends a run which has paused for this reason. */
function runPausedError(
  reason: PauseReason,
  { paused, yielded, done: rowsDone, total }: RowPool['pausedRows'],
  unread: readonly RowHistory[] | undefined,
): PauseReason {
  if (ConfigurationError.is(reason)) return reason;
  const mayBePaid =
    paused.some(({ status }) => status === 'unknown') || !unread || unread.some(mayBeCharged);
  const rowsOpen = Math.max(paused.length, (total ?? 0) - yielded);
  const counts =
    `Rows done: ${rowsDone}. ` +
    `Rows rejected or not sent: ${total === undefined ? 'at least ' : ''}${rowsOpen}.`;
  const unknown = yielded - rowsDone;
  const charge =
    `This run was not charged for them${mayBePaid ? ', but an earlier run may have been' : ''}.` +
    (unknown > 0 ? ` Rows with unknown outcome: ${unknown}; they may have been charged.` : '');
  const programAdvice = 'Without a journal, run only the rows that were not yielded.';
  if (BudgetExceededError.is(reason)) {
    const { spentUsd, maxUsd } = reason;
    const summary = (wording?: Wording) => `${summaryOf(reason, wording)} ${counts}`;
    const raise = ({ limit, again } = forPrograms) => `Raise ${limit}, then ${again}.`;
    return createError(
      BudgetExceededError,
      { summary, charge, advice: raise, programAdvice },
      { outcome: mayBePaid ? 'unknown' : 'not-sent', spentUsd, maxUsd, rowsDone, rowsOpen },
    );
  }
  // The response of the service, which says whether it is the balance or the API key that has reached its limit.
  const cause = paused
    .map(({ error }) => error)
    .find((error) => PaymentRequiredError.is(error) && error.outcome === 'rejected');
  const advice = ({ again } = forPrograms) =>
    `Top up the balance or raise the limit of the API key, then ${again}.`;
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
