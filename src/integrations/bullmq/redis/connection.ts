import type { ConnectionOptions } from 'bullmq';
import { Redis } from 'ioredis';

import { ConfigurationError } from '../../../errors/base.ts';
import { unchecked } from '../../../wire/types/schema.ts';

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
