import { ConfigurationError } from '../../../errors/base.ts';
import { isRecord, textOf } from '../../../wire/types/type-guards.ts';
import { ChatSubmission } from '../../chat/chat-submission.ts';
import { Task } from '../../tasks/task.ts';
import type { AnySubmission } from '../results.ts';
import { rowError } from '../row-errors.ts';
import type { RowContext } from '../run/context.ts';
import { planChat } from './chat-plan.ts';
import type { RowPlan } from './row-plan.ts';
import type { Row } from './row.ts';
import { planTask } from './task-plan.ts';

/** What a row of a batch is planned from. */
interface RowDescription {
  readonly id: string;
  readonly describe: () => AnySubmission | Promise<AnySubmission>;
  readonly context: RowContext;
  readonly settings: { readonly runId: string; readonly storeParams: boolean };
}

/** Recalls what earlier runs recorded about a row of a batch, and plans it. */
export async function planRow(
  row: Row,
  { id, describe, context, settings }: RowDescription,
): Promise<RowPlan<unknown>> {
  const { earlier } = context.journal;
  row.identify(id, earlier.recall(id));
  try {
    const submission = checkSubmission(id, await describe());
    if (!(submission instanceof ChatSubmission)) {
      return await planTask(row, submission, context, settings);
    }
    await lockForChats(context);
    // See EarlierRows: the first lock has read the journal again.
    row.identify(id, earlier.recall(id));
    return await planChat(row, submission, context, settings);
  } finally {
    earlier.forget(id);
  }
}

/**
 * Locks the journal before the first chat of a batch. If it cannot be locked, the batch pauses, and ends with the error.
 */
async function lockForChats({ journal, pause }: RowContext): Promise<void> {
  try {
    await journal.lock({ isRequired: true });
  } catch (error) {
    if (ConfigurationError.is(error)) pause.begin(error);
    throw error;
  }
}

/** Checks what a row callback returned. Without types, it may be the params, or the result of `submit`. */
function checkSubmission(id: string, returned: AnySubmission): AnySubmission {
  if (typeof returned?.details === 'function') return returned;
  // Both a task and a generation have an id and a kind.
  const { kind, id: taskId }: Record<string, unknown> = isRecord(returned) ? returned : {};
  const problem =
    'its callback must return a submission, such as gateway.images.submission(params).';
  if (kind === undefined) throw rowError(id, `${problem} The batch sent nothing.`);
  throw rowError(
    id,
    `${problem} It submitted task ${textOf(taskId)} itself, which may have been charged.`,
    { task: returned instanceof Task ? returned : undefined, outcome: 'unknown' },
  );
}
