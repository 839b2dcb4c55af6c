import type { Journal } from '../../schemas/journal.ts';
import type { TaskUpdate, WaitOptions } from '../../schemas/task-handle.ts';
import { throwToCaller } from '../call/caller-stack.ts';
import type { ClientContext } from '../call/context.ts';
import type { Config } from '../config/config.ts';
import { checkValue, positiveInteger } from '../config/validation.ts';
import type { ConcurrencyState } from '../limits/concurrency-limiter.ts';
import { resolvePollTiming } from '../tasks/poll.ts';
import type { PollTiming } from '../tasks/poll.ts';
import { taskPollTiming } from '../tasks/task.ts';
import { finishedLine } from './batch-item.ts';
import type { BatchContext } from './batch-item.ts';
import { BatchJournal } from './batch-journal.ts';
import type { BatchResult } from './batch-result.ts';
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

/** Rows that are prepared ahead of the requests in flight, so that a free slot is used immediately. */
const rowsAhead = 16;

/** Runs the rows of a batch or a recovery concurrently. What happens to one row is in batch-item.ts. */
export class BatchRunner implements BatchContext {
  readonly journal: BatchJournal;
  readonly config: Config;
  readonly pollTiming: PollTiming;
  readonly #concurrency: ConcurrencyState;
  readonly #options: RecoverOptions;

  constructor(context: ClientContext, journal: Journal | undefined, options: RecoverOptions) {
    checkValue('maxInFlight', options.maxInFlight, positiveInteger);
    this.pollTiming = resolvePollTiming(options, taskPollTiming);
    this.journal = new BatchJournal(journal, context.config.log);
    this.config = context.config;
    this.#concurrency = context.shared.concurrency.view();
    this.#options = options;
  }

  /** Yields the result of each row as soon as it is available. `work` must not reject. */
  async *run<Row, Result extends BatchResult>(
    rows: AsyncIterable<Row>,
    work: (row: Row, worker: WorkerContext) => Promise<Result>,
  ): AsyncGenerator<Result, void, undefined> {
    const { signal, maxInFlight = 1_000 } = this.#options;
    const maxActive = () =>
      this.config.concurrency === false ? maxInFlight : this.#concurrency.inFlight + rowsAhead;
    const limits = { signal, maxInFlight, maxActive };
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
