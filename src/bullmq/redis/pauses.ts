import type { Queue } from 'bullmq';
import type { Redis } from 'ioredis';

import { unchecked } from '../../types/schema.ts';
import type { PauseReason } from '../move.ts';
import type { RowData } from '../stored-row.ts';
import { queueKeys } from './keys.ts';

/** Why a queue is paused. The script `admit` submits no rows of a paused queue. */
export class Pauses {
  readonly #redis: Redis;
  readonly #keys: ReturnType<typeof queueKeys>;

  constructor(redis: Redis, jobs: Queue<RowData>) {
    this.#redis = redis;
    this.#keys = queueKeys((name) => jobs.toKey(name));
  }

  async reason(): Promise<PauseReason | undefined> {
    const reason = await this.#redis.hget(this.#keys.meta, 'paused');
    return reason === null ? undefined : unchecked<PauseReason>(reason);
  }

  /** Pauses the queue, unless it is paused already. The scripts `admit` and `move` pause it together with a row. */
  async pause(reason: PauseReason): Promise<void> {
    const { meta } = this.#keys;
    await this.#redis.multi().hsetnx(meta, 'paused', reason).publish(meta, reason).exec();
  }

  async resume(): Promise<void> {
    const { meta } = this.#keys;
    await this.#redis.multi().hdel(meta, 'paused').publish(meta, '').exec();
  }
}
