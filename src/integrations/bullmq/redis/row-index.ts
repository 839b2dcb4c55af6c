import type { Redis } from 'ioredis';

import type { RowStatus } from '../row.ts';
import type { RedisKeys } from './keys.ts';

/** How many rows a queue has, and in which order they ended. */
export class RowIndex {
  readonly #redis: Redis;
  readonly #keys: RedisKeys;

  constructor(redis: Redis, keys: RedisKeys) {
    this.#redis = redis;
    this.#keys = keys;
  }

  /** The number of rows by status, all at the same time. Waiting ones are the jobs that have no other status. */
  async counts(): Promise<Record<RowStatus, number>> {
    const { wait, active, prioritized, delayed, completed, failed: failedJobs } = this.#keys.lists;
    const replies = await this.#redis
      .multi()
      .hmget(this.#keys.queue.counts, 'submitting', 'running', 'succeeded', 'failed', 'unknown')
      .llen(wait)
      .llen(active)
      .zcard(prioritized)
      .zcard(delayed)
      .zcard(completed)
      .zcard(failedJobs)
      .exec();
    const [known, ...jobs] = replies?.map(([, reply]) => reply) ?? [];
    const numbers = Array.isArray(known) ? known.map(Number) : [];
    const [submitting = 0, running = 0, succeeded = 0, failed = 0, unknown = 0] = numbers;
    // Never negative: BullMQ's own tools can remove the job of a row that is still counted.
    const waiting = sum(jobs.map(Number)) - sum(numbers);
    return { waiting: Math.max(0, waiting), submitting, running, succeeded, failed, unknown };
  }

  /** Ids of jobs that ended after the given number, in order, with their numbers. */
  async endedAfter(number: number, count: number): Promise<[jobId: string, number: number][]> {
    const reply = await this.#redis.zrange(
      this.#keys.queue.results,
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
    const numbers = await this.#redis.zmscore(this.#keys.queue.results, ...jobIds);
    return numbers.map((number) => (number === null ? null : Number(number)));
  }

  /** The number of the last row that ended. */
  async lastEnded(): Promise<number> {
    return Number((await this.#redis.hget(this.#keys.queue.counts, 'ended')) ?? 0);
  }
}

const sum = (numbers: readonly number[]) => numbers.reduce((total, number) => total + number, 0);
