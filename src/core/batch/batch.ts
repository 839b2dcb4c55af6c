import { ConfigurationError } from '../../errors/configuration.ts';
import { isNonEmptyString, isRecord, textOf } from '../../types/type-guards.ts';
import type { ClientContext } from '../call/context.ts';
import { ChatSubmission } from '../chat/chat-submission.ts';
import type { CallerContext } from '../config/caller-context.ts';
import { checkOptions, checkValue, functionValue } from '../config/validation.ts';
import type { Rule } from '../config/validation.ts';
import { Task } from '../tasks/task.ts';
import { batchRules, recoverRules } from './options.ts';
import type { BatchOptions } from './options.ts';
import type { RowWork } from './pool/row-source.ts';
import { runRows } from './pool/run-rows.ts';
import type { AnySubmission, RowResult } from './results.ts';
import { rowError } from './row-errors.ts';
import { planChat } from './row/chat-plan.ts';
import type { RowPlan } from './row/row-plan.ts';
import { Row } from './row/row.ts';
import { runRow } from './row/run-row.ts';
import { planTask } from './row/task-plan.ts';
import { beginRun, createRunContext, endRun } from './run/context.ts';
import type { RunContext } from './run/context.ts';
import type { FetchModel } from './run/prices.ts';

const iterableRule: Rule = [
  (value) => Symbol.iterator in Object(value) || Symbol.asyncIterator in Object(value),
  'an iterable',
];

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
export async function* runBatch<Input, Described extends AnySubmission>(
  client: ClientContext,
  enter: CallerContext,
  { inputs, describe, options, fetchModel }: BatchArguments<Input, Described>,
): AsyncGenerator<RowResult & { input: Input }, void, undefined> {
  checkOptions(options, batchRules, recoverRules);
  checkValue('inputs', inputs ?? null, iterableRule);
  checkValue('describe', describe ?? null, functionValue);
  const { id: idOf, journal, storeParams = journal?.storeParams ?? false, ...shared } = options;
  const context = createRunContext({
    client,
    journal,
    enter,
    fetchModel,
    pausesAtBudget: true,
    options: shared,
  });
  const usedIds = new Set<string>();

  /** Returns the id of a row. Without a valid one, the row is reported under its position. */
  const identify = (input: Input, index: number): string => {
    if (!idOf) return String(index);
    const id = idOf(input, index);
    if (!isNonEmptyString(id) || usedIds.has(id)) {
      throw rowError(id, 'its id must be a unique, non-empty string. Nothing was sent.');
    }
    usedIds.add(id);
    return id;
  };

  const rows = async function* (): AsyncGenerator<RowWork<RowResult & { input: Input }>> {
    // Before the first input is pulled: the keys of all rows are derived from the run of the journal.
    const settings = { runId: await openJournal(context), storeParams };
    let count = 0;
    for await (const input of inputs) {
      const index = count;
      const row = new Row(String(index));
      const makePlan = async () => {
        const id = identify(input, index);
        return planRow(row, { id, describe: () => describe(input, index), context, settings });
      };
      const run = async (onAccepted: () => void) => ({
        ...(await runRow(row, { makePlan, context, onAccepted })),
        input,
      });
      yield { row, run };
      count += 1;
    }
  };

  // Read at the end: the caller may add rows in the meantime.
  const countRows = () => (Array.isArray(inputs) ? inputs.length : undefined);
  try {
    yield* runRows({ rows: rows(), countRows, endsAtPause: true }, context);
  } finally {
    await endRun(context);
  }
}

/** Opens the journal, and returns the id of its run. */
async function openJournal(context: RunContext): Promise<string> {
  const { journal, config } = context;
  const runId = await journal.openRun();
  for (const { message } of journal.damaged) config.log.warn(() => message);
  await beginRun(context);
  return runId;
}

/** What a row is planned from. */
interface RowDescription {
  readonly id: string;
  readonly describe: () => AnySubmission | Promise<AnySubmission>;
  readonly context: RunContext;
  readonly settings: { readonly runId: string; readonly storeParams: boolean };
}

/** Recalls what earlier runs recorded about a row, and plans it. */
async function planRow(
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
    // The first lock reads the journal again: another process may have worked on it before.
    row.identify(id, earlier.recall(id));
    return await planChat(row, submission, context, settings);
  } finally {
    earlier.forget(id);
  }
}

/**
 * Locks the journal before the first chat of a batch. If it cannot be locked, the batch pauses, and ends with the error.
 */
async function lockForChats({
  journal,
  pause,
}: Pick<RunContext, 'journal' | 'pause'>): Promise<void> {
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
