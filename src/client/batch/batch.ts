import { ConfigurationError } from '../../errors/base.ts';
import { isNonEmptyString, isRecord, textOf } from '../../wire/types/type-guards.ts';
import type { ClientContext } from '../call/context.ts';
import { ChatSubmission } from '../chat/chat-submission.ts';
import type { CallerContext } from '../config/caller.ts';
import { checkOptions, checkValue, functionValue } from '../config/validation.ts';
import type { Rule } from '../config/validation.ts';
import { Task } from '../tasks/task.ts';
import type { FetchModel } from './budget-decisions.ts';
import { batchRules, recoverRules } from './options.ts';
import type { BatchOptions } from './options.ts';
import type { AnySubmission, RowResult } from './results.ts';
import { rowError, unsentRowError } from './row-errors.ts';
import { planChat, planTask } from './row-plan.ts';
import type { RowPlan } from './row-plan.ts';
import type { RowWork } from './row-pool.ts';
import { Row } from './row.ts';
import { runRow, runRows } from './run-rows.ts';
import { createRunContext, beginRun, endRun } from './run.ts';
import type { RunContext } from './run.ts';

const iterableRule: Rule = [
  (value) => Symbol.iterator in Object(value) || Symbol.asyncIterator in Object(value),
  'an iterable',
];

/** A batch, as the client passes it on. */
export interface BatchArguments<Input, Described extends AnySubmission> {
  readonly inputs: Iterable<Input> | AsyncIterable<Input>;
  /** Returns the submission of a row. */
  readonly describe: (input: Input, index: number) => Described | Promise<Described>;
  readonly options: BatchOptions<Input>;
  readonly fetchModel: FetchModel;
}

/** Submits rows as slots become free, waits for their tasks, and yields each result as soon as it is available. */
export async function* runBatch<Input, Described extends AnySubmission>(
  client: ClientContext,
  enter: CallerContext,
  given: BatchArguments<Input, Described>,
): AsyncGenerator<RowResult, void, undefined> {
  const { inputs, describe, options, fetchModel } = given;
  checkOptions(options, batchRules, recoverRules);
  checkValue('inputs', inputs ?? null, iterableRule);
  checkValue('describe', describe ?? null, functionValue);
  const { id, storeParams, ...shared } = options;
  const context = createRunContext(client, enter, { ...shared, fetchModel, pausesAtBudget: true });
  const rows = rowsOf(given, context);
  // Read at the end: the caller may add rows in the meantime.
  const countRows = () => (Array.isArray(inputs) ? inputs.length : undefined);
  try {
    yield* runRows({ rows, countRows, endsAtPause: true }, context);
  } finally {
    await endRun(context);
  }
}

/** Creates the rows of a batch, as its inputs are pulled. */
async function* rowsOf<Input>(
  { inputs, describe, options }: BatchArguments<Input, AnySubmission>,
  context: RunContext,
): AsyncGenerator<RowWork> {
  const { id: idOf, journal, storeParams = journal?.storeParams ?? false } = options;
  // Before the first input is pulled: the keys of all rows are derived from the run of the journal.
  const settings = { runId: await openJournal(context), storeParams };
  const usedIds = new Set<string>();
  let count = 0;
  for await (const input of inputs) {
    const index = count;
    // Without a valid id, the row is reported under its position.
    const row = new Row(String(index));
    const makePlan = async () => {
      const id = idOf ? unusedId(idOf(input, index), usedIds) : row.id;
      return planRow(row, id, () => describe(input, index), settings, context);
    };
    const run = async (onAccepted: () => void) => ({
      ...(await runRow(row, context, makePlan, onAccepted)),
      input,
    });
    yield { row, run };
    count += 1;
  }
}

/** Opens the journal, and returns the id of its run. */
async function openJournal(context: RunContext): Promise<string> {
  const { journal, config } = context;
  const runId = await journal.openRun();
  for (const { message } of journal.contents.damaged) config.log.warn(() => message);
  await beginRun(context);
  return runId;
}

/** Checks the id that the caller has given a row, and adds it to those that are used. */
function unusedId(id: unknown, used: Set<string>): string {
  if (!isNonEmptyString(id) || used.has(id)) {
    throw unsentRowError(id, 'its id must be a unique, non-empty string.');
  }
  used.add(id);
  return id;
}

/** Recalls what earlier runs recorded about a row of a batch, and plans it. */
async function planRow(
  row: Row,
  id: string,
  describe: () => AnySubmission | Promise<AnySubmission>,
  settings: { readonly runId: string; readonly storeParams: boolean },
  context: RunContext,
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
async function lockForChats({ journal, pause }: RunContext): Promise<void> {
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
