import { createHash } from 'node:crypto';

import type { Queue } from 'bullmq';
import type { Redis } from 'ioredis';

import { unchecked } from '../../types/schema.ts';
import { isRecord, textOf } from '../../types/type-guards.ts';
import type { Move, PauseReason } from '../move.ts';
import { jobIdOf } from '../row.ts';
import type { RowData, RowState, RowStatus } from '../row.ts';
import { settleArguments, toNanoUsd } from '../settlement.ts';
import { runScript } from './lua-script.ts';
import type { LuaScript } from './lua-script.ts';
import { admit, move, remove, renew, retry } from './scripts.ts';

/** A row as Redis stores it. */
export interface StoredRow {
  readonly data: RowData;
  readonly status: RowStatus;
  readonly state: RowState;
  /** The idempotency key in use. */
  readonly key: string;
  /** Fencing token of the latest admission or retry: only its holder may move the row. */
  readonly turn: string;
  /** Differs after each admission and retry, and after the row was removed and added again. */
  readonly version: string;
}

/** Why a row may not submit now; `gone` if it is no longer waiting, or has changed since it was read. */
export type Admission =
  | { readonly admitted: true; readonly before: string; readonly turn: string }
  | { readonly admitted: false; readonly reason: 'full' | 'gone' | 'paused' };

/** Reads and changes the rows of one queue. Each change is one script or transaction. */
export class RowStore {
  readonly redis: Redis;
  readonly #queue: Queue<RowData>;
  readonly #slotKeys: { readonly slots: string; readonly clock: string };

  /** `slots` is the key of the account's slots. */
  constructor(redis: Redis, queue: Queue<RowData>, slots: string) {
    this.redis = redis;
    this.#queue = queue;
    this.#slotKeys = { slots, clock: `${slots}:clock` };
  }

