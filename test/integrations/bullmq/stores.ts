import { randomUUID } from 'node:crypto';

import { Queue } from 'bullmq';
import { Redis } from 'ioredis';
import type { SucceededGeneration } from 'polygate';

import { unpaid } from '../../../src/integrations/bullmq/decisions/settlement.ts';
import type {
  Admission,
  Move,
  PauseReason,
} from '../../../src/integrations/bullmq/decisions/step.ts';
import { redisKeys } from '../../../src/integrations/bullmq/redis/keys.ts';
import type { Channels, RedisKeys } from '../../../src/integrations/bullmq/redis/keys.ts';
import { QueueState } from '../../../src/integrations/bullmq/redis/queue-state.ts';
import { RowStore } from '../../../src/integrations/bullmq/redis/row-store.ts';
import { jobIdOf } from '../../../src/integrations/bullmq/row.ts';
import type { RowData, RowVersion, StoredRow } from '../../../src/integrations/bullmq/row.ts';
import { admitRow } from '../../../src/integrations/bullmq/worker/admissions.ts';
import type { PricedUnits } from '../../../src/paid/prices.ts';

let lastPrefix = 0;

/**
 * What a process sees of a queue. Its changes are made to the row as it is now, unless a test passes what it has read
 * earlier.
 */
class LatestStore {
  readonly rows: RowStore;
  readonly state: QueueState;
  readonly channels: Channels;

  constructor(redis: Redis, keys: RedisKeys) {
    this.rows = new RowStore(redis, keys);
    this.state = new QueueState(redis, keys);
    this.channels = keys.channels;
  }

