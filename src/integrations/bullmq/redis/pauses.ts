import type { Redis } from 'ioredis';

import { unchecked } from '../../../wire/types/schema.ts';
import type { PauseReason } from '../decisions/step.ts';
import type { RedisKeys } from './keys.ts';

/** Why a queue is paused. The script `admit` submits no rows of a paused queue. */
export class Pauses {
  readonly #redis: Redis;
  readonly #keys: RedisKeys;

  constructor(redis: Redis, keys: RedisKeys) {
    this.#redis = redis;
    this.#keys = keys;
  }

  async reason(): Promise<PauseReason | undefined> {
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
}
