import { createHash } from 'node:crypto';

import type { Job, Queue } from 'bullmq';
import type { Redis } from 'ioredis';

import { unchecked } from '../schemas/schema.ts';
import { isRecord, textOf } from '../schemas/type-guards.ts';
import { runScript } from './redis.ts';
import { jobIdOf } from './row.ts';
import type { RowData, RowState, RowStatus } from './row.ts';
import { admit, markRemoved, move, renew } from './scripts.ts';

/** A job whose data describes a row. */
export type RowJob = Job<RowData>;

/** A row as Redis stores it. */
export interface StoredRow {
  readonly data: RowData;
  readonly status: RowStatus | 'removed';
  readonly state: RowState;
  /** The idempotency key in use. */
  readonly key: string;
}

/** What a submission may have cost: nothing is known yet, nothing, or an amount in USD. */
export type Cost = 'unknown' | number;

/** A change of a row. */
export interface Move {
  /** The statuses from which the row may move. */
  readonly from: readonly RowStatus[];
  readonly to: RowStatus;
  readonly state: RowState;
  readonly cost?: Cost | undefined;
  /** The account's limit, if the service has reported it. */
  readonly limit?: number | undefined;
}

/** Why a row may not submit now; `gone` if it is not waiting any more. */
export type Admission =
  | { readonly admitted: true; readonly before: string }
  | { readonly admitted: false; readonly reason: 'full' | 'gone' | 'paused' };

/** Why a queue submits nothing: its budget, a 402, or a call of `pause()`. */
export type PauseReason = 'balance' | 'budget' | 'caller';

/** Limit of the account until the service has reported it. */
const initialLimit = 1;

/** Reads and changes the rows of one queue. Each change is one script. */
export class RowStore {
  readonly redis: Redis;
  readonly #queue: Queue<RowData>;
  readonly #slots: string;

  constructor(redis: Redis, queue: Queue<RowData>, slots: string) {
    this.redis = redis;
    this.#queue = queue;
    this.#slots = slots;
  }

