import { createHash } from 'node:crypto';

import type { ConnectionOptions } from 'bullmq';
import { Redis } from 'ioredis';

import { ConnectionError } from '../errors/connection.ts';
import { isRecord } from '../schemas/type-guards.ts';

/** How long a call waits for Redis, in ms, before it rejects. */
const maxRedisTime = 18_000;

/**
 * Rejects if Redis does not respond in time. The step may still happen later: all of them can be repeated.
 *
 * @throws {@link ConnectionError}
 */
export async function withinTime<Result>(work: Promise<Result>): Promise<Result> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      const message = `Redis did not respond within ${maxRedisTime / 1_000} s. Try again: nothing is lost or paid twice.`;
      reject(new ConnectionError(message, {}));
    }, maxRedisTime);
  });
  try {
    return await Promise.race([work, timeout]);
  } catch (error) {
    if (ConnectionError.is(error)) throw error;
    const reason = error instanceof Error ? error.message : String(error);
    throw new ConnectionError(`Redis: ${reason}`, { cause: error });
  } finally {
    clearTimeout(timer);
  }
}

/** Connects to Redis, unless the caller has passed a connection. */
export function connect(connection: ConnectionOptions): { redis: Redis; isOwn: boolean } {
  if (connection instanceof Redis) return { redis: connection, isOwn: false };
  const { url, ...options }: Record<string, unknown> = { ...connection };
  const settings = { maxRetriesPerRequest: null, ...options };
  const redis = typeof url === 'string' ? new Redis(url, settings) : new Redis(settings);
  return { redis, isOwn: true };
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
