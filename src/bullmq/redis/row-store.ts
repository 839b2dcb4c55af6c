/**
 * Steps that must be atomic are Lua scripts: Redis runs each one without interruption, so two processes cannot be in the
 * middle of one at the same time, and a process that dies has run it completely or not at all.
 *
 * A row is the hash of its job, with more fields:
 *
 * - `pg:status` and `pg:state`, its `RowStatus` and `RowState`.
 * - `pg:turn`, the fencing token of the latest admission or retry: only its holder may move the row. If two processes
 *   work on one row, because the first one has lost its lock, that is the one with the latest turn. A row that was
 *   deleted and added again never has a turn of the earlier one.
 * - `pg:admission` and `pg:retry`, the latest admission, with its turn, and the latest retry: see `attempt` in
 *   `scripts/admit.ts` and `scripts/retry.ts`.
 * - `pg:spent`, `pg:paid` and `pg:task`, its charges, and the key and the task of the last one, and `pg:unpriced`: see
 *   `scripts/settle.ts`.
 */
import { randomUUID } from 'node:crypto';

import type { Queue } from 'bullmq';
import type { Redis } from 'ioredis';

import { isUnpriced } from '../../internal/row-budget.ts';
import { unchecked } from '../../types/schema.ts';
import type { BudgetDecision } from '../decisions/budget.ts';
import type { Move } from '../move.ts';
import type { RowStatus } from '../row.ts';
import { jobIdOf } from '../stored-row.ts';
import type { RowData, StoredRow } from '../stored-row.ts';
import { jobListKeys } from './bullmq-layout.ts';
import { channelsOf, queueKeys } from './keys.ts';
import type { AccountKeys } from './keys.ts';
import { parseRow, parseRowData, rowFields } from './parse-row.ts';
import { admit } from './scripts/admit.ts';
import { lateCharge } from './scripts/late-charge.ts';
import { renew } from './scripts/leases.ts';
import { runScript } from './scripts/lua-script.ts';
import type { LuaScript } from './scripts/lua-script.ts';
import { move } from './scripts/move.ts';
import { readSpend } from './scripts/read-spend.ts';
import { remove } from './scripts/remove.ts';
import { retry } from './scripts/retry.ts';
import { settleArguments } from './scripts/settle.ts';
import { toNanoUsd } from './spend.ts';

/**
 * Whether a row may submit now, and why not: no slot is free, or the budget may cover it when others have ended (`full`); it is
 * no longer waiting, or has changed since it was read (`gone`); the queue is `paused`, or pauses now because its budget is
 * `exceeded`; or the budget has `changed` since it was read.
 */
export type Admission =
  | { readonly admitted: true; readonly turn: string }
  | { readonly admitted: false; readonly reason: Refusal };

type Refusal = 'full' | 'gone' | 'paused' | 'exceeded' | 'changed';

/** What is decided about the budget for a row, and what it was decided from; that is empty without a limit. */
export interface Claim extends Pick<BudgetDecision, 'decision' | 'reservation'> {
  readonly seen: string;
}

/** A row as its caller has read it. It is changed only if it still has this turn. */
type HeldRow = Pick<StoredRow, 'jobId' | 'key' | 'turn'>;

/** What the scripts `retry` and `remove` return: a status is one that does not allow it. */
type RetryReply = 'ok' | 'busy' | 'missing' | RowStatus;
type RemoveReply = 'removed' | 'changed' | 'submitting' | 'running';

/** Reads and changes the rows of one queue. */
export class RowStore {
  readonly redis: Redis;
  readonly #toKey: (name: string) => string;
  readonly #accountKeys: AccountKeys;

  constructor(redis: Redis, jobs: Queue<RowData>, account: AccountKeys) {
    this.redis = redis;
    this.#toKey = (name) => jobs.toKey(name);
    this.#accountKeys = account;
  }

  /** Reads a row; undefined if there is none. */
  async read(id: string): Promise<StoredRow | undefined> {
    return this.readJob(jobIdOf(id));
  }

