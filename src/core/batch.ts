import { ConfigurationError } from '../errors/configuration.ts';
import type { Journal } from '../schemas/journal.ts';
import type { Generation, TaskKind } from '../schemas/task.ts';
import { BatchJournal } from './batch-journal.ts';
import { limits, resultOf, submitRow, waitForRow } from './batch-row.ts';
import type { BatchResult, Bench, RecoverOptions, Row } from './batch-row.ts';
import { fingerprint } from './fingerprint.ts';
import { pump } from './pump.ts';
import type { Sender } from './send.ts';
import type { Submission } from './submission.ts';

/** Options of `gateway.batch`; those of a wait hold for each row. */
export interface BatchOptions<Input> extends RecoverOptions {
  /**
   * A row's own name, the same in every process: its idempotency key is derived from it.
   * @defaultValue the row's position
   */
  id?: ((input: Input, index: number) => string) | undefined;
  /** Where the batch writes down what it does, so that the next process pays no row twice. */
  journal?: Journal | undefined;
  /**
   * Whether params, prompts among them, are written down too: `gateway.recover` can then ask again by itself.
   * @defaultValue false
   */
  storeParams?: boolean | undefined;
}

/** What came of a row of `gateway.batch`. */
export type BatchRow<Input, Kind extends TaskKind = TaskKind> = BatchResult<Kind> & {
  /** The row as it was given. */
  readonly input: Input;
};

/** Describes the submit of a row. */
export type Describe<Input, Kind extends TaskKind> = (
  input: Input,
  index: number,
) => Submission<Kind> | Promise<Submission<Kind>>;

/** Submits rows as slots come free, waits for their tasks, and yields each result as soon as it is there. */
export async function* batch<Input, Kind extends TaskKind>(
  sender: Sender,
  inputs: Iterable<Input> | AsyncIterable<Input>,
  describe: Describe<Input, Kind>,
  options: BatchOptions<Input>,
): AsyncGenerator<BatchRow<Input, Kind>, void, undefined> {
  const { journal, id: nameOf = (_, index) => String(index) } = options;
  const { log } = sender.config;
  const book = new BatchJournal(journal, log);
  const run = await book.run();
  for (const { message } of book.damaged) log.warn(() => message);
  const storeParams = options.storeParams ?? journal?.storeParams ?? false;
  const names = new Set<string>();
  let count = 0;
  yield* pump(
    inputs,
    async (input, shift) => {
      const index = count;
      count += 1;
      const row: Row<Kind> = { id: String(index) };
      const result = await resultOf(row, async () => {
        row.id = nameOf(input, index);
        checkName(row.id, names);
        const submission = await describe(input, index);
        return work(row, submission, { run, storeParams }, { book, shift, options });
      });
      return { ...result, input };
    },
    limits(sender, options),
  );
}

async function work<Kind extends TaskKind>(
  row: Row<Kind>,
  submission: Submission<Kind>,
  { run, storeParams }: { run: string; storeParams: boolean },
  bench: Bench,
): Promise<Generation<Kind>> {
  const { book, shift } = bench;
  const { id } = row;
  const { intent, receipt, refused } = book.rows.get(id) ?? {};
  const { idempotencyKey, ...facts } = await submission.facts(storeParams);
  const same = intent === undefined || intent.hash === facts.hash;
  if (!same && refused !== true) {
    throw refusal(id, 'the journal has other params under this id; give them another');
  }
  const told = same ? intent?.key : undefined;
  const key = told ?? idempotencyKey ?? (await keyOf(run, id, same ? '' : facts.hash));
  row.key = key;
  if (receipt !== undefined) return waitForRow(row, submission.task(receipt), bench);
  if (intent === undefined || refused === true) {
    await book.write({ v: 1, type: 'submit', id, key, ...facts });
  }
  const send = () => submission.send({ idempotencyKey: key, signal: shift.signal });
  return waitForRow(row, await submitRow(row, send, book), bench);
}

/** What was refused may be asked anew with other params, which makes it another request. */
async function keyOf(run: string, id: string, change: string): Promise<string> {
  return `pg-${await fingerprint(run, id, change)}`;
}

function checkName(id: unknown, names: Set<string>): void {
  if (typeof id !== 'string' || id === '') throw refusal('?', 'its id must be a text');
  if (names.has(id)) throw refusal(id, 'another row of this batch has the same id');
  names.add(id);
}

function refusal(id: string, why: string): ConfigurationError {
  return new ConfigurationError(`row ${id}: ${why}. Nothing was sent.`);
}
