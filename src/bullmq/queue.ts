import { Queue } from 'bullmq';
import type { ConnectionOptions } from 'bullmq';
import type { Redis } from 'ioredis';

import type { Polygate } from '../client.ts';
import { rowKey } from '../core/batch/row.ts';
import { newIdempotencyKey } from '../core/call/idempotency-key.ts';
import { signalRule } from '../core/call/request-options.ts';
import {
  checkOptions,
  checkValue,
  nonNegativeNumber,
  objectWithMethods,
  positiveInteger,
  stringValue,
} from '../core/config/validation.ts';
import type { Rules } from '../core/config/validation.ts';
import { emptyMeta } from '../core/http/response-meta.ts';
import { fingerprint } from '../core/tasks/fingerprint.ts';
import type { Submission } from '../core/tasks/submission.ts';
import { ConfigurationError } from '../errors/configuration.ts';
import { ConflictError } from '../errors/status.ts';
import type { Generation, SucceededGeneration } from '../schemas/task.ts';
import { isNonEmptyString, isRecord } from '../schemas/type-guards.ts';
import { Announcements } from './announcements.ts';
import { canonicalJson } from './canonical-json.ts';
import { connect, withinTime } from './redis.ts';
import { isEnded, jobIdOf } from './row.ts';
import type { EndedRow, EndStatus, Row, RowData, RowState } from './row.ts';
import { RowStore, slotsKey } from './store.ts';
import type { PauseReason, StoredRow } from './store.ts';
import { startWorker } from './worker.ts';
import type { QueueWorker, WorkerContext } from './worker.ts';

/** Options of a {@link GenerationQueue}. */
export interface GenerationQueueOptions {
  /** The client that submits and polls. Its account pays. */
  gateway: Polygate;
  /** How to connect to Redis, as in BullMQ: options such as `{ url }`, or an ioredis instance, which stays yours. */
  connection: ConnectionOptions;
  /**
   * Prefix of all keys in Redis, as in BullMQ. Queues with one prefix and one `baseURL` share the slots of the account.
   * @defaultValue `'bull'`
   */
  prefix?: string | undefined;
  /**
   * Maximum total that all processes together spend on this queue, in USD. The queue pauses when the next row would
   * exceed it. The price of a row is reserved before it is submitted.
   * @defaultValue no limit
   */
  maxUsd?: number | undefined;
  /**
   * How long to wait for a task after it was accepted, in ms. After that, the row ends as `unknown`.
   * @defaultValue 1,800,000 (30 minutes)
   */
  waitTimeout?: number | undefined;
  /**
   * How many submissions of a row may fail before it ends, with growing delays between them.
   * @defaultValue 5
   */
  attempts?: number | undefined;
}

const queueRules = {
  gateway: [(value) => isRecord(value) && 'images' in value && 'models' in value, 'a Polygate'],
  connection: [isRecord, 'options for Redis, or an ioredis instance'],
  prefix: stringValue,
  maxUsd: nonNegativeNumber,
  waitTimeout: nonNegativeNumber,
  attempts: positiveInteger,
} satisfies Rules;

/** Options of {@link GenerationQueue.work}. */
export interface WorkOptions {
  /**
   * Number of steps at a time.
   * @defaultValue 50
   */
  concurrency?: number | undefined;
  /** Closes the worker when it aborts. */
  signal?: AbortSignal | undefined;
}

const workRules: Rules = { concurrency: positiveInteger, signal: signalRule };

/** Number of rows in each status. */
export type RowCounts = Readonly<Record<Row['status'], number>>;

/** Rows are added to Redis in groups of this size. */
const bulkSize = 1_000;

/**
 * A queue of generations in Redis, on which any number of processes and machines work. Each row is submitted once and
 * paid once, whichever workers are killed meanwhile. A row is a BullMQ job, so every BullMQ tool shows it.
 */
export class GenerationQueue {
  /** Name of the queue in BullMQ. */
  readonly name: string;
  readonly #options: Pick<
    WorkerContext,
    'attempts' | 'gateway' | 'maxUsd' | 'prefix' | 'waitTimeout'
  >;
  readonly #redis: Redis;
  readonly #isOwnRedis: boolean;
  readonly #queue: Queue<RowData>;
  readonly #store: RowStore;
  readonly #announcements: Announcements;
  readonly #workers = new Set<QueueWorker>();
  #paused: PauseReason | undefined;
  #isClosed = false;

  /** @throws {@link ConfigurationError} if the name is empty, or an option is unknown or invalid. */
  constructor(name: string, options: GenerationQueueOptions) {
    checkValue('name', name, [isNonEmptyString, 'a non-empty string']);
    checkOptions(options, queueRules);
    checkValue('gateway', options.gateway ?? null, queueRules.gateway);
    checkValue('connection', options.connection ?? null, queueRules.connection);
    const {
      gateway,
      connection,
      prefix = 'bull',
      maxUsd,
      waitTimeout = 1_800_000,
      attempts = 5,
    } = options;
    this.name = name;
    this.#options = { gateway, prefix, maxUsd, waitTimeout, attempts };
    const { redis, isOwn } = connect(connection);
    if (isOwn) redis.on('error', () => undefined);
    this.#redis = redis;
    this.#isOwnRedis = isOwn;
    this.#queue = new Queue(name, { connection: redis, prefix });
    this.#queue.on('error', () => undefined);
    this.#store = new RowStore(redis, this.#queue, slotsKey(prefix, gateway.baseURL));
    this.#announcements = new Announcements(redis, this.#store.channels);
    this.#announcements.listen(() => void this.#updatePaused().catch(() => undefined));
  }

