/**
 * Steps that must be atomic are Lua scripts: Redis runs each one without interruption, so two processes cannot be in
 * the middle of one at the same time, and a process that dies has run it completely or not at all.
 */
import { randomUUID } from 'node:crypto';

import type { Redis } from 'ioredis';

import { isUnpriced } from '../../../paid/limits.ts';
import type { Expected } from '../../../paid/limits.ts';
import type { PricedUnits } from '../../../paid/prices.ts';
import { unchecked } from '../../../wire/types/schema.ts';
import type { Decision } from '../decisions/settlement.ts';
import { priorityOf } from '../decisions/step.ts';
import type { Admission, Move, Refusal } from '../decisions/step.ts';
import type { RowStatus, RowData, RowVersion, StoredRow } from '../row.ts';
import { jobIdOf } from '../row.ts';
import { parseRow, parseRowData, rowFields } from './fields.ts';
import { dataField } from './keys.ts';
import type { RedisKeys } from './keys.ts';
import { admit, reserveMore } from './scripts/admit.ts';
import { renew, runScript } from './scripts/lua.ts';
import type { LuaScript } from './scripts/lua.ts';
import { move, remove, retry } from './scripts/rows.ts';
import {
  fromNanoUsd,
  lateCharge,
  readSpend,
  settleArguments,
  storedNano,
  storedUsd,
} from './scripts/spend.ts';

/** What is decided about the budget for a row, and what it was decided from; that is empty without a limit. */
export interface Claim {
  readonly decision: Decision;
  readonly reservation: Expected;
  /** What the row pays for, if that is known. */
  readonly units?: PricedUnits | undefined;
  readonly seen: string;
}

/** What the script `admit` returns. */
type AdmitReply = readonly ['ok', turn: string] | readonly [Refusal, turn?: undefined];

/** What the scripts `retry` and `remove` return: a status is one that does not allow it. */
type RetryReply = 'ok' | 'busy' | 'missing' | RowStatus;
type RemoveReply = 'removed' | 'changed' | 'submitting' | 'running';

/** Reads and changes the rows of one queue. */
export class RowStore {
  readonly redis: Redis;
  readonly #keys: RedisKeys;

  constructor(redis: Redis, keys: RedisKeys) {
    this.redis = redis;
    this.#keys = keys;
  }

  /** Reads a row; undefined if there is none. */
  async read(id: string): Promise<StoredRow | undefined> {
    return this.readJob(jobIdOf(id));
  }

  /** Reads the row of a job; undefined if there is none, or if it is another kind of job. */
  async readJob(jobId: string): Promise<StoredRow | undefined> {
    return parseRow(jobId, await this.redis.hmget(this.#keys.row(jobId), ...rowFields));
  }

  async readJobs(jobIds: readonly string[]): Promise<(StoredRow | undefined)[]> {
    return Promise.all(jobIds.map((jobId) => this.readJob(jobId)));
  }

  /** Reads what jobs contain, which never changes; undefined for those that are not there. */
  async readData(jobIds: readonly string[]): Promise<(RowData | undefined)[]> {
    const read = (jobId: string) => this.redis.hget(this.#keys.row(jobId), dataField);
    return (await Promise.all(jobIds.map(read))).map(parseRowData);
  }

  /** Reads what the queue has spent, as a text for {@link Claim} and `parseSpend`. */
  async readSpend(): Promise<string> {
    return String(await runScript(this.redis, readSpend, this.#keys.queue, {}));
  }

  /**
   * Takes a slot, a reservation and the right to submit for a row, if neither the row nor what decided the claim has
   * changed. Repeated with the same id, it takes them once.
   */
  async admit(
    { jobId, data, turn, addedAt }: RowVersion,
    { decision, reservation, units, seen }: Claim,
    admissionId: string,
  ): Promise<Admission> {
    const reply = await this.#run(admit, jobId, {
      seen,
      decision,
      amount: storedNano(reservation.nanoUsd),
      paying: units ? `${units.priceClass} ${units.units}` : '',
      unpriced: isUnpriced(reservation) ? data.path : '',
      turn,
      added: addedAt,
      admission: admissionId,
    });
    const [result, newTurn] = unchecked<AdmitReply>(reply);
    return result === 'ok'
      ? { admitted: true, turn: newTurn }
      : { admitted: false, reason: result };
  }

  /** Reads what is reserved for a row, in USD. */
  async reservedFor({ jobId }: RowVersion): Promise<number> {
    return fromNanoUsd((await this.redis.hget(this.#keys.queue.reservations, jobId)) ?? '0');
  }

  /** Reserves more for a row that is being submitted, unless what decided that has changed. */
  async reserveMore({ jobId, turn }: RowVersion, usd: number, seen: string) {
    const reply = await this.#run(reserveMore, jobId, { seen, amount: storedUsd(usd), turn });
    return unchecked<'ok' | 'changed' | 'gone'>(reply);
  }

  /** Moves a row. Returns false if its status or turn has changed. */
  async move(
    { jobId, data, key, turn }: RowVersion,
    { from, to, state, settlement, reportedUsd = 0, limit, pause }: Move,
  ): Promise<boolean> {
    const reply = await this.#run(move, jobId, {
      before: from,
      turn,
      to,
      state: JSON.stringify(state),
      key,
      path: data.path,
      ...settleArguments(settlement),
      reported: storedUsd(reportedUsd),
      limit: limit ?? '',
      pause: pause ?? '',
      channel: this.#keys.channels.ended,
    });
    return Number(reply) === 1;
  }

  /** Counts the charge of a chat that no move could record. Returns false if one has recorded it already. */
  async countLateCharge(
    { jobId, data, turn, addedAt }: RowVersion,
    chargeUsd: number,
  ): Promise<boolean> {
    const charge = storedUsd(chargeUsd);
    const args = { path: data.path, turn, added: addedAt, charge };
    return Number(await this.#run(lateCharge, jobId, args)) === 1;
  }

  /** Renews the slots of rows that this process submits. */
  async renew(jobIds: readonly string[]): Promise<void> {
    const rows = jobIds.map((jobId) => this.#keys.row(jobId));
    await runScript(this.redis, renew, this.#keys.account, { rows: JSON.stringify(rows) });
  }

  /** Reopens an ended row, if it has not changed since it was read. */
  async retry(
    { jobId, key, turn }: RowVersion,
    { to, state, settlement }: Omit<Move, 'from'>,
  ): Promise<RetryReply> {
    const reply = await this.#run(retry, jobId, {
      to,
      state: JSON.stringify(state),
      key,
      ...settleArguments(settlement),
      priority: priorityOf(to, state),
      turn,
      retry: randomUUID(),
    });
    return unchecked<RetryReply>(reply);
  }

  /** Removes a row, if it has not changed since it was read. */
  async remove({ jobId, key, turn }: RowVersion): Promise<RemoveReply> {
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
    script: LuaScript<ScriptKey, Argument | 'id'>,
    jobId: string,
    args: Readonly<Record<Argument, string | number>>,
  ): Promise<unknown> {
    return runScript(this.redis, script, scriptKeys(this.#keys, jobId), { ...args, id: jobId });
  }
}

/** The keys that scripts for a row use, by the names that they have there. */
const scriptKeys = ({ account, queue, lists, row }: RedisKeys, jobId: string) => ({
  ...account,
  ...queue,
  ...lists,
  row: row(jobId),
});

type ScriptKey = keyof ReturnType<typeof scriptKeys>;