  /** The channels on which ended rows and pauses are announced. */
  get channels(): readonly [ended: string, paused: string] {
    return [this.#key('ended'), this.#key('meta')];
  }

  /** Reads a row; undefined if there is none. */
  async read(id: string): Promise<StoredRow | undefined> {
    return this.readJob(jobIdOf(id));
  }

  async readJob(jobId: string): Promise<StoredRow | undefined> {
    const fields = await this.redis.hmget(this.#rowKey(jobId), 'data', 'pg:status', 'pg:state');
    return parseRow(fields);
  }

  async readJobs(jobIds: readonly string[]): Promise<(StoredRow | undefined)[]> {
    return Promise.all(jobIds.map((jobId) => this.readJob(jobId)));
  }

  /** Takes a slot, the price and the right to submit for a row. */
  async admit(jobId: string, priceUsd: number, budgetUsd: number | undefined): Promise<Admission> {
    const keys = [
      this.#rowKey(jobId),
      this.#key('counts'),
      this.#key('meta'),
      this.#key('spend'),
      this.#key('reservations'),
      ...this.#slotKeys,
    ];
    const budget = budgetUsd === undefined ? '' : toNanoUsd(budgetUsd);
    const reply = await runScript(this.redis, admit, keys, [
      jobId,
      toNanoUsd(priceUsd),
      budget,
      initialLimit,
    ]);
    const [result, before] = Array.isArray(reply) ? reply.map(String) : [];
    if (result === 'ok') return { admitted: true, before: before ?? '' };
    return { admitted: false, reason: result === 'paused' || result === 'full' ? result : 'gone' };
  }

  /** Moves a row, unless it has another status by now. Returns Redis's time in ms, or 0 if the row was not moved. */
  async move(jobId: string, key: string, { from, to, state, cost, limit }: Move): Promise<number> {
    const keys = [
      this.#rowKey(jobId),
      this.#key('counts'),
      this.#key('results'),
      this.#key('spend'),
      this.#key('reservations'),
      ...this.#slotKeys,
    ];
    const amount = typeof cost === 'number' ? toNanoUsd(cost) : '';
    const args = [jobId, from.join(','), to, JSON.stringify(state), key, amount, limit ?? ''];
    return Number(await runScript(this.redis, move, keys, [...args, this.channels[0]]));
  }

  /** Renews the slots of rows that this process submits. */
  async renew(jobIds: readonly string[]): Promise<void> {
    await runScript(this.redis, renew, this.#slotKeys, jobIds);
  }

  /** Keeps all workers away from a row that is about to be removed. Returns false if it is submitting or running. */
  async markRemoved(jobId: string): Promise<boolean> {
    const keys = [this.#rowKey(jobId), this.#key('counts'), this.#key('results')];
    return Number(await runScript(this.redis, markRemoved, keys, [jobId])) === 1;
  }

  /** Redis's time in ms. */
  async now(): Promise<number> {
    const [seconds, microseconds] = await this.redis.time();
    return Number(seconds) * 1_000 + Math.floor(Number(microseconds) / 1_000);
  }

  /** The number of rows by status, except waiting ones. */
  async counts(): Promise<Readonly<Record<string, number>>> {
    const counts = await this.redis.hgetall(this.#key('counts'));
    return Object.fromEntries(Object.entries(counts).map(([name, text]) => [name, Number(text)]));
  }

  /** Ids of jobs that ended after the given number, in order, with their numbers. */
  async endedAfter(number: number, count: number): Promise<[jobId: string, number: number][]> {
    const key = this.#key('results');
    const reply = await this.redis.zrange(
      key,
      `(${number}`,
      '+inf',
      'BYSCORE',
      'LIMIT',
      0,
      count,
      'WITHSCORES',
    );
    const ended: [string, number][] = [];
    for (let index = 0; index + 1 < reply.length; index += 2) {
      ended.push([reply[index] ?? '', Number(reply[index + 1])]);
    }
    return ended;
  }

  /** The number of the last row that ended. */
  async lastEnded(): Promise<number> {
    return Number((await this.redis.hget(this.#key('counts'), 'ended')) ?? 0);
  }

  async pauseReason(): Promise<PauseReason | undefined> {
    const reason = await this.redis.hget(this.#key('meta'), 'paused');
    return reason === null ? undefined : unchecked<PauseReason>(reason);
  }

  /** Pauses the queue, unless it is paused already. */
  async pause(reason: PauseReason): Promise<void> {
    await this.redis.hsetnx(this.#key('meta'), 'paused', reason);
    await this.redis.publish(this.#key('meta'), reason);
  }

  async resume(): Promise<void> {
    await this.redis.hdel(this.#key('meta'), 'paused');
    await this.redis.publish(this.#key('meta'), '');
  }

  /** Deletes what the queue stores beside its jobs. */
  async clear(): Promise<void> {
    const names = ['counts', 'meta', 'spend', 'reservations', 'results'];
    await this.redis.del(...names.map((name) => this.#key(name)));
  }

  #key(name: string): string {
    return this.#queue.toKey(`polygate:${name}`);
  }

  #rowKey(jobId: string): string {
    return this.#queue.toKey(jobId);
  }

  get #slotKeys(): string[] {
    return [this.#slots, `${this.#slots}:clock`];
  }
}

/** The key of an account's slots. All queues with this prefix and base URL share them. */
export const slotsKey = (prefix: string, baseURL: string) =>
  `${prefix}:polygate:slots:${createHash('sha256').update(baseURL).digest('hex').slice(0, 16)}`;

function parseRow([data, status, state]: readonly (string | null)[]): StoredRow | undefined {
  if (!data) return undefined;
  const parsed = unchecked<RowData>(JSON.parse(data));
  const parsedState = unchecked<RowState>(state ? JSON.parse(state) : {});
  return {
    data: parsed,
    status: unchecked<StoredRow['status']>(textOf(status) ?? 'waiting'),
    state: parsedState,
    key: parsedState.key ?? parsed.key,
  };
}

/** Redis computes with integers only. */
const toNanoUsd = (usd: number): string => String(Math.round(usd * 1e9));

/** Whether a value is the data of a row, and not that of a job of someone else. */
export function isRowData(value: unknown): value is RowData {
  return isRecord(value) && typeof value.hash === 'string' && typeof value.path === 'string';
}
