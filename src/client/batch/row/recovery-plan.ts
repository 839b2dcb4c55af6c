import type { Receipt, TaskKind } from '../../../wire/types/tasks/task.ts';
import type { ChatSubmission } from '../../chat/chat-submission.ts';
import { requestHash } from '../../tasks/submission.ts';
import type { Submission } from '../../tasks/submission.ts';
import type { Task } from '../../tasks/task.ts';
import { isChatPath, taskKindOf } from '../journal/line.ts';
import { mayBeCharged } from '../journal/row-history.ts';
import type { RowHistory } from '../journal/row-history.ts';
import { lostChatError, missingParamsError } from '../row-errors.ts';
import type { RowContext } from '../run/context.ts';
import { chatPlan, chatSubmission, receivedEarlier } from './chat-plan.ts';
import type { RowPlan } from './row-plan.ts';
import type { Row } from './row.ts';
import { taskPlan, taskSubmission } from './task-plan.ts';

/** Recreates what a journal records about a kind of task: a namespace of the client. */
interface TaskRecreator {
  /** The submission of a `submit` line that has params. */
  restore(path: string, params: { model: string }, fallback?: readonly string[]): Submission;
  /** The task of an `accepted` line. */
  task(receipt: Receipt): Task;
}

/** Recreates submissions and tasks from what a journal records: a client. */
export interface Recreator {
  /** The namespace for a kind of task. */
  namespaceFor(kind: TaskKind): TaskRecreator;
  /** The submission of a chat from its stored params. */
  chat(params: { model: string }, fallback?: readonly string[]): ChatSubmission;
}

/** Plans a row of a recovery. It can be sent again only if its params were stored, too. */
export async function planRecovery(
  row: Row,
  recreate: Recreator,
  context: RowContext,
): Promise<RowPlan<unknown>> {
  const { receipt, path = '', params, fallback, hash = '', key = '' } = row.history;
  if (isChatPath(path)) return planChatRecovery(row, recreate, context);
  if (receipt) {
    const accepted = recreate.namespaceFor(receipt.kind).task(receipt);
    return taskPlan({ start: { accepted } }, context);
  }
  const kind = taskKindOf(path);
  if (kind && params && (await isIntact(row.history))) {
    // A row that was rejected is submitted anew, which must be durable before it is sent.
    const recordedBy = mayBeCharged(row.history) ? 'earlier-run' : undefined;
    const restored = recreate.namespaceFor(kind).restore(path, params, fallback);
    const intent = { key, path, hash, params, fallback };
    const start = { submission: taskSubmission(restored, intent, recordedBy) };
    return taskPlan({ start }, context);
  }
  throw missingParamsError(row.id, key);
}

/** A chat that was sent is sent again only with `resendUnknown`. Completions are not checked: the schema is not stored. */
async function planChatRecovery(
  { id, history }: Row,
  recreate: Recreator,
  { journal, resendUnknown }: RowContext,
): Promise<RowPlan<unknown>> {
  const { completedAt, path = '', params, fallback, hash = '', key } = history;
  if (completedAt !== undefined) {
    return chatPlan({ start: receivedEarlier(await journal.completionAt(completedAt)) });
  }
  if (!resendUnknown || !params || !(await isIntact(history))) throw lostChatError(id);
  const submission = recreate.chat(params, fallback);
  const intent = { key, path, hash, params, fallback };
  return chatPlan({ start: { submission: chatSubmission(submission, intent) }, submission });
}

/** Params that were edited in the journal would be another request under the same key. */
async function isIntact({ path = '', params, fallback, hash }: RowHistory): Promise<boolean> {
  return hash === (await requestHash(path, JSON.stringify(params), fallback));
}
