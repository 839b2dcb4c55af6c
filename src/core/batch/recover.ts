import { abortedError } from '../../errors/aborted.ts';
import { ConnectionError } from '../../errors/connection.ts';
import { unchecked } from '../../types/schema.ts';
import type { Journal } from '../../types/tasks/journal.ts';
import type { Receipt, TaskKind } from '../../types/tasks/task.ts';
import type { ClientContext } from '../call/context.ts';
import type { ChatSubmission } from '../chat/chat-submission.ts';
import { captureContext } from '../config/caller-context.ts';
import type { CallerContext } from '../config/caller-context.ts';
import { checkOptions, checkValue } from '../config/validation.ts';
import { runWithTimeLimit } from '../limits/time-limit.ts';
import { requestHash } from '../tasks/fingerprint.ts';
import type { Submission } from '../tasks/submission.ts';
import type { Task } from '../tasks/task.ts';
import { journalRule } from './journal/batch-journal.ts';
import { isChatPath, taskKindOf } from './journal/line.ts';
import { mayBeCharged } from './journal/row-history.ts';
import type { RowHistory } from './journal/row-history.ts';
import { runConcurrently } from './pool/run-rows.ts';
import type { BatchResult, ChatResult, RowResult } from './results.ts';
import { chatPlan, lostChatError } from './row/chat-plan.ts';
import type { RowPlan } from './row/row-plan.ts';
import type { BatchItem } from './row/row.ts';
import { identify, runItem } from './row/run-row.ts';
import { taskPlan } from './row/task-plan.ts';
import { beginRun, createBatchContext, endRun, recoverRules } from './run/context.ts';
import type { BatchContext, FetchModel, RecoverOptions } from './run/context.ts';

/** Recreates what a journal records about a kind of task: a namespace of the client. */
interface Restore {
  /** The submission of a `submit` line that has params. */
  restore(path: string, params: { model: string }, fallback?: readonly string[]): Submission;
  /** The task of an `accepted` line. */
  task(receipt: Receipt): Task;
}

/** What a recovery needs of the client. */
export interface Recreate {
  /** The namespace for a kind of task. */
  namespaceFor(kind: TaskKind): Restore;
  /** The submission of a chat from its stored params. */
  chat(params: { model: string }, fallback?: readonly string[]): ChatSubmission;
  readonly fetchModel: FetchModel;
}

/** The result of a row of `gateway.recover`. */
export type RecoveredRow = BatchResult | ChatResult;

/**
 * Finishes the rows that an earlier process left unfinished: waits for their tasks, and resubmits rows whose params are
 * stored.
 */
export function recover(
  client: ClientContext,
  journal: Journal,
  recreate: Recreate,
  options: RecoverOptions,
): AsyncGenerator<RecoveredRow, void, undefined> {
  // Not in the generator, which runs when the caller takes the first result.
  return unchecked(
    generateRows(client, captureContext(client.config), { journal, recreate, options }),
  );
}

async function* generateRows(
  client: ClientContext,
  enterCaller: CallerContext,
  given: { journal: Journal; recreate: Recreate; options: RecoverOptions },
): AsyncGenerator<RowResult, void, undefined> {
  const { journal, recreate, options } = given;
  checkOptions(options, recoverRules);
  checkValue('journal', journal ?? null, journalRule);
  const { fetchModel } = recreate;
  const means = { fetchModel, isBatch: false };
  const context = createBatchContext(client, journal, enterCaller, means, options);
  try {
    await readJournal(context);
    await beginRun(context);
    const { journal: lines } = context;
    for (const error of lines.damaged) yield { id: '', status: 'unknown', error };
    const unfinished = Array.from(lines.takeRows(), ([id, history]) => ({
      item: identify(id, history),
    })).filter(({ item }) => isUnfinished(item.history));
    yield* runConcurrently(
      unfinished,
      async ({ item }: { item: BatchItem }, controller, markIdle) => {
        const enter = (): Promise<RowPlan<unknown>> => planRecovery(item, recreate, context);
        const result = await runItem(item, enter, context, controller, markIdle);
        return { result, isDurable: item.isDurable ?? false };
      },
      context,
      { countRows: () => unfinished.length, endsAtPause: false },
    );
  } finally {
    await endRun(context);
  }
}

/**
 * Whether a row has no result that the caller has taken. The params of a task that cannot have been charged are kept only
 * if a 402 or a budget is the reason; such a chat is left to the next batch.
 */
function isUnfinished(history: RowHistory): boolean {
  if (history.status) return false;
  return mayBeCharged(history) || (history.params !== undefined && !isChatPath(history.path));
}

/** How long the journal may be read if the recovery was aborted before, in ms: the error lists the rows. */
const maxReadTime = 1_000;

/** Reads the journal, which can hang, until the caller aborts. */
async function readJournal({ journal, signal, config: { clock } }: BatchContext): Promise<void> {
  const aborted = () =>
    abortedError(
      signal?.reason,
      { outcome: 'unknown', rows: [] },
      'Aborted by the caller before the journal was read. This recovery sent nothing, but an earlier run may have been charged for its rows.',
    );
  const errors = { aborted, timeout: aborted };
  const limit = signal?.aborted ? { clock, ms: maxReadTime, errors } : { signal, errors };
  await runWithTimeLimit(() => journal.read(), limit);
}

/** A row can be sent again only if its params were stored as well. */
async function planRecovery(
  item: BatchItem,
  recreate: Recreate,
  context: BatchContext,
): Promise<RowPlan<unknown>> {
  const { receipt, path = '', params, fallback, hash = '', key = '' } = item.history;
  if (isChatPath(path)) return planChatRecovery(item, recreate, context);
  if (receipt) {
    const task = recreate.namespaceFor(receipt.kind).task(receipt);
    return taskPlan(item, { task, path }, context);
  }
  const kind = taskKindOf(path);
  if (kind && params && (await isIntact(item.history))) {
    // A row that was rejected is submitted anew, which must be durable before it is sent.
    const intent = mayBeCharged(item.history) ? undefined : { key, path, hash, params, fallback };
    const submission = recreate.namespaceFor(kind).restore(path, params, fallback);
    return taskPlan(item, { submission, path, intent }, context);
  }
  throw new ConnectionError(
    'This row may have been charged, and the journal does not contain its params, so it was not resent. ' +
      'To get its result without a second charge, run the batch again with the same inputs and this journal. ' +
      'With `storeParams`, a journal contains them.',
    { outcome: 'unknown', idempotencyKey: key },
  );
}

/** A chat that was sent is sent again only with `resendUnknown`. Completions are not checked: the schema is not stored. */
async function planChatRecovery(
  { id, history }: BatchItem,
  recreate: Recreate,
  { journal, resendUnknown }: BatchContext,
): Promise<RowPlan<unknown>> {
  const { completedAt, path = '', params, fallback, hash = '', key } = history;
  if (completedAt !== undefined) {
    return chatPlan({ completion: await journal.completionAt(completedAt), path });
  }
  if (!resendUnknown || !params || !(await isIntact(history))) throw lostChatError(id);
  return chatPlan({
    submission: recreate.chat(params, fallback),
    path,
    intent: { key, path, hash, params, fallback },
  });
}

/** Params that were edited in the journal would be another request under the same key. */
async function isIntact({ path = '', params, fallback, hash }: RowHistory): Promise<boolean> {
  return hash === (await requestHash(path, JSON.stringify(params), fallback));
}