  async add(id: string, submission: Submission): Promise<void> {
    await this.addBulk([{ id, submission }], (row) => row);
  }

  async addBulk<Input>(
    inputs: Iterable<Input> | AsyncIterable<Input>,
    describe: (input: Input, index: number) => { id: string; submission: Submission },
  ): Promise<void> {
    const conflicts = new Set<string>();
    const seen = new Map<string, string>();
    let group: RowData[] = [];
    let index = 0;
    const flush = async () => {
      for (const id of await this.#addRows(group)) conflicts.add(id);
      group = [];
    };
    for await (const input of inputs) {
      const { id, submission } = describe(input, index);
      index += 1;
      const row = await this.#toRow(id, submission);
      const hash = seen.get(id);
      seen.set(id, row.hash);
      if (hash !== undefined && hash !== row.hash) conflicts.add(id);
      else if (hash === undefined) group.push(row);
      if (group.length >= bulkSize) await flush();
    }
    await flush();
    if (conflicts.size > 0) throw conflictError([...conflicts]);
  }

  /** Describes a row, as it is stored. */
  async #toRow(id: string, submission: Submission): Promise<RowData> {
    checkValue('id', id ?? null, [isNonEmptyString, 'a non-empty string']);
    checkValue('submission', submission ?? null, objectWithMethods('details', 'send'));
    const { path, idempotencyKey, params } = await submission.details(true);
    if (!params) throw new ConfigurationError('submission: has no params.');
    const { prefix } = this.#options;
    return {
      id,
      kind: submission.kind,
      path,
      params,
      hash: await fingerprint(path, canonicalJson(params)),
      key: idempotencyKey ?? (await rowKey(prefix, this.name, id)),
    };
  }

  /** Adds rows that are not in Redis yet. Returns the ids of those that are there with other params. */
  async #addRows(rows: readonly RowData[]): Promise<string[]> {
    if (rows.length === 0) return [];
    const jobs = rows.map((data) => ({
      name: data.kind,
      data,
      opts: {
        jobId: jobIdOf(data.id),
        priority: 1,
        attempts: 1,
        removeOnComplete: false,
        removeOnFail: false,
      },
    }));
    await withinTime(this.#queue.addBulk(jobs));
    const store = this.#store;
    // BullMQ keeps a job that exists, and does not say so.
    const stored = await withinTime(store.readJobs(rows.map(({ id }) => jobIdOf(id))));
    return rows.filter(({ hash }, index) => stored[index]?.data.hash !== hash).map(({ id }) => id);
  }

