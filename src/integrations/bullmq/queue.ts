import type { ChatSubmission, Submission } from 'polygate';

import { ConfigurationError } from '../../errors/base.ts';
import { ConnectionError } from '../../errors/call.ts';
import { checkOptions } from '../../internal.ts';
import { addAll } from './add-rows.ts';
import type { RowInput } from './add-rows.ts';
import type { PauseReason } from './decisions/step.ts';
import { queueSettings, resultsRules, retryRules, workRules } from './options.ts';
import type {
  GenerationQueueOptions,
  QueueSettings,
  ResultsOptions,
  RetryOptions,
  WorkOptions,
} from './options.ts';
import { QueueConnection } from './queue-connection.ts';
import { endedRows, endOf, removeRow, retryRow, toRow } from './row-calls.ts';
import type { SeenRow } from './row-calls.ts';
import type { EndedRow, Row, RowStatus } from './row.ts';
import { startWorker } from './worker/worker.ts';
import type { QueueWorker } from './worker/worker.ts';

/** Number of rows in each status. */
export type RowCounts = Readonly<Record<RowStatus, number>>;

/**
 * A queue of generations in Redis, on which any number of processes and machines work. Each row is submitted once and
 * paid once, whichever workers are killed. A row is a BullMQ job, so every BullMQ tool shows it; remove and
 * retry rows only with this class.
 *
 * All methods that return a promise reject with a `ConnectionError` within 20 s if Redis is unreachable; its
 * `outcome` is `'unknown'`, because Redis may still make the change later. Repeat the call: no task is paid for twice.
 * After `close()`, they reject with a `ConfigurationError`.
 */
export class GenerationQueue {
  /** Name of the queue in BullMQ. */
  readonly name: string;
  readonly #settings: QueueSettings;
  readonly #connection: QueueConnection;
  readonly #workers = new Set<QueueWorker>();
  /**
   * What the retries have seen that were cut off, by the ids of their rows: Redis may still retry the row later. A
   * repeated call must not retry it again then, because it could pay for another task.
   */
  readonly #openRetries = new Map<string, SeenRow>();
  #closing: Promise<void> | undefined;

  /**
   * Connects in the background: an unreachable Redis is reported by the methods.
   *
   * @throws `ConfigurationError` if the name is empty or contains a colon, or an option is unknown or invalid.
   */
  constructor(name: string, options: GenerationQueueOptions) {
    this.#settings = queueSettings(name, options);
    this.name = name;
    const { gateway, prefix } = this.#settings;
    const { connection } = options;
    this.#connection = new QueueConnection({ name, connection, prefix, baseURL: gateway.baseURL });
  }

  /** @internal A mark for Vue, whose proxies cannot read private members. */
  get __v_skip(): true {
    return true;
  }

