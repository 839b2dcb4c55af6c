import { next, nextChat } from '../../paid/life.ts';
import type { Journal } from '../../wire/types/tasks/task-handle.ts';
import type { Receipt, TaskKind } from '../../wire/types/tasks/task.ts';
import type { ClientContext } from '../call/context.ts';
import type { ChatSubmission } from '../chat/chat-submission.ts';
import type { CallerContext } from '../config/caller.ts';
import { checkOptions, checkValue } from '../config/validation.ts';
import type { Submission } from '../tasks/submission.ts';
import type { Task } from '../tasks/task.ts';
import type { FetchModel } from './budget-decisions.ts';
import { requestHash, isChatPath, taskKindOf } from './journal-line.ts';
import { journalRule } from './journal.ts';
import { recoverRules } from './options.ts';
import type { RecoverOptions } from './options.ts';
import type { RowResult } from './results.ts';
import { contestedRowError, lostChatError, missingParamsError } from './row-errors.ts';
import { lifeOf, mayBeCharged } from './row-history.ts';
import type { RowHistory } from './row-history.ts';
import { chatPlan, chatSubmission, receivedEarlier, taskPlan, taskSubmission } from './row-plan.ts';
import type { RowPlan } from './row-plan.ts';
import type { RowWork } from './row-pool.ts';
import { Row } from './row.ts';
import { runRow, runRows, unreadJournalError } from './run-rows.ts';
import { createRunContext, beginRun, endRun, untilAborted } from './run.ts';
import type { RunContext } from './run.ts';

/** A recovery, as the client passes it on. */
export interface RecoverArguments {
  readonly journal: Journal;
  /** Recreates submissions and tasks from what a journal records: a client. */
  readonly recreate: {
    /** The namespace for a kind of task. */
    namespaceFor(kind: TaskKind): {
      /** The submission of a `submit` line that has params. */
      restore(path: string, params: { model: string }, fallback?: readonly string[]): Submission;
      /** The task of an `accepted` line. */
      task(receipt: Receipt): Task;
    };
    /** The submission of a chat from its stored params. */
    chat(params: { model: string }, fallback?: readonly string[]): ChatSubmission;
  };
  readonly options: RecoverOptions;
  readonly fetchModel: FetchModel;
}

/**
 * Finishes the rows that earlier runs left unfinished: waits for their tasks, and resubmits rows whose params are
 * stored.
 */
export async function* runRecovery(
  client: ClientContext,
  enter: CallerContext,
  { journal, recreate, options, fetchModel }: RecoverArguments,
): AsyncGenerator<RowResult, void, undefined> {
  checkOptions(options, recoverRules);
  checkValue('journal', journal ?? null, journalRule);
  const pausesAtBudget = options.maxUsd !== undefined;
  const context = createRunContext(client, enter, {
    ...options,
    journal,
    fetchModel,
    pausesAtBudget,
  });
  try {
    await readJournal(context);
    for (const error of context.journal.contents.damaged)
      yield { id: '', status: 'unknown', error };
    const known = context.journal.earlier
      .takeAll()
      .filter(([, history]) => isUnfinished(history))
      .map(([id, history]) => new Row(id, history));
    const rows = function* (): Generator<RowWork> {
      for (const row of known) {
        const makePlan = () => planRecovery(row, recreate, context);
        yield { row, run: (onAccepted) => runRow(row, context, makePlan, onAccepted) };
      }
    };
    const countRows = () => known.length;
    yield* runRows({ rows: rows(), known, countRows, endsAtPause: false }, context);
  } finally {
    await endRun(context);
  }
}

/**
 * Whether a row has no result that the caller has taken. The params of a task that cannot have been charged are kept only
 * if a 402 or a budget is the reason; such a chat is left to the next batch.
 */
function isUnfinished(history: RowHistory): boolean {
  if (history.end) return false;
  return mayBeCharged(history) || (history.params !== undefined && !isChatPath(history.path));
}

/** Reads and locks the journal, until the caller aborts. Even if they have aborted before: the error lists the rows. */
async function readJournal(context: RunContext): Promise<void> {
  const read = async () => {
    await context.journal.read();
    await beginRun(context);
  };
  await untilAborted(context, read, () => unreadJournalError(context.signal?.reason, 'recovery'));
}

/** Plans a row of a recovery. It can be sent again only if its params were stored, too. */
async function planRecovery(
  row: Row,
  recreate: RecoverArguments['recreate'],
  context: RunContext,
): Promise<RowPlan<unknown>> {
  const { history } = row;
  const { receipt, path = '', params, fallback, fingerprint: hash = '', key = '' } = history;
  if (isChatPath(path)) return planChatRecovery(row, recreate, context);
  // The task exists, whichever run has sent it.
  const fingerprint = receipt ? undefined : await storedFingerprint(history);
  const step = next(lifeOf(history), { fingerprint }, 'key');
  if (step === 'wait' && receipt) {
    const accepted = recreate.namespaceFor(receipt.kind).task(receipt);
    return taskPlan({ accepted }, context);
  }
  const kind = taskKindOf(path);
  if (step === 'outcome_unknown') throw contestedRowError(row.id, key);
  const isSent = step === 'send' || step === 'resend';
  if (!isSent || !kind || !params) throw missingParamsError(row.id, key);
  // A row that was rejected is submitted anew, which must be durable before it is sent.
  const recordedBy = step === 'resend' ? 'earlier-run' : undefined;
  const restored = recreate.namespaceFor(kind).restore(path, params, fallback);
  const intent = { key, path, hash, params, fallback };
  return taskPlan({ submission: taskSubmission(restored, intent, recordedBy) }, context);
}

/** Completions are not checked: the schema is not stored. */
async function planChatRecovery(
  { id, history }: Row,
  recreate: RecoverArguments['recreate'],
  { journal, resendUnknown: isForced }: RunContext,
): Promise<RowPlan<unknown>> {
  const { completedAt, path = '', params, fallback, fingerprint: hash = '', key } = history;
  const wanted = { fingerprint: await storedFingerprint(history), isForced };
  const step = nextChat(lifeOf(history), wanted);
  if (step === 'done' && completedAt !== undefined) {
    return chatPlan(receivedEarlier(await journal.completionAt(completedAt)));
  }
  if (step !== 'send' || !params) throw lostChatError(id);
  const submission = recreate.chat(params, fallback);
  const intent = { key, path, hash, params, fallback };
  return chatPlan({ submission: chatSubmission(submission, intent) }, submission);
}

/** The fingerprint of stored params. Params that were edited in the journal would be another request under the same key. */
async function storedFingerprint(history: RowHistory): Promise<string | undefined> {
  const { path = '', params, fallback, fingerprint } = history;
  const hash = params && (await requestHash(path, JSON.stringify(params), fallback));
  return hash === fingerprint ? hash : undefined;
}
