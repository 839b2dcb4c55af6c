import type { Journal } from '../../types/tasks/journal.ts';
import type { TaskKind } from '../../types/tasks/task.ts';
import { isNonEmptyString, isRecord, textOf } from '../../types/type-guards.ts';
import type { ClientContext } from '../call/context.ts';
import { captureContext } from '../config/caller-context.ts';
import type { CallerContext } from '../config/caller-context.ts';
import { booleanValue, checkOptions, checkValue, functionValue } from '../config/validation.ts';
import type { Rule, Rules } from '../config/validation.ts';
import type { Submission } from '../tasks/submission.ts';
import { Task } from '../tasks/task.ts';
import { createBatchContext, recoverRules } from './batch-context.ts';
import type { RecoverOptions } from './batch-context.ts';
import { identify, plan, rowError, runItem } from './batch-item.ts';
import { journalRule } from './batch-journal.ts';
import type { BatchResult } from './batch-result.ts';
import type { BatchItem } from './row-state.ts';
import { runConcurrently } from './run-concurrently.ts';

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
   * their inputs.
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

/** The result of a row of `gateway.batch`. */
export type BatchRow<Input, Kind extends TaskKind = TaskKind> = BatchResult<Kind> & {
  /** The row as passed to the batch. */
  readonly input: Input;
};

/** Submits rows as slots become free, waits for their tasks, and yields each result as soon as it is available. */
export function batch<Input, Kind extends TaskKind>(
  client: ClientContext,
  inputs: Iterable<Input> | AsyncIterable<Input>,
  describe: (input: Input, index: number) => Submission<Kind> | Promise<Submission<Kind>>,
  options: BatchOptions<Input>,
): AsyncGenerator<BatchRow<Input, Kind>, void, undefined> {
  // Not in the generator, which runs when the caller takes the first result.
  return generateRows(client, captureContext(client.config), inputs, describe, options);
}

async function* generateRows<Input, Kind extends TaskKind>(
  client: ClientContext,
  enterCaller: CallerContext,
  inputs: Iterable<Input> | AsyncIterable<Input>,
  describe: (input: Input, index: number) => Submission<Kind> | Promise<Submission<Kind>>,
  options: BatchOptions<Input>,
): AsyncGenerator<BatchRow<Input, Kind>, void, undefined> {
  checkOptions(options, batchRules, recoverRules);
  checkValue('inputs', inputs ?? null, iterableRule);
  checkValue('describe', describe ?? null, functionValue);
  const { id: idOf, journal, storeParams = journal?.storeParams ?? false, ...shared } = options;
  const context = createBatchContext(client, journal, enterCaller, shared);
  const lines = context.journal;
  const usedIds = new Set<unknown>();
  let runId = '';

  // Opens the journal before the first input is pulled: the keys of all rows are derived from its run.
  const rows = async function* () {
    runId = await lines.openRun();
    for (const { message } of lines.damaged) client.config.log.warn(() => message);
    let index = 0;
    for await (const input of inputs) {
      // Without a valid id, the row is reported under its position.
      const item: BatchItem<Kind> = identify(String(index));
      yield { input, index, item };
      index += 1;
    }
  };

  const runRow = async (
    { input, index, item }: { input: Input; index: number; item: BatchItem<Kind> },
    controller: AbortController,
    markIdle: () => void,
  ) => {
    const enter = async () => {
      let { id } = item;
      if (idOf) {
        id = idOf(input, index);
        if (!isNonEmptyString(id) || usedIds.has(id)) {
          throw rowError(id, 'its id must be a unique, non-empty string. Nothing was sent.');
        }
        usedIds.add(id);
      }
      Object.assign(item, identify(id, lines.rows.get(id)));
      // Each row needs its history only once, so its memory can be freed.
      lines.rows.delete(id);
      return plan(item, checkSubmission(id, await describe(input, index)), runId, storeParams);
    };
    const result = await runItem(item, enter, context, controller, markIdle);
    return { result: { ...result, input }, recorded: item.history.status };
  };

  // Read at the end: the caller may add rows in the meantime.
  const countRows = () => (Array.isArray(inputs) ? inputs.length : undefined);
  yield* runConcurrently(rows(), runRow, context, { countRows, endsAtPause: true });
}

/** Checks what a row callback returned. Without types, it may be the params, or the result of `submit`. */
function checkSubmission<Kind extends TaskKind>(
  id: string,
  returned: Submission<Kind>,
): Submission<Kind> {
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
