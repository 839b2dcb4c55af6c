import type { ConnectionOptions } from 'bullmq';
import type { Polygate } from 'polygate';

import {
  contextOf,
  booleanValue,
  checkOptions,
  checkValue,
  nonNegativeNumber,
  oneOf,
  positiveInteger,
  signalRule,
  stringValue,
} from '../../internal.ts';
import type { Rules } from '../../internal.ts';
import { isNonEmptyString, isRecord } from '../../wire/types/type-guards.ts';

/** Options of a {@link GenerationQueue}. */
export interface GenerationQueueOptions {
  /** The client that submits and polls. Its account pays. All processes of a queue must use the same account. */
  gateway: Polygate;
  /**
   * How to connect to Redis, as in BullMQ: options such as `{ url }`, or a `Redis` instance of ioredis, which stays
   * open when the queue is closed. Use a Redis that never evicts keys (`maxmemory-policy noeviction`) and that keeps
   * them when it restarts (AOF).
   */
  connection: ConnectionOptions;
  /**
   * Prefix of all keys in Redis, as in BullMQ. Queues with one prefix and one `baseURL` share the slots of the account,
   * so queues for different accounts need different prefixes. Idempotency keys are derived from prefix and
   * name, but not from the Redis server.
   * @defaultValue `'bull'`
   */
  prefix?: string | undefined;
  /**
   * Maximum total that all processes together spend on this queue, in USD; pass the same value in all of them. The
   * queue pauses when the next row would exceed it, and logs why. The price of a row is reserved before it is
   * submitted; with a `fallback`, that of its most expensive model. What is reserved counts until the charge is known,
   * so also if a response was lost or reports no charge.
   *
   * A row without a known price, such as a chat, reserves the largest charge so far for a request to the same endpoint.
   * If it costs more, the difference can exceed the limit. Until the first charge is known, such rows are submitted one
   * at a time, and the queue pauses after four that may have been charged. If all charges so far are 0, at most four
   * are in flight.
   * @defaultValue no limit
   */
  maxUsd?: number | undefined;
  /**
   * How long to wait for a task after it was accepted, in ms. After that, the row ends as `unknown`, with its receipt.
   * @defaultValue 1,800,000 (30 minutes)
   */
  waitTimeout?: number | undefined;
  /**
   * How many submissions of a row may fail before it ends, with growing delays between them. Each includes the client's
   * own retries. Killed workers and rejections for lack of a slot, balance,
   * budget or a valid API key are not counted.
   * @defaultValue 5
   */
  attempts?: number | undefined;
}

const queueRules = {
  gateway: [(value) => isRecord(value) && 'images' in value && 'models' in value, 'a Polygate'],
  connection: [
    isRecord,
    "options such as { url: 'redis://127.0.0.1:6379' }, or a Redis instance of ioredis",
  ],
  prefix: stringValue,
  maxUsd: nonNegativeNumber,
  waitTimeout: nonNegativeNumber,
  attempts: positiveInteger,
} satisfies Rules;

/** What a queue does, with all defaults. */
export interface QueueSettings {
  readonly gateway: Polygate;
  readonly prefix: string;
  readonly maxUsd: number | undefined;
  readonly waitTimeout: number;
  readonly attempts: number;
}

/**
 * Checks the arguments of a new queue, and returns its settings.
 *
 * @throws `ConfigurationError`
 */
export function queueSettings(name: string, options: GenerationQueueOptions): QueueSettings {
  checkValue('name', name ?? null, [
    (value) => isNonEmptyString(value) && !value.includes(':'),
    'a non-empty string without a colon',
  ]);
  checkOptions(options, queueRules);
  checkValue('gateway', options.gateway ?? null, queueRules.gateway);
  contextOf(options.gateway);
  checkValue('connection', options.connection ?? null, queueRules.connection);
  const { gateway, prefix = 'bull', maxUsd, waitTimeout = 1_800_000, attempts = 5 } = options;
  return { gateway, prefix, maxUsd, waitTimeout, attempts };
}

/** Options of {@link GenerationQueue.work}. */
export interface WorkOptions {
  /**
   * Number of steps at a time, each of which is a submission or a poll. Waiting tasks occupy none.
   * @defaultValue 50
   */
  concurrency?: number | undefined;
  /** Closes the worker when it aborts, as `close()` does. */
  signal?: AbortSignal | undefined;
}

export const workRules: Rules = { concurrency: positiveInteger, signal: signalRule };

/** Options of {@link GenerationQueue.results}. */
export interface ResultsOptions {
  /**
   * `'start'` first yields the rows that have ended already.
   * @defaultValue `'now'`
   */
  from?: 'now' | 'start' | undefined;
}

export const resultsRules: Rules = { from: oneOf('now', 'start') };

/** Options of {@link GenerationQueue.retry}. */
export interface RetryOptions {
  /**
   * Submits the row under a new idempotency key: a new task, which is charged again.
   * @defaultValue false
   */
  anew?: boolean | undefined;
}

export const retryRules: Rules = { anew: booleanValue };