  /** Reads the row of a job; undefined if there is none, or if it is another kind of job. */
  async readJob(jobId: string): Promise<StoredRow | undefined> {
    return parseRow(jobId, await this.redis.hmget(this.#toKey(jobId), ...rowFields));
  }

  async readJobs(jobIds: readonly string[]): Promise<(StoredRow | undefined)[]> {
    return Promise.all(jobIds.map((jobId) => this.readJob(jobId)));
  }

  /** Reads what jobs contain, which never changes; undefined for those that are not there. */
  async readData(jobIds: readonly string[]): Promise<(RowData | undefined)[]> {
    const read = (jobId: string) => this.redis.hget(this.#toKey(jobId), 'data');
    return (await Promise.all(jobIds.map(read))).map(parseRowData);
  }

  /** Reads what the queue has spent, as a text for {@link Claim} and `parseSpend`. */
  async readSpend(): Promise<string> {
    return String(await runScript(this.redis, readSpend, queueKeys(this.#toKey), {}));
  }

  /**
   * Takes a slot, a reservation and the right to submit for a row, if neither the row nor what decided the claim has changed.
   * Repeated with the same `attempt`, it takes them once.
   */
  async admit(
    { jobId, data, turn, addedAt }: Pick<StoredRow, 'jobId' | 'data' | 'turn' | 'addedAt'>,
    { decision, reservation, seen }: Claim,
    attempt: string,
  ): Promise<Admission> {
    const reply = await this.#run(admit, jobId, {
      seen,
      decision,
      amount: toNanoUsd(reservation.usd),
      unpriced: isUnpriced(reservation) ? data.path : '',
      turn,
      added: addedAt,
      attempt,
    });
    const [result, newTurn] = unchecked<AdmitReply>(reply);
    return result === 'ok'
      ? { admitted: true, turn: newTurn }
      : { admitted: false, reason: result };
  }

  /** Moves a row. Returns false if its status or turn has changed. */
  async move(
    { jobId, data, key, turn }: HeldRow & Pick<StoredRow, 'data'>,
    { from, to, state, settlement, limit, pause }: Move,
  ): Promise<boolean> {
    const reply = await this.#run(move, jobId, {
      before: from,
      turn,
      to,
      state: JSON.stringify(state),
      key,
      path: data.path,
      ...settleArguments(settlement),
      limit: limit ?? '',
      pause: pause ?? '',
      channel: channelsOf(this.#toKey).ended,
    });
    return Number(reply) === 1;
  }

  /** Counts the charge of a completion that no move could record. Returns false if one has recorded it already. */
  async countLateCharge(
    { jobId, data, turn, addedAt }: Pick<StoredRow, 'jobId' | 'data' | 'turn' | 'addedAt'>,
    chargeUsd: number,
  ): Promise<boolean> {
    const charge = toNanoUsd(chargeUsd);
    const args = { path: data.path, turn, added: addedAt, charge };
    return Number(await this.#run(lateCharge, jobId, args)) === 1;
  }

  /** Renews the slots of rows that this process submits. */
  async renew(jobIds: readonly string[]): Promise<void> {
    const rows = jobIds.map((jobId) => this.#toKey(jobId));
    await runScript(this.redis, renew, this.#accountKeys, { rows: JSON.stringify(rows) });
  }

  /** Reopens an ended row, if it has not changed since it was read. */
  async retry(
    { jobId, key, turn }: HeldRow,
    { to, state, settlement }: Omit<Move, 'from'>,
  ): Promise<RetryReply> {
    const reply = await this.#run(retry, jobId, {
      to,
      state: JSON.stringify(state),
      key,
      ...settleArguments(settlement),
      priority: to === 'running' ? pollPriority : submitPriority,
      turn,
      attempt: randomUUID(),
    });
    return unchecked<RetryReply>(reply);
  }

  /** Removes a row, if it has not changed since it was read. */
  async remove({ jobId, key, turn }: HeldRow): Promise<RemoveReply> {
    const reply = await this.#run(remove, jobId, { key, turn });
    return unchecked<RemoveReply>(reply);
  }

  /** Redis's time in ms. */
  async now(): Promise<number> {
    // Not `time()`: ioredis sends it before a new connection is ready, and never settles it if that connection is lost.
    const reply = await this.redis.eval("return redis.call('TIME')", 0);
    const [seconds, microseconds] =
      unchecked<readonly [seconds: string, microseconds: string]>(reply);
    return Number(seconds) * 1_000 + Math.floor(Number(microseconds) / 1_000);
  }

  /** Runs a script for a job. */
  async #run<Argument extends string>(
    script: LuaScript<keyof RowKeys, Argument | 'id'>,
    jobId: string,
    args: Readonly<Record<Argument, string | number>>,
  ): Promise<unknown> {
    const keys: RowKeys = {
      ...this.#accountKeys,
      ...queueKeys(this.#toKey),
      ...jobListKeys(this.#toKey),
      row: this.#toKey(jobId),
    };
    return runScript(this.redis, script, keys, { ...args, id: jobId });
  }
}

/** Jobs with a lower priority come first, so polls come before new rows. */
export const pollPriority = 0;
export const submitPriority = 1;

/** Keys that the scripts of a row use. */
interface RowKeys
  extends AccountKeys, ReturnType<typeof queueKeys>, ReturnType<typeof jobListKeys> {
  readonly row: string;
}

/** What the script `admit` returns. */
type AdmitReply = readonly ['ok', turn: string] | readonly [Refusal, turn?: undefined];
