import { ConfigurationError } from '../../errors/configuration.ts';
import type { Journal } from '../../schemas/journal.ts';
import { isNonEmptyString, textOf } from '../../schemas/record.ts';
import type { TaskKind } from '../../schemas/task.ts';
import { Works } from './runner.ts';
import type { BatchResult, RecoverOptions, Row } from './runner.ts';
import { fingerprint } from '../call/fingerprint.ts';
import type { Shift } from './run-concurrently.ts';
import type { ClientContext } from '../call/context.ts';
import type { Submission } from '../tasks/submission.ts';

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
  sender: ClientContext,
  inputs: Iterable<Input> | AsyncIterable<Input>,
  describe: Describe<Input, Kind>,
  options: BatchOptions<Input>,
): AsyncGenerator<BatchRow<Input, Kind>, void, undefined> {
  const { journal, id: nameOf } = options;
  const works = new Works(sender, journal, options);
  const { book } = works;
  const storeParams = options.storeParams ?? journal?.storeParams ?? false;
  const names = new Set<unknown>();
  let run = '';
  let count = 0;
  const rows = async function* () {
    run = await book.run();
    for (const { message } of book.damaged) sender.config.log.warn(() => message);
    yield* inputs;
  };
  const work = async (input: Input, shift: Shift): Promise<BatchRow<Input, Kind>> => {
    const index = count;
    count += 1;
    const row: Row<Kind> = { id: String(index) };
    const result = await works.result(row, shift, async () => {
      if (nameOf !== undefined) row.id = uniqueName(nameOf(input, index), names);
      const { id } = row;
      const { open, key: told, hash, receipt } = book.take(id);
      row.open = open;
      row.key = told;
      const submission = await describe(input, index);
      const { idempotencyKey: given, ...facts } = await submission.facts(storeParams);
      // What was refused may be asked anew with other params, which makes it another request.
      const change = hash === undefined || hash === facts.hash ? '' : facts.hash;
      if (open && change) throw refusal(id, 'its params are not those in the journal; rename it');
      const kept = change ? undefined : told;
      const key =
        (open ? kept : undefined) ?? given ?? kept ?? `pg-${await fingerprint(run, id, change)}`;
      row.key = key;
      return {
        task: receipt && submission.task(receipt),
        intent: open ? undefined : { key, ...facts },
        send: () => submission.send({ idempotencyKey: key, signal: shift.signal }),
      };
    });
    return { ...result, input };
  };
  yield* works.deliver(rows(), work);
}

function uniqueName(id: unknown, names: Set<unknown>): string {
  if (!isNonEmptyString(id) || names.has(id)) {
    throw refusal(id, 'its id must be a text that no other row has');
  }
  names.add(id);
  return id;
}

function refusal(id: unknown, why: string): ConfigurationError {
  return new ConfigurationError(`row ${textOf(id) ?? '?'}: ${why}. Nothing was sent.`);
}
