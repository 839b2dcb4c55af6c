import { AbortedError } from '../errors/aborted.ts';
import { PolygateError } from '../errors/base.ts';
import { ConfigurationError } from '../errors/configuration.ts';
import { TaskFailedError } from '../errors/task-failed.ts';
import { textOf } from '../schemas/record.ts';
import type { TaskUpdate, WaitOptions } from '../schemas/task-handle.ts';
import type { Generation, TaskKind } from '../schemas/task.ts';
import type { BatchJournal } from './batch-journal.ts';
import type { Intent } from './journal-line.ts';
import { readPace } from './poll.ts';
import { pump } from './pump.ts';
import type { Shift } from './pump.ts';
import { check, count } from './rules.ts';
import type { Sender } from './send.ts';
import { taskPace } from './task.ts';
import type { Task } from './task.ts';

/** What came of a row. */
export type BatchResult<Kind extends TaskKind = TaskKind> = {
  /** The row's name; of a damaged line of the journal it is empty. */
  readonly id: string;
  /** The key that it was submitted with. */
  readonly idempotencyKey?: string | undefined;
  /** Its task, once it was accepted. */
  readonly task?: Task<Kind> | undefined;
} & (
  | {
      readonly status: 'succeeded';
      /** The finished generation. */
      readonly generation: Generation<Kind>;
      readonly error?: undefined;
    }
  | {
      /**
       * `failed` is final: the task failed, or nothing was charged. `unknown` is open: the task goes on, or nobody knows
       * whether there is one. The same batch over the same journal asks again, and nothing is paid twice.
       */
      readonly status: 'failed' | 'unknown';
      readonly generation?: undefined;
      /** Why. */
      readonly error: Error;
    }
);

/** Options of `gateway.recover` and `gateway.batch`; those of a wait hold for each row. */
export interface RecoverOptions extends Omit<WaitOptions<TaskUpdate>, 'onUpdate'> {
  /**
   * Rows on their way at once: submitted, waited for, or with a result that was not taken yet.
   * @defaultValue 1 000
   */
  maxInFlight?: number | undefined;
}

/** What a row is, as far as it is known. */
export interface Row<Kind extends TaskKind> {
  id: string;
  key?: string | undefined;
  task?: Task<Kind> | undefined;
  /** It may have been charged, by this process or an earlier one. */
  open?: boolean | undefined;
}

/** Where and how a row is worked on. */
export interface Bench {
  readonly book: BatchJournal;
  readonly shift: Shift;
  readonly options: RecoverOptions;
}

/** Rows that are pulled ahead of the requests under way, so that no slot stays empty. */
const ahead = 16;

/** Works on rows as there is room, and yields what comes of each; what was taken is over for the journal. */
export async function* deliver<Item, Result extends BatchResult>(
  { config, shared }: Sender,
  book: BatchJournal,
  items: AsyncIterable<Item>,
  work: (item: Item, shift: Shift) => Promise<Result>,
  options: RecoverOptions,
): AsyncGenerator<Result, void, undefined> {
  const { signal, maxInFlight: most = 1_000 } = options;
  check('maxInFlight', most, count);
  readPace(options, taskPace);
  const governor = shared.governor.view();
  const room = () => (config.concurrency === false ? most : governor.inFlight + ahead);
  let noted: Promise<void> | undefined;
  for await (const result of pump(items, work, { signal, most, room })) {
    yield result;
    const { id, task, status } = result;
    if (task && status !== 'unknown') noted = book.note({ v: 1, type: 'finished', id, status });
  }
  await noted;
}

/** The result of a row: what `work` finds, or why it could not. */
export async function resultOf<Kind extends TaskKind>(
  row: Row<Kind>,
  work: () => Promise<Generation<Kind>>,
): Promise<BatchResult<Kind>> {
  const facts = () => ({ id: row.id, idempotencyKey: row.key, task: row.task });
  try {
    const generation = await work();
    return { ...facts(), status: 'succeeded', generation };
  } catch (thrown) {
    const error =
      thrown instanceof Error
        ? thrown
        : new Error(textOf(thrown) ?? 'not an error', { cause: thrown });
    const status = row.open && !TaskFailedError.is(error) ? 'unknown' : 'failed';
    return { ...facts(), status, error };
  }
}

/**
 * Submits a row. What it is going to do is written down before it is sent, and what came of it after. Where an earlier
 * process has begun it, a refusal says nothing: that process may have been charged.
 */
export async function submitRow<Kind extends TaskKind>(
  row: Row<Kind>,
  send: () => Promise<Task<Kind>>,
  { book, shift }: Bench,
  intent?: Intent,
): Promise<Task<Kind>> {
  const { id } = row;
  shift.signal.throwIfAborted();
  if (intent !== undefined) await book.write({ v: 1, type: 'submit', id, ...intent });
  row.open = true;
  try {
    const task = await send();
    // A finished answer may name no task: only its key can ask again.
    if (task.id !== '') await book.note({ v: 1, type: 'accepted', id, receipt: task.toJSON() });
    return task;
  } catch (error) {
    row.open = intent === undefined || !isUnpaid(error);
    if (!row.open && !AbortedError.is(error)) await book.note({ v: 1, type: 'refused', id });
    throw error;
  }
}

/** Waits for the task of a row, which needs no slot any more. */
export function waitForRow<Kind extends TaskKind>(
  row: Row<Kind>,
  task: Task<Kind>,
  { shift, options }: Bench,
): Promise<Generation<Kind>> {
  row.task = task;
  shift.waiting();
  const { pollInterval, maxPollInterval, waitTimeout } = options;
  return task.wait({ pollInterval, maxPollInterval, waitTimeout, signal: shift.signal });
}

/** Whether it is certain that nothing was charged. */
function isUnpaid(error: unknown): boolean {
  if (!PolygateError.is(error) || error.task !== undefined) return false;
  return (error.outcome ?? 'unknown') !== 'unknown' || ConfigurationError.is(error);
}
