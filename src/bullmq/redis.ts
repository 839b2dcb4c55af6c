import { createHash } from 'node:crypto';

import type { ConnectionOptions } from 'bullmq';
import { Redis } from 'ioredis';

import { PolygateError } from '../errors/base.ts';
import { ConfigurationError } from '../errors/configuration.ts';
import { ConnectionError } from '../errors/connection.ts';
import { unchecked } from '../schemas/schema.ts';
import { isRecord } from '../schemas/type-guards.ts';

/** How long a call waits for Redis, in ms, before it rejects. */
const maxRedisTime = 14_000;

/**
 * Rejects if Redis does not respond in time. The steps may still happen later: all of them can be repeated.
 *
 * @throws {@link ConnectionError}
 */
export async function withinTime<Result>(work: Promise<Result>): Promise<Result> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(unreachable('no response')), maxRedisTime);
  });
  try {
    return await Promise.race([work, timeout]);
  } catch (error) {
    if (PolygateError.is(error)) throw error;
    throw unreachable(error instanceof Error ? error.message : String(error), error);
  } finally {
    clearTimeout(timer);
  }
}

function unreachable(reason: string, cause?: unknown): ConnectionError {
  return new ConnectionError(
    `Redis: ${reason}. This call sent nothing to the service, but its change may be made once Redis is back. Call it again: no row is paid twice.`,
    { cause },
  );
}

/**
 * Connects to Redis, unless the caller has passed a connection, which may be of another copy of ioredis.
 *
 * @throws {@link ConfigurationError}
 */
export function connect(connection: ConnectionOptions): { redis: Redis; isOwn: boolean } {
  const { url, ...options }: Record<string, unknown> = { ...connection };
  if ('duplicate' in connection && typeof connection.duplicate === 'function') {
    const redis = unchecked<Redis & { isCluster?: boolean }>(connection);
    if (typeof redis.evalsha === 'function' && !redis.isCluster) return { redis, isOwn: false };
    throw new ConfigurationError('connection: must be options, or a Redis instance of ioredis.');
  }
  // Commands wait for a lost connection instead of failing: the time limit of each call is `withinTime`.
  const settings = { ...options, maxRetriesPerRequest: null };
  const redis = typeof url === 'string' ? new Redis(url, settings) : new Redis(settings);
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

const hashes = new Map<string, string>();

/** Runs a script, which Redis keeps by its hash. */
export async function runScript(
  redis: Redis,
  script: string,
  keys: readonly string[],
  args: readonly (string | number)[],
): Promise<unknown> {
  const hash = hashes.get(script) ?? createHash('sha1').update(script).digest('hex');
  hashes.set(script, hash);
  try {
    return await redis.evalsha(hash, keys.length, ...keys, ...args);
  } catch (error) {
    // Redis forgets scripts when it restarts.
    if (!(isRecord(error) && String(error.message).startsWith('NOSCRIPT'))) throw error;
    return redis.eval(script, keys.length, ...keys, ...args);
  }
}
