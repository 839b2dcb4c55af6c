import { ConfigurationError } from '../../errors/configuration.ts';
import { unchecked } from '../../types/schema.ts';
import type { Journal } from '../../types/tasks/journal.ts';
import type { TaskKind } from '../../types/tasks/task.ts';
import { isNonEmptyString, isRecord, textOf } from '../../types/type-guards.ts';
import type { ClientContext } from '../call/context.ts';
import { ChatSubmission } from '../chat/chat-submission.ts';
import { captureContext } from '../config/caller-context.ts';
import type { CallerContext } from '../config/caller-context.ts';
import { booleanValue, checkOptions, checkValue, functionValue } from '../config/validation.ts';
import type { Rule, Rules } from '../config/validation.ts';
import type { Submission } from '../tasks/submission.ts';
import { Task } from '../tasks/task.ts';
import { journalRule } from './journal/batch-journal.ts';
import { runConcurrently } from './pool/run-rows.ts';
import type { BatchResult, ChatResult, RowResult } from './results.ts';
import { rowError } from './row/charge-rules.ts';
import { planChat } from './row/chat-plan.ts';
import type { RowPlan } from './row/row-plan.ts';
import type { BatchItem } from './row/row.ts';
import { identify, runItem } from './row/run-row.ts';
import { planTask } from './row/task-plan.ts';
import { beginRun, createBatchContext, endRun, recoverRules } from './run/context.ts';
import type { BatchContext, FetchModel, RecoverOptions } from './run/context.ts';

/** Options of `gateway.batch`. The wait options apply to each row. */
export interface BatchOptions<Input> extends RecoverOptions {
  /**
   * Returns the id of a row: a non-empty string that is unique in the batch and the same in every process. The row's
   * idempotency key is derived from it.
   * @defaultValue the position of the row, from 0
   */
  id?: ((input: Input, index: number) => string) | undefined;
  /** Records the progress of the batch, so that no row is charged twice when the batch is run again after a crash. */
  journal?: Journal | undefined;
  /**
   * Whether the journal also stores params, including prompts. With them, `gateway.recover` can resubmit rows without
   * their inputs. The completions of chats are stored in any case, and may quote their prompts.
   * @defaultValue the journal's `storeParams`, otherwise false
   */
  storeParams?: boolean | undefined;
}

/** The rules of the options of a batch, besides those of a recovery. */
const batchRules: Rules = {
  id: functionValue,
  journal: journalRule,
  storeParams: booleanValue,
};

const iterableRule: Rule = [
  (value) => Symbol.iterator in Object(value) || Symbol.asyncIterator in Object(value),
  'an iterable',
];

/** The result of a row of `gateway.batch` that submits a task. */
export type BatchRow<Input, Kind extends TaskKind = TaskKind> = BatchResult<Kind> & {
  /** The row as passed to the batch. */
  readonly input: Input;
};

/** The result of a row of `gateway.batch` that sends a chat. `Output` is that of its schema, if it has one. */
export type ChatRow<Input, Output = never> = ChatResult<Output> & {
  /** The row as passed to the batch. */
  readonly input: Input;
};

/** The submission of any row. */
export type AnySubmission = Submission | ChatSubmission<unknown>;

/** The result of a row with the given submission. */
export type RowOf<Input, Described> = [Described] extends [never]
  ? BatchRow<Input>
  :
      | ([Described & Submission] extends [never]
          ? never
          : Extract<Described, Submission> extends Submission<infer Kind>
            ? [Extract<Described, Submission>] extends [never]
              ? never
              : BatchRow<Input, Kind>
            : never)
      | (Described extends ChatSubmission<infer Output> ? ChatRow<Input, Output> : never);

/** Returns the submission of a row. */
export type Describe<Input, Described extends AnySubmission> = (
  input: Input,
  index: number,
) => Described | Promise<Described>;

/** A batch, as the client passes it on. */
export interface BatchArguments<Input, Described extends AnySubmission> {
  readonly inputs: Iterable<Input> | AsyncIterable<Input>;
  readonly describe: Describe<Input, Described>;
  readonly options: BatchOptions<Input>;
  readonly fetchModel: FetchModel;
}

/** Submits rows as slots become free, waits for their tasks, and yields each result as soon as it is available. */
export function batch<Input, Described extends AnySubmission>(
  client: ClientContext,
  given: BatchArguments<Input, Described>,
): AsyncGenerator<RowOf<Input, Described>, void, undefined> {
  // Not in the generator, which runs when the caller takes the first result.
  return unchecked(generateRows(client, captureContext(client.config), given));
}

async function* generateRows<Input, Described extends AnySubmission>(
  client: ClientContext,
  enterCaller: CallerContext,
  { inputs, describe, options, fetchModel }: BatchArguments<Input, Described>,
): AsyncGenerator<RowResult & { input: Input }, void, undefined> {
  checkOptions(options, batchRules, recoverRules);
  checkValue('inputs', inputs ?? null, iterableRule);
  checkValue('describe', describe ?? null, functionValue);
  const { id: idOf, journal, storeParams = journal?.storeParams ?? false, ...shared } = options;
  const context = createBatchContext(
    client,
    journal,
    enterCaller,
    { fetchModel, isBatch: true },
    shared,
  );
  const lines = context.journal;
  const usedIds = new Set<string>();
  let runId = '';

  // Opens the journal before the first input is pulled: the keys of all rows are derived from its run.
  const rows = async function* () {
    runId = await lines.openRun();
    for (const { message } of lines.damaged) client.config.log.warn(() => message);
    await beginRun(context);
    let index = 0;
    for await (const input of inputs) {
      // Without a valid id, the row is reported under its position.
      const item: BatchItem = identify(String(index));
      yield { input, index, item };
      index += 1;
    }
  };

  const enterRow = async (input: Input, index: number, item: BatchItem) => {
    let { id } = item;
    if (idOf) {
      id = idOf(input, index);
      if (!isNonEmptyString(id) || usedIds.has(id)) {
        throw rowError(id, 'its id must be a unique, non-empty string. Nothing was sent.');
      }
    }
    usedIds.add(id);
    Object.assign(item, identify(id, lines.recall(id)));
    try {
      const submission: AnySubmission = checkSubmission(id, await describe(input, index));
      const settings = { runId, storeParams };
      if (!(submission instanceof ChatSubmission)) {
        return await planTask(item, submission, context, settings);
      }
      await lockForChats(context);
      // The first lock reads the journal again: another process may have worked on it before.
      Object.assign(item, identify(id, lines.recall(id)));
      return await planChat(item, submission, context, settings);
    } finally {
      lines.forget(id);
    }
  };

  const runRow = async (
    { input, index, item }: { input: Input; index: number; item: BatchItem },
    controller: AbortController,
    markIdle: () => void,
  ) => {
    const enter = (): Promise<RowPlan<unknown>> => enterRow(input, index, item);
    const result = await runItem(item, enter, context, controller, markIdle);
    const { history, isDurable = false } = item;
    return { result: { ...result, input }, recorded: history.status, isDurable };
  };

  // Read at the end: the caller may add rows in the meantime.
  const countRows = () => (Array.isArray(inputs) ? inputs.length : undefined);
  try {
    yield* runConcurrently(rows(), runRow, context, { countRows, endsAtPause: true });
  } finally {
    await endRun(context);
  }
}

/**
 * Locks the journal before the first chat of a batch. If it cannot be locked, the batch pauses, and ends with the error.
 */
async function lockForChats({ journal, pause }: BatchContext): Promise<void> {
  try {
    await journal.lock(true);
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