  async admit(
    jobId: string,
    priceUsd: number | undefined,
    maxUsd: number | undefined,
    given?: StoredRow,
    units?: PricedUnits,
  ): Promise<Admission> {
    for (;;) {
      const row = given ?? (await this.#rowOf(jobId));
      const admissionId = randomUUID();
      const admission = await admitRow(this.rows, {
        row,
        price: { usd: priceUsd, units },
        maxUsd,
        admissionId,
      });
      if (admission.admitted) return admission;
      if (admission.reason === 'changed') continue;
      if (admission.reason !== 'gone') return admission;
      if (given || (await this.#rowOf(jobId)).turn === row.turn) return admission;
    }
  }

  move(jobId: string, key: string, turn: string, change: Move): Promise<boolean> {
    return this.rows.move({ ...missingRow(jobId), key, turn }, change);
  }

  async retry(
    jobId: string,
    key: string,
    change: Omit<Move, 'from'>,
    given?: string,
  ): Promise<string> {
    const turn = given ?? (await this.#rowOf(jobId)).turn;
    return this.rows.retry({ ...missingRow(jobId), key, turn }, change);
  }

  /** Removes a row. Returns false if it is submitting or running. */
  async remove(jobId: string): Promise<boolean> {
    for (;;) {
      const result = await this.rows.remove(await this.#rowOf(jobId));
      if (result !== 'changed') return result === 'removed';
    }
  }

  readJob = (jobId: string) => this.rows.readJob(jobId);
  renew = (jobIds: readonly string[]) => this.rows.renew(jobIds);
  counts = () => this.state.counts();
  endedAfter = (number: number, count: number) => this.state.endedAfter(number, count);
  lastEnded = () => this.state.lastEnded();
  pause = (reason: PauseReason) => this.state.pause(reason);
  pauseReason = () => this.state.pauseReason();
  resume = () => this.state.resume();
  clear = () => this.state.clear();

  async #rowOf(jobId: string): Promise<RowVersion> {
    return (await this.readJob(jobId)) ?? missingRow(jobId);
  }
}

/** What a row is changed with that is not in Redis. */
const missingRow = (jobId: string): RowVersion => ({
  jobId,
  data: dataOf(jobId),
  key: 'none',
  turn: '0',
  addedAt: '0',
});

/** What the rows of these tests contain. */
const dataOf = (jobId: string): RowData => ({
  id: jobId.replace('row-', ''),
  kind: 'image',
  path: '/v1/images/generations',
  params: { model: 'm' },
  hash: 'h',
  key: `key ${jobId}`,
});

/** The rows of one queue as two processes see them, each with a connection of its own. */
export async function openStores(url: string) {
  lastPrefix += 1;
  const prefix = `stores${lastPrefix}`;
  const connections = [new Redis(url), new Redis(url)] as const;
  const open = (connection: Redis, name = 'rows') => {
    const queue = new Queue<RowData>(name, { connection, prefix });
    const keys = redisKeys(queue, { prefix, baseURL: 'https://a.example' });
    return { queue, keys, store: new LatestStore(connection, keys) };
  };
  const [{ queue, keys, store: first }, { queue: other, store: second }] = connections.map(
    (connection) => open(connection),
  ) as [ReturnType<typeof open>, ReturnType<typeof open>];
  const [redis] = connections;
  const key = (name: string) => `${prefix}:rows:polygate:${name}`;
  const { slots, clock } = keys.account;

  return {
    redis,
    queue,
    first,
    second,
    key,
    slots,
    clock,
    jobId: jobIdOf,
    /** Another queue that shares the slots. */
    openQueue: (name: string) => open(redis, name),
    row: (id: string) => `${prefix}:rows:${jobIdOf(id)}`,

    /** Adds rows, and returns the ids of their jobs. */
    async add(count: number): Promise<string[]> {
      const ids = Array.from({ length: count }, (_, index) => jobIdOf(`r${index}`));
      await queue.addBulk(
        ids.map((jobId) => ({
          name: 'image',
          data: dataOf(jobId),
          opts: { jobId, priority: 1 },
        })),
      );
      return ids;
    },
    setLimit: (limit: number) => redis.hset(clock, 'limit', limit, 'reported', 1),
    /** Lets leases grow older. */
    advanceTicks: (count: number) => redis.hincrby(clock, 'tick', count),
    /** What is spent and reserved, in USD. */
    async spend() {
      const { spent = 0, reserved = 0 } = await redis.hgetall(key('spend'));
      return { spent: Number(spent) / 1e9, reserved: Number(reserved) / 1e9 };
    },
    /** What a row has spent, in USD. */
    spentBy: async (jobId: string) =>
      Number((await redis.hget(queue.toKey(jobId), 'pg:spent')) ?? 0) / 1e9,
    /** Everything in Redis about the queue, to compare before and after. */
    async dump() {
      const names = (await redis.keys(`${prefix}:*`)).filter((name) => !name.endsWith(':events'));
      const digests = await redis.call('DEBUG', 'DIGEST-VALUE', ...names);
      const values = Array.isArray(digests) ? digests.map(String) : [];
      return new Map(names.map((name, index) => [name, values[index]] as const));
    },
    async [Symbol.asyncDispose]() {
      await Promise.all([queue.close(), other.close()]);
      for (const connection of connections) connection.disconnect();
    },
  };
}

export type Stores = Awaited<ReturnType<typeof openStores>>;

/** Takes a row from waiting to submitting, and returns its turn. */
export async function admitted({ first }: Stores, jobId: string, priceUsd = 0): Promise<string> {
  const admission = await first.admit(jobId, priceUsd, Number.MAX_SAFE_INTEGER);
  if (!admission.admitted) throw new Error(`not admitted: ${admission.reason}`);
  return admission.turn;
}

/** What a row has that has succeeded. Nothing reads it. */
const generation = { status: 'succeeded' } as SucceededGeneration;

/** Takes a row from waiting to its end, also in BullMQ. */
export async function ended(stores: Stores, jobId: string, change: Partial<Move>): Promise<string> {
  const turn = await admitted(stores, jobId, 0.1);
  const { first, redis, queue } = stores;
  const move: Move = {
    from: 'submitting',
    to: 'failed',
    state: change.to === 'succeeded' ? { generation } : {},
    settlement: unpaid,
    ...change,
  };
  if (!(await first.move(jobId, `key ${jobId}`, turn, move))) throw new Error('not moved');
  await redis.zrem(queue.toKey('prioritized'), jobId);
  const isFailed = move.to === 'failed' || move.to === 'unknown';
  await redis.zadd(queue.toKey(isFailed ? 'failed' : 'completed'), 1, jobId);
  return turn;
}
