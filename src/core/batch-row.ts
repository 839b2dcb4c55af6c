import { PolygateError } from '../errors/base.ts';
import { ConfigurationError } from '../errors/configuration.ts';
import { TaskFailedError } from '../errors/task-failed.ts';
import type { TaskUpdate, WaitOptions } from '../schemas/task-handle.ts';
import type { Generation, TaskKind } from '../schemas/task.ts';
import type { BatchJournal } from './batch-journal.ts';
import type { PumpOptions, Shift } from './pump.ts';
import type { Sender } from './send.ts';
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
}

/** Where and how a row is worked on. */
export interface Bench {
  readonly book: BatchJournal;
  readonly shift: Shift;
  readonly options: RecoverOptions;
}

/** Rows that are pulled ahead of the requests under way, so that no slot stays empty. */
const ahead = 16;

/** How much of a batch is done at once. */
export function limits(
  { config, shared }: Sender,
  { signal, maxInFlight: most = 1_000 }: RecoverOptions,
): PumpOptions {
  const concurrency = shared.governor.view();
  const room = () => (config.concurrency === false ? most : concurrency.inFlight + ahead);
  return { signal, most, room };
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
    const error = thrown instanceof Error ? thrown : new Error(String(thrown));
    return { ...facts(), status: isOpen(error) ? 'unknown' : 'failed', error };
  }
}

/** Whether a task may be there that goes on. */
function isOpen(error: Error): boolean {
  return PolygateError.is(error) && !TaskFailedError.is(error) && !isUnpaid(error);
}

/** Submits a row, and tells the journal what came of it. */
export async function submitRow<Kind extends TaskKind>(
  row: Row<Kind>,
  send: () => Promise<Task<Kind>>,
  book: BatchJournal,
): Promise<Task<Kind>> {
  try {
    const task = await send();
    await book.note({ v: 1, type: 'accepted', id: row.id, receipt: task.toJSON() });
    return task;
  } catch (error) {
    if (isUnpaid(error)) await book.note({ v: 1, type: 'refused', id: row.id });
    throw error;
  }
}

/** Waits for the task of a row, which needs no slot any more. */
export async function waitForRow<Kind extends TaskKind>(
  row: Row<Kind>,
  task: Task<Kind>,
  { book, shift, options }: Bench,
): Promise<Generation<Kind>> {
  row.task = task;
  shift.waiting();
  const { pollInterval, maxPollInterval, waitTimeout } = options;
  const { signal } = shift;
  const over = (status: 'succeeded' | 'failed') =>
    book.note({ v: 1, type: 'finished', id: row.id, status });
  try {
    const generation = await task.wait({ pollInterval, maxPollInterval, waitTimeout, signal });
    await over('succeeded');
    return generation;
  } catch (error) {
    if (TaskFailedError.is(error)) await over('failed');
    throw error;
  }
}

/** Whether it is certain that nothing was charged. */
function isUnpaid(error: unknown): boolean {
  if (!PolygateError.is(error) || error.task !== undefined) return false;
  const { outcome = 'unknown' } = error;
  return outcome !== 'unknown' || ConfigurationError.is(error);
}
