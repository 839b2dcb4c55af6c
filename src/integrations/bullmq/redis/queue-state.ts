import type { Redis } from 'ioredis';

import { unchecked } from '../../../wire/types/schema.ts';
import type { PauseReason } from '../decisions/step.ts';
import type { RowStatus } from '../row.ts';
import type { RedisKeys } from './keys.ts';

/** The state of a whole queue: how many rows it has, in which order they ended, and why it is paused. */
export class QueueState {
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

  /** Why the queue is paused, if it is. The script `admit` submits no rows of a paused queue. */
  async pauseReason(): Promise<PauseReason | undefined> {
    const reason = await this.#redis.hget(this.#keys.queue.meta, 'paused');
    return reason === null ? undefined : unchecked<PauseReason>(reason);
  }

  /** Pauses the queue, unless it is paused already. The scripts `admit` and `move` pause it together with a row. */
  async pause(reason: PauseReason): Promise<void> {
    const { queue, channels } = this.#keys;
    const pausing = this.#redis.multi().hsetnx(queue.meta, 'paused', reason);
    await pausing.publish(channels.paused, reason).exec();
  }

  async resume(): Promise<void> {
    const { queue, channels } = this.#keys;
    const resuming = this.#redis.multi().hdel(queue.meta, 'paused');
    await resuming.hincrby(queue.meta, 'resumes', 1).publish(channels.paused, '').exec();
  }

  /** Deletes what the queue stores in addition to its jobs, and announces that it is no longer paused. */
  async clear(): Promise<void> {
    const { queue, channels } = this.#keys;
    const deleting = this.#redis.multi().del(...Object.values(queue));
    await deleting.publish(channels.paused, '').exec();
  }
}

const sum = (numbers: readonly number[]) => numbers.reduce((total, number) => total + number, 0);