  /** The channels on which ended rows and pauses are announced. */
  get channels(): readonly [ended: string, paused: string] {
    return [this.#key('ended'), this.#key('meta')];
  }

  /** Reads a row; undefined if there is none. */
  async read(id: string): Promise<StoredRow | undefined> {
    return this.readJob(jobIdOf(id));
  }

  /** Reads the row of a job; undefined if there is none, or if it is another kind of job. */
  async readJob(jobId: string): Promise<StoredRow | undefined> {
    const fields = ['data', 'pg:status', 'pg:state', 'pg:turn', 'timestamp'];
    return parseRow(await this.redis.hmget(this.#queue.toKey(jobId), ...fields));
  }

  async readJobs(jobIds: readonly string[]): Promise<(StoredRow | undefined)[]> {
    return Promise.all(jobIds.map((jobId) => this.readJob(jobId)));
  }

  /** Takes a slot, the price and the right to submit for a row, if it still has the given version. */
  async admit(
    jobId: string,
    priceUsd: number,
    budgetUsd: number | undefined,
    version: string,
  ): Promise<Admission> {
    // Infinity is no limit.
    const budget = Number.isFinite(budgetUsd) ? toNanoUsd(budgetUsd ?? 0) : '';
    const price = toNanoUsd(priceUsd);
    const reply = await this.#run(admit, jobId, { id: jobId, price, budget, version });
    const [result, before = '', turn = ''] = Array.isArray(reply) ? reply.map(String) : [];
    if (result === 'ok') return { admitted: true, before, turn };
    return { admitted: false, reason: result === 'paused' || result === 'full' ? result : 'gone' };
  }

  /** Moves a row. Returns false if its status or turn has changed. */
  async move(jobId: string, key: string, turn: string, change: Move): Promise<boolean> {
    const { from, to, state, settlement, limit = '' } = change;
    const reply = await this.#run(move, jobId, {
      id: jobId,
      before: from,
      turn,
      to,
      state: JSON.stringify(state),
      key,
      ...settleArguments(settlement),
      limit,
      channel: this.channels[0],
    });
    return Number(reply) === 1;
  }

  /** Renews the slots of rows that this process submits. */
  async renew(jobIds: readonly string[]): Promise<void> {
    const rows = jobIds.map((jobId) => this.#queue.toKey(jobId));
    await runScript(this.redis, renew, this.#slotKeys, { rows: JSON.stringify(rows) });
  }

  /**
   * Reopens an ended row, if it still has the given turn. Returns `'ok'`, `'busy'`, `'missing'`, or the status that
   * does not allow it.
   */
  async retry(
    jobId: string,
    key: string,
    { to, state, settlement }: Omit<Move, 'from'>,
    turn: string,
  ): Promise<string> {
    const reply = await this.#run(retry, jobId, {
      id: jobId,
      to,
      state: JSON.stringify(state),
      key,
      ...settleArguments(settlement),
      // Polls come before new rows.
      priority: to === 'running' ? 0 : 1,
      turn,
    });
    return String(reply);
  }

  /** Removes a row. Returns false if it is submitting or running. */
  async remove(jobId: string): Promise<boolean> {
    return Number(await this.#run(remove, jobId, { id: jobId })) === 1;
  }

  /** Redis's time in ms. */
  async now(): Promise<number> {
    const [seconds, microseconds] = await this.redis.time();
    return Number(seconds) * 1_000 + Math.floor(Number(microseconds) / 1_000);
  }

  /** The number of rows by status, all at the same time. Waiting ones are the jobs that have no other status. */
  async counts(): Promise<Record<RowStatus, number>> {
    const key = (name: string) => this.#queue.toKey(name);
    const replies = await this.redis
      .multi()
      .hmget(this.#key('counts'), 'submitting', 'running', 'succeeded', 'failed', 'unknown')
      .llen(key('wait'))
      .llen(key('active'))
      .zcard(key('prioritized'))
      .zcard(key('delayed'))
      .zcard(key('completed'))
      .zcard(key('failed'))
      .exec();
    const [known, ...jobs] = replies?.map(([, reply]) => reply) ?? [];
    const numbers = Array.isArray(known) ? known.map(Number) : [];
    const [submitting = 0, running = 0, succeeded = 0, failed = 0, unknown = 0] = numbers;
    const waiting = sum(jobs.map(Number)) - sum(numbers);
    return { waiting: Math.max(0, waiting), submitting, running, succeeded, failed, unknown };
  }

  /** Ids of jobs that ended after the given number, in order, with their numbers. */
  async endedAfter(number: number, count: number): Promise<[jobId: string, number: number][]> {
    const reply = await this.redis.zrange(
      this.#key('results'),
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

  /** The numbers of ended rows; null for those that have been removed or retried. */
  async endNumbers(jobIds: readonly string[]): Promise<(number | null)[]> {
    const numbers = await this.redis.zmscore(this.#key('results'), ...jobIds);
    return numbers.map((number) => (number === null ? null : Number(number)));
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
    const meta = this.#key('meta');
    await this.redis.multi().hsetnx(meta, 'paused', reason).publish(meta, reason).exec();
  }

  async resume(): Promise<void> {
    const meta = this.#key('meta');
    await this.redis.multi().hdel(meta, 'paused').publish(meta, '').exec();
  }

  /** Deletes what the queue stores in addition to its jobs. */
  async clear(): Promise<void> {
    const names = ['counts', 'meta', 'spend', 'reservations', 'results'];
    const meta = this.#key('meta');
    const keys = names.map((name) => this.#key(name));
    await this.redis
      .multi()
      .del(...keys)
      .publish(meta, '')
      .exec();
  }

  #key(name: string): string {
    return this.#queue.toKey(`polygate:${name}`);
  }

  /** Runs a script for a job. */
  async #run<Argument extends string>(
    script: LuaScript<keyof ScriptKeys, Argument>,
    jobId: string,
    args: Readonly<Record<Argument, string | number>>,
  ): Promise<unknown> {
    const keys = scriptKeys((name) => this.#queue.toKey(name), jobId, this.#slotKeys);
    return runScript(this.redis, script, keys, args);
  }
}

type ScriptKeys = ReturnType<typeof scriptKeys>;

/** The keys that scripts can change: those of a row, of its queue and its account, and the lists of BullMQ. */
function scriptKeys(
  toKey: (name: string) => string,
  jobId: string,
  slotKeys: { readonly slots: string; readonly clock: string },
) {
  return {
    ...slotKeys,
    row: toKey(jobId),
    counts: toKey('polygate:counts'),
    meta: toKey('polygate:meta'),
    spend: toKey('polygate:spend'),
    reservations: toKey('polygate:reservations'),
    results: toKey('polygate:results'),
    wait: toKey('wait'),
    active: toKey('active'),
    prioritized: toKey('prioritized'),
    delayed: toKey('delayed'),
    completed: toKey('completed'),
    failed: toKey('failed'),
    marker: toKey('marker'),
  };
}

/** The key of an account's slots. All queues with this prefix and base URL share them. */
export const slotsKey = (prefix: string, baseURL: string) =>
  `${prefix}:polygate:slots:${createHash('sha256').update(baseURL).digest('hex').slice(0, 16)}`;

const sum = (numbers: readonly number[]) => numbers.reduce((total, number) => total + number, 0);

function parseRow(fields: readonly (string | null)[]): StoredRow | undefined {
  const [text, status, stateText, turn, timestamp] = fields;
  const data: unknown = text ? JSON.parse(text) : undefined;
  if (!isRowData(data)) return undefined;
  const state = unchecked<RowState>(stateText ? JSON.parse(stateText) : {});
  return {
    data,
    status: unchecked<RowStatus>(textOf(status) ?? 'waiting'),
    state,
    key: state.key ?? data.key,
    turn: turn ?? '0',
    version: `${timestamp ?? ''} ${turn ?? '0'}`,
  };
}

/** Whether a value is the data of a row, and not of another kind of job. */
function isRowData(value: unknown): value is RowData {
  return isRecord(value) && typeof value.hash === 'string' && typeof value.path === 'string';
}
