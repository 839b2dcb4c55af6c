import type { Journal } from '../../schemas/journal.ts';
import type { TaskUpdate, WaitOptions } from '../../schemas/task-handle.ts';
import { throwToCaller } from '../call/caller-stack.ts';
import type { ClientContext } from '../call/context.ts';
import type { Config } from '../config/config.ts';
import { parseHeaderChanges } from '../config/header-changes.ts';
import { positiveInteger } from '../config/validation.ts';
import type { Rules } from '../config/validation.ts';
import type { ClientSlots } from '../limits/concurrency-limiter.ts';
import { waitRules } from '../tasks/poll.ts';
import { finishedLine } from './batch-item.ts';
import type { BatchContext } from './batch-item.ts';
import { BatchJournal } from './batch-journal.ts';
import type { BatchResult } from './batch-result.ts';
import { createHalt } from './halt.ts';
import { runConcurrently } from './run-concurrently.ts';
import type { WorkerContext } from './run-concurrently.ts';

/** Options of `gateway.recover` and `gateway.batch`. The wait options apply to each row. */
export interface RecoverOptions extends Omit<WaitOptions<TaskUpdate>, 'onUpdate'> {
  /**
   * Maximum number of rows in flight: submitting, waiting, or with a result that the caller has not taken.
   * @defaultValue 1,000
   */
  maxInFlight?: number | undefined;
}

/** The rules of these options. */
export const recoverRules: Rules = { ...waitRules, maxInFlight: positiveInteger };

/** Rows that are prepared ahead of the requests in flight, so that a free slot is used immediately. */
const rowsAhead = 16;

/** Runs the rows of a batch or a recovery concurrently. What happens to one row is in batch-item.ts. */
export class BatchRunner implements BatchContext {
  readonly journal: BatchJournal;
  readonly config: Config;
  readonly waitOptions: Omit<WaitOptions, 'onUpdate' | 'signal'>;
  readonly halt: AbortController;
  readonly #slots: ClientSlots;
  readonly #options: RecoverOptions;

  constructor(context: ClientContext, journal: Journal | undefined, options: RecoverOptions) {
    const { pollInterval, maxPollInterval, waitTimeout, headers, requestId } = options;
    // Validates only, before anything is paid for.
    parseHeaderChanges(headers);
    this.waitOptions = { pollInterval, maxPollInterval, waitTimeout, headers, requestId };
    this.journal = new BatchJournal(journal, context.config.log);
    this.config = context.config;
    this.halt = createHalt(context.config.log);
    this.#slots = context.slots;
    this.#options = options;
  }

  /**
   * Yields the result of each row as soon as it is available. `work` must not reject. No further rows are pulled once
   * `haltSignal` aborts.
   */
  async *run<Row, Result extends BatchResult>(
    rows: AsyncIterable<Row>,
    work: (row: Row, worker: WorkerContext) => Promise<Result>,
    haltSignal?: AbortSignal,
  ): AsyncGenerator<Result, void, undefined> {
    const { signal, maxInFlight = 1_000 } = this.#options;
    const maxActive = () =>
      this.config.concurrency === false ? maxInFlight : this.#slots.inFlight + rowsAhead;
    const limits = { signal, maxInFlight, maxActive, haltSignal };
    let lastAppend: Promise<void> | undefined;
    try {
      for await (const result of runConcurrently(rows, work, limits)) {
        yield result;
        // The generator resumes once the caller has taken the result. If the process dies before that, the next one
        // yields the result again.
        const line = finishedLine(result);
        if (line) lastAppend = this.journal.tryAppend(line);
      }
      await lastAppend;
    } catch (error) {
      throwToCaller(error);
    }
  }
}
