/**
 * The life of a row:
 *
 *     waiting <-> submitting -> running -> succeeded, failed or unknown
 *
 * - waiting: its job has the params and the idempotency key. A worker takes the job, and the script `admit` takes a
 *   slot, reserves the price, and gives this worker the turn to submit.
 * - submitting: the request is sent. Then the script `move` frees the slot, and records the task and what it has cost.
 *   After a failure that another submission under the same key may overcome, the row is waiting again.
 * - running: the task is polled, each time by any worker. Between two polls, the job is delayed and occupies none.
 * - ended: the script `move` has announced the end. `retry` makes a failed or unknown row waiting or running again.
 *
 * `worker.ts` takes a row from step to step, `steps.ts` sends the requests, `decisions` decides what follows from a
 * response, `settlement.ts` says what it has cost, and `redis/scripts.ts` makes each change atomic. A killed worker
 * leaves a row in any of these states, and another worker continues from there.
 *
 * A chat has no key under which it could be sent again, so it never returns from submitting to waiting if it may have
 * been charged: a worker that finds it submitting records that it is unknown. If the worker that has sent it is still
 * alive, it still records the completion, unless the row was retried.
 */
import { Queue } from 'bullmq';
import type { Redis } from 'ioredis';
import type { ChatSubmission, Submission } from 'polygate';

import { ConfigurationError } from '../errors/configuration.ts';
import { checkOptions } from '../internal/options.ts';
import { addAll } from './add-rows.ts';
import type { RowInput } from './add-rows.ts';
import type { PauseReason } from './move.ts';
import { checkQueue, resultsRules, retryRules, workRules } from './options.ts';
import type {
  GenerationQueueOptions,
  ResultsOptions,
  RetryOptions,
  WorkOptions,
} from './options.ts';
import { Announcements } from './redis/announcements.ts';
import { connect, disconnect, withinTime } from './redis/connection.ts';
import { RowStore, slotsKey } from './redis/store.ts';
import { endedRows, toEndedRow, toRow } from './results.ts';
import { readRow, retryRow } from './retry-row.ts';
import { jobIdOf } from './row.ts';
import type { EndedRow, Row, RowData, RowStatus } from './row.ts';
import { startWorker } from './worker.ts';
import type { QueueWorker, WorkerContext } from './worker.ts';

/** Number of rows in each status. */
export type RowCounts = Readonly<Record<RowStatus, number>>;

/**
 * A queue of generations in Redis, on which any number of processes and machines work. Each row is submitted once and
 * paid once, whichever workers are killed. A row is a BullMQ job, so every BullMQ tool shows it; remove and
 * retry rows only with this class.
 *
 * All methods that return a promise reject with a `ConnectionError` within 20 s if Redis is unreachable; its
 * `outcome` is `'unknown'`, because Redis may still make the change later. Repeat the call: no row is paid for twice.
 * After `close()`, they reject with a `ConfigurationError`.
 */
export class GenerationQueue {
  /** Name of the queue in BullMQ. */
  readonly name: string;
  readonly #context: Omit<WorkerContext, 'concurrency' | 'signal'>;
  readonly #redis: Redis;
  readonly #isOwnRedis: boolean;
  readonly #queue: Queue<RowData>;
  readonly #store: RowStore;
  readonly #announcements: Announcements;
  readonly #workers = new Set<QueueWorker>();
  #paused: PauseReason | undefined;
  #isClosed = false;
  #closing: Promise<void> | undefined;