  /**
   * Works on the rows, here and on any number of other machines. `concurrency` is the number of steps at a time, each of
   * which is a submission or a poll: waiting tasks occupy no step.
   */
  work({ concurrency = 50, signal }: WorkOptions = {}): QueueWorker {
    checkOptions({ concurrency, ...(signal && { signal }) }, workRules);
    const worker = startWorker({
      ...this.#options,
      name: this.name,
      store: this.#store,
      concurrency,
      signal,
    });
    this.#workers.add(worker);
    void worker.run.then(() => this.#workers.delete(worker));
    return worker;
  }

  /**
   * Yields rows as they end, each once; with `from: 'start'` first those that have ended already. A row that was retried
   * is yielded again. Ends when the queue is closed.
   */
  async *results({ from = 'now' }: { from?: 'now' | 'start' | undefined } = {}): AsyncGenerator<
    EndedRow,
    void,
    undefined
  > {
    const store = this.#store;
    let last = from === 'start' ? 0 : await withinTime(store.lastEnded());
    while (!this.#isClosed) {
      // Listens before it looks, so that no row is missed in between.
      const { count } = this.#announcements;
      const ended = await store.endedAfter(last, 100).catch(() => []);
      for (const [jobId, number] of ended) {
        last = number;
        const row = await store.readJob(jobId);
        if (row && isEnded(row.status)) yield toEndedRow(row, row.status);
      }
      if (ended.length === 0) await this.#announcements.after(count);
    }
  }

  /** Returns a row as it is now; undefined if there is none with this id. */
  async get(id: string): Promise<Row | undefined> {
    const row = await withinTime(this.#store.read(id));
    return row && row.status !== 'removed' ? toRow(row, row.status) : undefined;
  }

  /** Waits until a row has ended, and returns it, whatever its status. */
  async result(id: string): Promise<EndedRow> {
    for (;;) {
      const { count } = this.#announcements;
      const row = await withinTime(this.#store.read(id));
      if (row === undefined || row.status === 'removed') throw missingRow(id);
      if (isEnded(row.status)) return toEndedRow(row, row.status);
      await this.#announcements.after(count);
    }
  }

  /** Counts the rows in each status. */
  async count(): Promise<RowCounts> {
    const [counts, jobs] = await withinTime(
      Promise.all([this.#store.counts(), this.#queue.getJobCounts()]),
    );
    const { submitting = 0, running = 0, succeeded = 0, failed = 0, unknown = 0 } = counts;
    const known = { submitting, running, succeeded, failed, unknown };
    const total = sum(Object.values(jobs));
    return { waiting: Math.max(0, total - sum(Object.values(known))), ...known };
  }

  /**
   * Submits a failed row again under its key, or continues the wait for an `unknown` one. With `anew`, submits it under a
   * new key, which is charged again.
   */
  async retry(id: string, { anew = false }: { anew?: boolean | undefined } = {}): Promise<void> {
    const store = this.#store;
    const row = await withinTime(store.read(id));
    if (row === undefined || row.status === 'removed') throw missingRow(id);
    const { key, state, status } = row;
    const isWaiting = !anew && status === 'unknown' && state.receipt !== undefined;
    const now = await withinTime(store.now());
    const next: RowState = anew
      ? { key: newIdempotencyKey() }
      : isWaiting
        ? { ...state, deadline: now + this.#options.waitTimeout, error: undefined }
        : { key: state.key, mayBeCharged: state.mayBeCharged };
    const to = isWaiting ? 'running' : 'waiting';
    const move = { from: ['failed', 'unknown'], to, state: next } as const;
    await withinTime(store.move(jobIdOf(id), key, move));
    const job = await withinTime(this.#queue.getJob(jobIdOf(id)));
    // If a process died between the two steps, only the second one is left to do.
    if (job && (await withinTime(job.isFailed()))) await withinTime(job.retry('failed'));
    else if (isEnded(status)) {
      throw new ConfigurationError(
        `row ${id}: its status is ${status}. Only failed and unknown rows can be retried.`,
      );
    }
  }

  /** Removes a row and its result. Rejects while it is submitting or running. */
  async remove(id: string): Promise<void> {
    const jobId = jobIdOf(id);
    if (!(await withinTime(this.#store.markRemoved(jobId)))) {
      throw new ConfigurationError(`row ${id}: is submitting or running, so it cannot be removed.`);
    }
    await withinTime(this.#queue.remove(jobId));
  }

  /** Removes all rows and results, also those of running tasks. The queue must have no workers. */
  async obliterate(): Promise<void> {
    await withinTime(this.#queue.pause());
    await withinTime(this.#queue.obliterate({ force: true }));
    await withinTime(this.#store.clear());
  }

  /** Why no rows are submitted, as far as this process knows; undefined while they are. */
  get paused(): PauseReason | undefined {
    return this.#paused;
  }

  /** Stops submitting rows in all processes. Running tasks finish. */
  async pause(): Promise<void> {
    await withinTime(this.#store.pause('caller'));
    await this.#updatePaused();
  }

  /** Continues to submit rows, also after the budget was raised or the balance was topped up. */
  async resume(): Promise<void> {
    await withinTime(this.#store.resume());
    await this.#updatePaused();
  }

  /** Closes the workers of this object and its connections. Rows stay in Redis. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await Promise.all([...this.#workers].map((worker) => worker.close()));
    this.#announcements.close();
    await this.#queue.close();
    if (this.#isOwnRedis) this.#redis.disconnect();
  }

  async #updatePaused(): Promise<void> {
    this.#paused = await withinTime(this.#store.pauseReason());
  }
}

const sum = (numbers: readonly number[]) => numbers.reduce((total, number) => total + number, 0);

function toRow({ data, state, key }: StoredRow, status: Row['status']): Row {
  const { id, kind } = data;
  const { receipt, generation, error } = state;
  const result = status === 'succeeded' ? reviveGeneration(generation) : undefined;
  return { id, kind, status, idempotencyKey: key, receipt, generation: result, error };
}

const toEndedRow = (row: StoredRow, status: EndStatus): EndedRow => ({
  ...toRow(row, status),
  status,
});

/** JSON has no dates. */
function reviveGeneration(generation: Generation | undefined): SucceededGeneration | undefined {
  if (generation?.status !== 'succeeded') return undefined;
  const { createdAt } = generation;
  return { ...generation, createdAt: createdAt && new Date(createdAt) };
}

function missingRow(id: string): ConfigurationError {
  return new ConfigurationError(`row ${id}: is not in this queue.`);
}

function conflictError(ids: readonly string[]): ConflictError {
  const shown = ids.slice(0, 5).join(', ') + (ids.length > 5 ? `, and ${ids.length - 5} more` : '');
  return new ConflictError(
    `These ids exist with other params: ${shown}. Nothing was sent for them. Use other ids, or remove the rows first.`,
    { meta: emptyMeta(409), code: 'row_conflict', outcome: 'not-sent', ids },
  );
}
