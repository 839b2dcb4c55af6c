import { isNonEmptyString } from '../../wire/types/type-guards.ts';
import type { ClientContext } from '../call/context.ts';
import type { CallerContext } from '../config/caller.ts';
import { checkOptions, checkValue, functionValue } from '../config/validation.ts';
import type { Rule } from '../config/validation.ts';
import { batchRules, recoverRules } from './options.ts';
import type { BatchOptions } from './options.ts';
import type { RowWork } from './pool/row-source.ts';
import { runRows } from './pool/run-rows.ts';
import type { AnySubmission, RowResult } from './results.ts';
import { rowError } from './row-errors.ts';
import { planRow } from './row/batch-plan.ts';
import { Row } from './row/row.ts';
import { runRow } from './row/run-row.ts';
import { createRunContext } from './run/context.ts';
import type { RunContext } from './run/context.ts';
import { beginRun, endRun } from './run/lifecycle.ts';
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

/** The result of a row, and the input that it was described from. */
type InputResult<Input> = RowResult & { input: Input };

/** Submits rows as slots become free, waits for their tasks, and yields each result as soon as it is available. */
export async function* runBatch<Input, Described extends AnySubmission>(
  client: ClientContext,
  enter: CallerContext,
  { inputs, describe, options, fetchModel }: BatchArguments<Input, Described>,
): AsyncGenerator<InputResult<Input>, void, undefined> {
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
  const rows = rowsOf({ inputs, describe, idOf, storeParams }, context);
  // Read at the end: the caller may add rows in the meantime.
  const countRows = () => (Array.isArray(inputs) ? inputs.length : undefined);
  try {
    yield* runRows({ rows, countRows, endsAtPause: true }, context);
  } finally {
    await endRun(context);
  }
}

/** What the rows of a batch are made of. */
interface RowInputs<Input> {
  readonly inputs: Iterable<Input> | AsyncIterable<Input>;
  readonly describe: Describe<Input, AnySubmission>;
  readonly idOf: BatchOptions<Input>['id'];
  readonly storeParams: boolean;
}

/** Creates the rows of a batch, as its inputs are pulled. */
async function* rowsOf<Input>(
  { inputs, describe, idOf, storeParams }: RowInputs<Input>,
  context: RunContext,
): AsyncGenerator<RowWork<InputResult<Input>>> {
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
      return planRow(row, { id, describe: () => describe(input, index), context, settings });
    };
    const run = async (onAccepted: () => void) => ({
      ...(await runRow(row, { makePlan, context, onAccepted })),
      input,
    });
    yield { row, run };
    count += 1;
  }
}

/** Checks the id that the caller has given a row, and adds it to those that are used. */
function unusedId(id: unknown, used: Set<string>): string {
  if (!isNonEmptyString(id) || used.has(id)) {
    throw rowError(id, 'its id must be a unique, non-empty string. Nothing was sent.');
  }
  used.add(id);
  return id;
}

/** Opens the journal, and returns the id of its run. */
async function openJournal(context: RunContext): Promise<string> {
  const { journal, config } = context;
  const runId = await journal.openRun();
  for (const { message } of journal.damaged) config.log.warn(() => message);
  await beginRun(context);
  return runId;
}