  /**
   * Adds a row, which a worker will submit. Adding it again changes nothing. Its params are stored in Redis; headers,
   * `requestId`, timeouts and the signal of the submission are not, so set them on the client of the workers.
   *
   * Its idempotency key is the submission's own, or else it is derived from prefix, queue, id and params. So a row that
   * was removed and added again is not charged again while the service remembers the key, unless its params differ. A
   * chat has no key, not even its own: removed and added again, it is sent and charged again.
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
   * @throws `ConfigurationError` if `describe` throws or returns an invalid row. The rows before it were added, except
   * conflicts, which its message names. An error of `inputs` is thrown as it is, so it names no conflicts: the rows
   * before it were added, except those. Repeat the call to learn them.
   * @throws `ConnectionError` if Redis does not respond to a group of rows within 20 s. The groups before it were
   * added.
   */
  async addBulk<Input>(
    inputs: Iterable<Input> | AsyncIterable<Input>,
    describe: (input: Input, index: number) => RowInput,
  ): Promise<void> {
    this.#connection.checkOpen();
    const { jobs, rows } = this.#connection;
    await addAll({ jobs, rows, prefix: this.#settings.prefix }, inputs, describe);
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
    const { jobs, rows, state } = this.#connection;
    const worker = startWorker({ ...this.#settings, jobs, rows, state, concurrency, signal });
    this.#workers.add(worker);
    void worker.run.then(() => this.#workers.delete(worker));
    return worker;
  }

  /**
   * Yields rows that end after this call, in the order in which they end; with `from: 'start'` first those that have
   * ended already. A row is yielded again when it ends again: after a retry, or if the completion of an `unknown` chat
   * still comes. Outages of Redis only delay the rows. Ends when the queue is closed.
   *
   * @throws `ConfigurationError` if an option is unknown or invalid, or the queue is closed.
   * @throws `ConnectionError` on the first iteration, if Redis is unreachable.
   */
  results(options: ResultsOptions = {}): AsyncGenerator<EndedRow, void, undefined> {
    this.#connection.checkOpen();
    checkOptions(options, resultsRules);
    const connection = this.#connection;
    const isFromStart = options.from === 'start';
    // It starts with what ends after this call, not after the first iteration.
    const lastEnded = connection.call(() => connection.state.lastEnded());
    const after = lastEnded.then((last) => (isFromStart ? 0 : last));
    // The first iteration reports the error, if there is one.
    after.catch(() => undefined);
    return endedRows(connection, after);
  }

  /**
   * Returns a row as it is now; undefined if there is none with this id.
   *
   * @throws `ConfigurationError` if the row cannot be read, because a newer version of polygate has written it or it is
   * damaged; `ConnectionError`.
   */
  async get(id: string): Promise<Row | undefined> {
    const row = await this.#connection.call(() => this.#connection.rows.read(id));
    return row && toRow(row, row.status);
  }

  /**
   * Waits until a row has ended, and returns it, also if it has failed.
   *
   * @throws `ConfigurationError` if there is no such row, or it was removed, or the queue is closed in the meantime;
   * `ConnectionError` within 20 s after Redis has become unreachable.
   */
  async result(id: string): Promise<EndedRow> {
    return endOf(this.#connection, id);
  }

  /**
   * Counts the rows in each status, all at the same time.
   *
   * @throws `ConnectionError`
   */
  async count(): Promise<RowCounts> {
    return this.#connection.call(() => this.#connection.state.counts());
  }

  /**
   * Submits a failed row again under its key: while the service remembers the key, it returns the task of that key, if
   * there is one, without another charge. An `unknown` row with a receipt continues its wait. With `anew`, submits the
   * row under a new key: a new task, which is charged again. A chat is always sent anew: if it is `unknown`, you may
   * pay for it a second time.
   *
   * @throws `ConfigurationError` if there is no such row, its status is neither `failed` nor `unknown`, or another call
   * has retried it in the meantime.
   * @throws `ConnectionError` if Redis is unreachable, or a killed worker had not recorded the failure completely. If
   * its outcome is `unknown`, Redis may still retry the row later. Repeat the call on this object, which takes that into
   * account: with another one, you could pay for another task.
   */
  async retry(id: string, options: RetryOptions = {}): Promise<void> {
    checkOptions(options, retryRules);
    const { anew: isAnew = false } = options;
    const { waitTimeout } = this.#settings;
    const { rows } = this.#connection;
    const seen = this.#openRetries.get(id) ?? { turn: undefined };
    this.#openRetries.delete(id);
    try {
      await this.#connection.call(() => retryRow(rows, { id, isAnew, waitTimeout, seen }));
    } catch (error) {
      if (ConnectionError.is(error) && error.outcome === 'unknown') this.#openRetries.set(id, seen);
      throw error;
    }
  }

  /**
   * Removes a row and its result, if there is one with this id. What it has spent still counts.
   *
   * @throws `ConfigurationError` while the row is `submitting` or `running`; `ConnectionError`.
   */
  async remove(id: string): Promise<void> {
    await this.#connection.call(() => removeRow(this.#connection.rows, id));
  }

  /**
   * Removes all rows and results, and the record of what the queue has spent. Tasks that are still running may have
   * been charged: to get their results, add the same rows again. Close all workers first, on all machines. If it
   * rejects, call it again to remove the rest.
   *
   * @throws `ConnectionError`
   */
  async obliterate(): Promise<void> {
    await this.#connection.obliterate();
  }

  /**
   * Why no rows are submitted, as this process knows it, which can take a moment after a change: `budget` if `maxUsd`
   * is reached, `balance` after a 402, `authentication` after a 401 or without an API key, `caller` after `pause()`.
   * Undefined while rows are submitted.
   */
  get paused(): PauseReason | undefined {
    return this.#connection.paused;
  }

  /**
   * Stops submitting rows in all processes. They stay `waiting`, and running tasks finish.
   *
   * @throws `ConnectionError`
   */
  async pause(): Promise<void> {
    await this.#connection.pause();
  }

  /**
   * Continues to submit rows, for any reason of the pause. If the reason persists, the queue pauses again.
   *
   * @throws `ConnectionError`
   */
  async resume(): Promise<void> {
    await this.#connection.resume();
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
    await this.#connection.close();
  }
}
