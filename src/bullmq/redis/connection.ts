import type { ConnectionOptions } from 'bullmq';
import { Redis } from 'ioredis';

import { PolygateError } from '../../errors/base.ts';
import { ConfigurationError } from '../../errors/configuration.ts';
import { ConnectionError } from '../../errors/connection.ts';
import { unchecked } from '../../types/schema.ts';

/** Documented: every call rejects within this time, in ms, while Redis is unreachable. */
const maxOutageTime = 20_000;

/**
 * How often to look for changes although none was announced, in ms: an announcement can be lost. `result()` can wait
 * this long before it notices an outage.
 */
export const maxSilence = 5_000;

/** How long one request to Redis may take, in ms. A second is left for timers that are late. */
const maxRedisTime = maxOutageTime - maxSilence - 1_000;

/**
 * Rejects if Redis does not respond in time. The steps may still happen later: all of them can be repeated.
 *
 * @throws `ConnectionError`
 */
export async function withinTime<Result>(work: Promise<Result>): Promise<Result> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<never>((_, reject) => {
    timer = setTimeout(
      () => reject(unreachable(`no response within ${maxRedisTime / 1_000} s`)),
      maxRedisTime,
    );
  });
  try {
    return await Promise.race([work, timeout]);
  } catch (error) {
    if (PolygateError.is(error) || isBug(error)) throw error;
    throw unreachable(error instanceof Error ? error.message : String(error), error);
  } finally {
    clearTimeout(timer);
  }
}

/** Whether an error comes from this code or from a damaged row, and not from Redis or the connection to it. */
export const isBug = (error: unknown): boolean =>
  [SyntaxError, TypeError, RangeError, ReferenceError].some((kind) => error instanceof kind);

function unreachable(reason: string, cause?: unknown): ConnectionError {
  return new ConnectionError(
    `Redis: ${reason.replace(/\.$/, '')}. Nothing was sent to the service. If this call changes the queue, Redis may still make the change later. Check the connection to Redis and repeat the call: no row is paid for twice.`,
    { cause },
  );
}

interface Connection {
  readonly redis: Redis;
  /** Whether the queue must close it. */
  readonly isOwn: boolean;
}

/**
 * Connects to Redis, unless the caller has passed a connection, which may be of another copy of ioredis.
 *
 * @throws `ConfigurationError`
 */
export function connect(options: ConnectionOptions): Connection {
  const { redis, isOwn } = open(options);
  if (!redis.options.keyPrefix) return { redis, isOwn };
  if (isOwn) redis.disconnect();
  throw new ConfigurationError('connection: must have no keyPrefix; use the option prefix.');
}

function open(connection: ConnectionOptions): Connection {
  const { url, ...options }: Record<string, unknown> = { ...connection };
  if ('duplicate' in connection && typeof connection.duplicate === 'function') {
    const redis = unchecked<Redis & { isCluster?: boolean }>(connection);
    if (redis.isCluster) {
      throw new ConfigurationError(
        "connection: is a Cluster, which is not supported. Pass the options of one server, or of one endpoint in front of the cluster together with a prefix in braces, such as '{pictures}'.",
      );
    }
    if (typeof redis.evalsha === 'function') return { redis, isOwn: false };
    throw new ConfigurationError(
      'connection: is a client of another library. Pass options such as { url }, or a Redis instance of ioredis.',
    );
  }
  // Commands wait for a lost connection instead of failing: the time limit of each call is `withinTime`.
  const settings = { ...options, maxRetriesPerRequest: null };
  const redis = typeof url === 'string' ? new Redis(url, settings) : new Redis(settings);
  // Lost connections are restored by ioredis.
  redis.on('error', () => undefined);
  return { redis, isOwn: true };
}

/** Opens another connection to the same Redis. It never gives up, and its errors are not reported. */
export function reconnecting(redis: Redis): Redis {
  const connection = redis.duplicate({
    maxRetriesPerRequest: null,
    lazyConnect: false,
    enableOfflineQueue: true,
  });
  return connection.on('error', () => undefined);
}

/**
 * Returns a list of a connection and all that are duplicated from it. BullMQ opens another connection, and cannot close
 * it while Redis is unreachable.
 */
export function trackDuplicates(connection: Redis): readonly Redis[] {
  const connections = [connection];
  const duplicate = connection.duplicate.bind(connection);
  connection.duplicate = (...options) => {
    const copy = duplicate(...options);
    connections.push(copy);
    return copy;
  };
  return connections;
}

/**
 * Closes a connection for good, and rejects its commands. If it is waiting to reconnect, `disconnect()` alone would
 * leave them and BullMQ waiting forever, and BullMQ would keep the process alive.
 */
export function disconnect(redis: Redis): void {
  if (redis.status === 'end') return;
  if (redis.status === 'reconnecting') redis.connect().catch(() => undefined);
  redis.disconnect();
}

/** For how long a change is repeated while Redis is unreachable, and how often, in ms. */
const maxOutage = 600_000;
const repeatDelay = 2_000;

/**
 * Makes a change that only this process can make, even if Redis is unreachable for a while. Calls `onOutage` before it repeats
 * the change for the first time. Gives up when the connection was closed, because it would keep the process alive in vain.
 */
export async function repeatInOutage<Result>(
  redis: Redis,
  change: () => Promise<Result>,
  onOutage?: (error: unknown) => void,
): Promise<Result> {
  const giveUpAt = performance.now() + maxOutage;
  for (let isFirst = true; ; isFirst = false) {
    try {
      return await change();
    } catch (error) {
      if (isBug(error) || redis.status === 'end' || performance.now() > giveUpAt) throw error;
      if (isFirst) onOutage?.(error);
      await new Promise((resolve) => void setTimeout(resolve, repeatDelay));
    }
  }
}