  /**
   * Connects in the background: an unreachable Redis is reported by the methods.
   *
   * @throws `ConfigurationError` if the name is empty or contains a colon, or an option is unknown or invalid.
   */
  constructor(name: string, options: GenerationQueueOptions) {
    checkQueue(name, options);
    const { gateway, connection, prefix = 'bull', maxUsd } = options;
    const { waitTimeout = 1_800_000, attempts = 5 } = options;
    const { redis, isOwn } = connect(connection);
    const queue = new Queue<RowData>(name, { connection: redis, prefix });
    queue.on('error', () => undefined);
    const store = new RowStore(redis, queue, slotsKey(prefix, gateway.baseURL));
    this.name = name;
    this.#redis = redis;
    this.#isOwnRedis = isOwn;
    this.#queue = queue;
    this.#store = store;
    this.#context = { queue, store, gateway, prefix, maxUsd, waitTimeout, attempts };
    this.#announcements = new Announcements(redis, store.channels);
    this.#announcements.listen(({ concernsPause }) => {
      if (concernsPause && !this.#isClosed) this.#updatePaused().catch(() => undefined);
    });
  }

  /**
   * Adds a row, which a worker will submit. Adding it again changes nothing. Its params are stored in Redis; headers,
   * `requestId`, timeouts and the signal of the submission are not, so set them on the client of the workers.
   *
   * Its idempotency key is the submission's own, or else it is derived from prefix, queue, id and params. So a row that
   * was removed and added again is not charged again while the service remembers the key, unless its params differ.
   *
   * @param id - Any non-empty string.
   * @throws `ConflictError` if the id exists with other params. Nothing was added or sent.
   * @throws `ConfigurationError` if the id or the submission is invalid; `ConnectionError`.
   */
  async add(id: string, submission: Submission | ChatSubmission<unknown>): Promise<void> {
    await this.addBulk([{ id, submission }], (row) => row);
  }

  /**
   * Adds any number of rows: `describe` returns the id and the submission of each, and `inputs` can be a stream. Like
   * {@link add}, it can be repeated.
   *
   * @throws `ConflictError` after all other rows were added, if ids exist with other params, in Redis or in this
   * call. Its field `ids` lists them. Nothing was sent for them.
   * @throws `ConfigurationError` if `describe` throws or returns an invalid row. The rows before it were added.
   * @throws `ConnectionError` if Redis does not respond to a group of rows within 20 s. The groups before it were
   * added.
   */
  async addBulk<Input>(
    inputs: Iterable<Input> | AsyncIterable<Input>,
    describe: (input: Input, index: number) => RowInput,
  ): Promise<void> {
    this.#checkOpen();
    await addAll(this.#context, inputs, describe);
  }

  /**
   * Works on the rows, here and on any number of other machines: submits them as slots of the account become free, and
   * polls their tasks.
   *
   * @throws `ConfigurationError` if an option is unknown or invalid, or the queue is closed.
   */
  work(options: WorkOptions = {}): QueueWorker {
    if (this.#closing) throw new ConfigurationError('queue: is closed.');
    checkOptions(options, workRules);
    const { concurrency = 50, signal } = options;
    const worker = startWorker({ ...this.#context, concurrency, signal });
    this.#workers.add(worker);
    void worker.run.then(() => this.#workers.delete(worker));
    return worker;
  }

  /**
   * Yields rows that end after this call, each once, in the order in which they end; with `from: 'start'` first those
   * that have ended already. A row that was retried is yielded again when it ends again. Outages of Redis only delay
   * the rows. Ends when the queue is closed.
   *
   * @throws `ConfigurationError` if an option is unknown or invalid, or the queue is closed.
   * @throws `ConnectionError` on the first iteration, if Redis is unreachable.
   */
  results(options: ResultsOptions = {}): AsyncGenerator<EndedRow, void, undefined> {
    this.#checkOpen();
    checkOptions(options, resultsRules);
    const isFromStart = options.from === 'start';
    const after = isFromStart ? Promise.resolve(0) : this.#call(() => this.#store.lastEnded());
    after.catch(() => undefined);
    return endedRows(this.#store, this.#announcements, after, () => this.#isClosed);
  }

  /**
   * Returns a row as it is now; undefined if there is none with this id.
   *
   * @throws `ConnectionError`
   */
  async get(id: string): Promise<Row | undefined> {
    const row = await this.#call(() => this.#store.read(id));
    return row && toRow(row, row.status);
  }

  /**
   * Waits until a row has ended, and returns it whatever its status is.
   *
   * @throws `ConfigurationError` if there is no such row, or it was removed, or the queue is closed in the meantime;
   * `ConnectionError` within 20 s after Redis has become unreachable.
   */
  async result(id: string): Promise<EndedRow> {
    const watch = this.#announcements.watch(jobIdOf(id));
    try {
      for (;;) {
        const row = await this.#call(() => readRow(this.#store, id));
        const ended = toEndedRow(row);
        if (ended) return ended;
        await watch.next();
      }
    } finally {
      watch.stop();
    }
  }

  /**
   * Counts the rows in each status, all at the same time.
   *
   * @throws `ConnectionError`
   */
  async count(): Promise<RowCounts> {
    return this.#call(() => this.#store.counts());
  }

  /**
   * Submits a failed row again under its key, so that the service returns the task of that key if there is one, without
   * another charge. An `unknown` row with a receipt continues its wait. With `anew`, submits the row under a new key: a
   * new task, which is charged again. A chat is always sent anew: if it is `unknown`, you may pay for it a second time.
   *
   * @throws `ConfigurationError` if there is no such row, or its status is neither `failed` nor `unknown`.
   * @throws `ConnectionError` if Redis is unreachable, or a killed worker had not recorded the failure completely.
   */
  async retry(id: string, options: RetryOptions = {}): Promise<void> {
    checkOptions(options, retryRules);
    const { anew = false } = options;
    const { store, waitTimeout } = this.#context;
    await this.#call(() => retryRow(store, id, anew, waitTimeout));
  }

  /**
   * Removes a row and its result, if there is one with this id. What it has spent still counts.
   *
   * @throws `ConfigurationError` while the row is `submitting` or `running`; `ConnectionError`.
   */
  async remove(id: string): Promise<void> {
    if (await this.#call(() => this.#store.remove(jobIdOf(id)))) return;
    throw new ConfigurationError(
      `row ${id}: is submitting or running, so it cannot be removed. Wait for queue.result(id) first.`,
    );
  }

  /**
   * Removes all rows and results, and the record of what the queue has spent. Tasks that are still running may have
   * been charged: to get their results, add the same rows again. Close all workers first, on all machines. If it
   * rejects, call it again to remove the rest.
   *
   * @throws `ConnectionError`
   */
  async obliterate(): Promise<void> {
    await this.#call(() => this.#queue.pause());
    await this.#call(() => this.#queue.obliterate({ force: true }));
    await this.#call(() => this.#store.clear());
  }

  /**
   * Why no rows are submitted, as this process knows it, which can take a moment after a change: `budget` if `maxUsd`
   * is reached, `balance` after a 402, `authentication` after a 401 or without an API key, `caller` after `pause()`.
   * Undefined while rows are submitted.
   */
  get paused(): PauseReason | undefined {
    return this.#paused;
  }

  /**
   * Stops submitting rows in all processes. They stay `waiting`, and running tasks finish.
   *
   * @throws `ConnectionError`
   */
  async pause(): Promise<void> {
    await this.#call(() => this.#store.pause('caller'));
    await this.#updatePaused();
  }

  /**
   * Continues to submit rows, whatever the queue was paused for. If the reason persists, the queue pauses again.
   *
   * @throws `ConnectionError`
   */
  async resume(): Promise<void> {
    await this.#call(() => this.#store.resume());
    await this.#updatePaused();
  }

  /**
   * Closes the workers of this object, as their `close()` does, ends `results()`, and closes the connections, except
   * one that was passed. Rows stay in Redis. Never rejects, even if Redis is unreachable. Repeated calls do the same.
   */
  close(): Promise<void> {
    return (this.#closing ??= this.#close());
  }

  async #close(): Promise<void> {
    await Promise.all([...this.#workers].map((worker) => worker.close()));
    this.#isClosed = true;
    this.#announcements.close();
    await withinTime(this.#queue.close()).catch(() => undefined);
    if (this.#isOwnRedis) disconnect(this.#redis);
  }

  async #updatePaused(): Promise<void> {
    this.#paused = await this.#call(() => this.#store.pauseReason());
  }

  async #call<Result>(work: () => Promise<Result>): Promise<Result> {
    this.#checkOpen();
    return withinTime(work());
  }

  #checkOpen(): void {
    if (this.#isClosed) throw new ConfigurationError('queue: is closed.');
  }
}
