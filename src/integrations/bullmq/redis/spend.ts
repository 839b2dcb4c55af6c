import type { Redis } from 'ioredis';

import { toNano, toUsd } from '../../../paid/amounts.ts';
import { unchecked } from '../../../wire/types/schema.ts';
import type { QueueSpend } from '../decisions/settlement.ts';
import type { PauseReason } from '../decisions/step.ts';
import type { RedisKeys } from './keys.ts';

/** Redis adds integers that are safe in JavaScript, too. */
export const storedNano = (nanoUsd: number): string =>
  String(Math.min(Number.MAX_SAFE_INTEGER, nanoUsd));

export const storedUsd = (usd: number): string => storedNano(toNano(usd));

export const fromNanoUsd = (amount = '0'): number => toUsd(Number(amount));

/** Parses what the script `readSpend` returns. */
export function parseSpend(text: string): QueueSpend {
  const words = text.split(' ');
  const fields = new Map<string, string>();
  for (let at = 0; at < words.length; at += 2) fields.set(words[at] ?? '', words[at + 1] ?? '');
  return {
    spentUsd: fromNanoUsd(fields.get('spent')),
    reservedUsd: fromNanoUsd(fields.get('reserved')),
    largest: byPath(fields, 'largest:', fromNanoUsd),
    above: byPath(fields, 'above:', Number),
    unpriced: byPath(fields, 'unpriced:', Number),
    submitting: Number(fields.get('submitting') ?? 0),
  };
}

function byPath(
  fields: ReadonlyMap<string, string>,
  prefix: string,
  parse: (text: string) => number,
): ReadonlyMap<string, number> {
  const found = [...fields].filter(([name]) => name.startsWith(prefix));
  return new Map(found.map(([name, value]) => [name.slice(prefix.length), parse(value)]));
}

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
