import { AbortedError } from '../../errors/aborted.ts';
import { PolygateError } from '../../errors/base.ts';
import { ConcurrencyLimitError } from '../../errors/status.ts';
import { ConfigurationError } from '../../errors/configuration.ts';
import { TaskFailedError } from '../../errors/tasks.ts';
import type { Journal } from '../../schemas/journal.ts';
import { textOf } from '../../schemas/record.ts';
import type { TaskUpdate, WaitOptions } from '../../schemas/task-handle.ts';
import type { Generation, TaskKind } from '../../schemas/task.ts';
import { BatchJournal } from './batch-journal.ts';
import type { Intent } from './journal-line.ts';
import { resolvePollTiming } from '../tasks/poll.ts';
import type { PollTiming } from '../tasks/poll.ts';
import { pump } from './run-concurrently.ts';
import type { Shift } from './run-concurrently.ts';
import { checkValue, positiveInteger } from '../config/validation.ts';
import type { ClientContext } from '../call/context.ts';
import { taskPollTiming } from '../tasks/task.ts';
import type { Task } from '../tasks/task.ts';

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

/** How a row becomes a task. */
export interface Plan<Kind extends TaskKind> {
  /** The task that the journal knows. */
  readonly task?: Task<Kind> | undefined;
  /** What is written down first; absent where an earlier process has done so. */
  readonly intent?: Intent | undefined;
  readonly send: () => Promise<Task<Kind>>;
}

/** Rows that are pulled ahead of the requests under way, so that no slot stays empty. */
const ahead = 16;

/** A row that was refused a slot does not come back for one sooner than this, ms. */
const leastPause = 1_000;

/** A batch under way. */
export class Works {
  readonly book: BatchJournal;
  readonly #sender: ClientContext;
  readonly #options: RecoverOptions;
  readonly #pace: PollTiming;

  constructor(sender: ClientContext, journal: Journal | undefined, options: RecoverOptions) {
    checkValue('maxInFlight', options.maxInFlight, positiveInteger);
    this.#pace = resolvePollTiming(options, taskPollTiming);
    this.book = new BatchJournal(journal, sender.config.log);
    this.#sender = sender;
    this.#options = options;
  }

  /** Works on rows as there is room, and yields what comes of each; what was taken is over for the journal. */
  async *deliver<Item, Result extends BatchResult>(
    items: AsyncIterable<Item>,
    work: (item: Item, shift: Shift) => Promise<Result>,
  ): AsyncGenerator<Result, void, undefined> {
    const { config, shared } = this.#sender;
    const { signal, maxInFlight: most = 1_000 } = this.#options;
    const governor = shared.concurrency.view();
    const room = () => (config.concurrency === false ? most : governor.inFlight + ahead);
    let noted: Promise<void> | undefined;
    for await (const result of pump(items, work, { signal, most, room })) {
      yield result;
      const { id, task, status } = result;
      if (task && status !== 'unknown')
        noted = this.book.note({ v: 1, type: 'finished', id, status });
    }
    await noted;
  }

  /** The result of a row: its generation, or why there is none. */
  async result<Kind extends TaskKind>(
    row: Row<Kind>,
    { signal, waiting }: Shift,
    planOf: () => Promise<Plan<Kind>>,
  ): Promise<BatchResult<Kind>> {
    const facts = () => ({ id: row.id, idempotencyKey: row.key, task: row.task });
    try {
      const plan = await planOf();
      signal.throwIfAborted();
      row.task = plan.task ?? (await this.#submit(row, plan, signal));
      waiting();
      const generation = await row.task.wait({ ...this.#pace, signal });
      return { ...facts(), status: 'succeeded', generation };
    } catch (cause) {
      const error = cause instanceof Error ? cause : new Error(textOf(cause) ?? '', { cause });
      const status = row.open && !TaskFailedError.is(error) ? 'unknown' : 'failed';
      return { ...facts(), status, error };
    }
  }

  /**
   * What a row is going to do is written down before it is sent, and what came of it after. Where an earlier process has
   * begun it, a refusal says nothing: that process may have been charged.
   */
  async #submit<Kind extends TaskKind>(
    row: Row<Kind>,
    { intent, send }: Plan<Kind>,
    signal: AbortSignal,
  ): Promise<Task<Kind>> {
    const { id } = row;
    if (intent !== undefined) await this.book.write({ v: 1, type: 'submit', id, ...intent });
    row.open = true;
    try {
      const task = await this.#patiently(send, signal);
      // A finished answer may name no task: only its key can ask again.
      if (task.id) await this.book.note({ v: 1, type: 'accepted', id, receipt: task.toJSON() });
      return task;
    } catch (error) {
      row.open = intent === undefined || !isUnpaid(error);
      if (!row.open && !AbortedError.is(error)) await this.book.note({ v: 1, type: 'refused', id });
      throw error;
    }
  }

  /** Where running tasks hold the slots, a row waits for its own longer than a single request would. */
  async #patiently<Result>(send: () => Promise<Result>, signal: AbortSignal): Promise<Result> {
    const { concurrency, clock } = this.#sender.config;
    for (;;) {
      try {
        return await send();
      } catch (error) {
        const mayWait = concurrency !== false && ConcurrencyLimitError.is(error);
        if (!mayWait || error.outcome === 'unknown') throw error;
        const pause = Math.max(leastPause, error.retryAfterMs ?? 0);
        await clock.sleep(pause, signal).catch((cause: unknown) => {
          throw new AbortedError('Aborted by the caller.', { cause, outcome: 'not-sent' });
        });
      }
    }
  }
}

/** Whether it is certain that nothing was charged. */
function isUnpaid(error: unknown): boolean {
  if (!PolygateError.is(error) || error.task !== undefined) return false;
  return (error.outcome ?? 'unknown') !== 'unknown' || ConfigurationError.is(error);
}
