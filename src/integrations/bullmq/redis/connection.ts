import type { ConnectionOptions } from 'bullmq';
import { Redis } from 'ioredis';

import { ConfigurationError, PolygateError } from '../../../errors/base.ts';
import { ConnectionError } from '../../../errors/call.ts';
import { waitAtMost } from '../../../internal.ts';
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

// While Redis is unreachable, calls reject in time, and changes of a worker are repeated.

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
  try {
    return await waitAtMost(maxRedisTime, work, () => {
      throw unreachable(`no response within ${maxRedisTime / 1_000} s`);
    });
  } catch (error) {
    if (PolygateError.is(error) || isBug(error)) throw error;
    throw unreachable(error instanceof Error ? error.message : String(error), error);
  }
}

/** Whether an error comes from this code or from a damaged row, and not from Redis or the connection to it. */
export const isBug = (error: unknown): boolean =>
  [SyntaxError, TypeError, RangeError, ReferenceError].some((kind) => error instanceof kind);

function unreachable(reason: string, cause?: unknown): ConnectionError {
  return new ConnectionError(
    `Redis: ${reason.replace(/\.$/, '')}. Nothing was sent to the service. If this call changes the queue, Redis may still make the change later. Check the connection to Redis and repeat the call: no task is paid for twice.`,
    { cause, reason: 'unreachable' },
  );
}

/** For how long a change is repeated while Redis is unreachable, and how often, in ms. */
const maxOutage = 600_000;
const repeatDelay = 2_000;

/**
 * What Redis responds while it starts, is overloaded, or another server takes its place. Scripts add text around it.
 */
const temporary =
  /\b(ASK|BUSY|CLUSTERDOWN|LOADING|MASTERDOWN|MOVED|NOREPLICAS|OOM|READONLY|TRYAGAIN)\b/;

/** Whether Redis has rejected a command, for a reason that may never end. */
const isRejection = (error: unknown): boolean =>
  error instanceof Error && error.name === 'ReplyError' && !temporary.test(error.message);

/** What is called when a change fails and is repeated: for the first failure of its kind only. */
interface FailureObserver {
  /** Redis is unreachable, or will accept the change soon. */
  readonly onOutage?: (error: unknown) => void;
  /** Redis has rejected the change, perhaps because someone has changed its records. */
  readonly onRejection: (error: unknown) => void;
}

/**
 * Makes a change that only this process can make, even if Redis is unreachable or rejects it for a while. Gives up when
 * the connection was closed, because it would keep the process alive in vain.
 */
export async function repeatInOutage<Result>(
  redis: Redis,
  change: () => Promise<Result>,
  { onOutage, onRejection }: FailureObserver,
): Promise<Result> {
  const giveUpAt = performance.now() + maxOutage;
  const observed = new Set<unknown>();
  for (;;) {
    try {
      return await change();
    } catch (error) {
      if (isBug(error) || redis.status === 'end' || performance.now() > giveUpAt) throw error;
      const observe = isRejection(error) ? onRejection : onOutage;
      if (!observed.has(observe)) observe?.(error);
      observed.add(observe);
      await new Promise((resolve) => void setTimeout(resolve, repeatDelay));
    }
  }
}
