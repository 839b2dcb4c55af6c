import { ConfigurationError } from '../../../errors/base.ts';
import { toHex, checkOptions, objectWithMethods, stringValue } from '../../../internal.ts';
import { toNano, toUsd } from '../../../paid/amounts.ts';
import { holderOf } from '../limits/reservations.ts';
import { keyMemoryMs } from '../store/store.ts';
import type { Refusal, Store } from '../store/store.ts';
import * as scripts from './scripts.ts';

/** The methods of an ioredis client, or of its `Cluster`, that the store uses. */
export interface RedisClient {
  /** Runs a script that the server has loaded. */
  evalsha(sha1: string, numkeys: number, ...args: string[]): Promise<unknown>;
  /** Runs a script. */
  eval(script: string, numkeys: number, ...args: string[]): Promise<unknown>;
}

/** Options of {@link redisStore}. */
export interface RedisStoreOptions {
  /**
   * What the names of the keys in Redis begin with. Proxies with the same prefix share their users.
   *
   * @defaultValue 'polygate'
   */
  prefix?: string | undefined;
}

const refusals: readonly Refusal[] = ['usd', 'requests', 'concurrent', 'attempt'];

/**
 * Creates a store in Redis 6.2 or later, or Valkey, which any number of proxies can share. Each operation is one script.
 * Keys contain hashes of user ids. Everything expires, except the owners of resources. With an append-only file (AOF),
 * nothing is lost if Redis restarts.
 *
 * @example
 * ```ts
 * const store = redisStore(new Redis(process.env.REDIS_URL ?? 'redis://localhost:6379'));
 * ```
 *
 * @throws `ConfigurationError` if the client is not one of ioredis, or an option is invalid.
 */
export function redisStore(redis: RedisClient, options: RedisStoreOptions = {}): Store {
  const [isClient] = objectWithMethods('eval', 'evalsha');
  if (!isClient(redis, 'redis'))
    throw new ConfigurationError('redis: must be a client of ioredis.');
  checkOptions(options, { prefix: stringValue });
  const { prefix = 'polygate' } = options;
  const hashes = new Map<string, Promise<string>>();

  async function run(script: string, keys: readonly string[], args: readonly string[]) {
    const hash = hashes.get(script) ?? digest('SHA-1', script);
    hashes.set(script, hash);
    try {
      return await redis.evalsha(await hash, keys.length, ...keys, ...args);
    } catch (error) {
      // Redis forgets scripts when it restarts.
      if (!String(error).includes('NOSCRIPT')) throw error;
      return redis.eval(script, keys.length, ...keys, ...args);
    }
  }

  /** The keys of a user are in one slot of a cluster. */
  async function keysOf(user: string, ...names: (string | undefined)[]): Promise<string[]> {
    const base = `${prefix}:{${await digest('SHA-256', user)}}`;
    const hashed = names.map(async (name) => `${base}:${await digest('SHA-256', name ?? '')}`);
    return [base, ...(await Promise.all(hashed))];
  }

  const owners = [`${prefix}:owners`];
  return {
    async reserve(reservation) {
      const { user, request, attempt, limits, usd, key, isChargedOnce, body, leaseMs } =
        reservation;
      const input = {
        request,
        holder: holderOf(reservation),
        nanoUsd: toNano(usd),
        isShared: isChargedOnce && key !== undefined,
        hasAttempt: attempt !== undefined,
        body,
        leaseMs,
        limits: limits && {
          ...limits,
          nanoUsd: limits.usd === undefined ? undefined : toNano(limits.usd),
        },
      };
      const keys = await keysOf(user, `attempt ${attempt}`, `key ${key}`);
      const [refused, spent, end] = list(await run(scripts.reserve, keys, [JSON.stringify(input)]));
      return {
        refused: refusals.find((name) => name === refused),
        spentUsd: toUsd(Number(spent)),
        windowEndsAt: Number(end),
      };
    },

    async settle(settlement) {
      const { user, key, attempt, usd, isChargedOnce: _, ...outcome } = settlement;
      const input = {
        ...outcome,
        holder: holderOf(settlement),
        nanoUsd: toNano(usd),
        hasKey: key !== undefined,
        freesAttempt: outcome.as === 'not-sent' && attempt !== undefined,
        keyMemoryMs: keyMemoryMs(outcome.windowMs),
      };
      const names = [`key ${key}`, `attempt ${attempt}`, `settled ${outcome.request}`];
      const keys = await keysOf(user, ...names);
      await run(scripts.settle, keys, [JSON.stringify(input)]);
    },

    async renew(user, requests, leaseMs) {
      await run(scripts.renew, await keysOf(user), [JSON.stringify({ requests, leaseMs })]);
    },

    async usage(user, windowMs) {
      const result = await run(scripts.usage, await keysOf(user), [JSON.stringify({ windowMs })]);
      const [usd = 0, reserved = 0, requests = 0, inFlight = 0, windowEndsAt = 0] =
        list(result).map(Number);
      return { usd: toUsd(usd), reservedUsd: toUsd(reserved), requests, inFlight, windowEndsAt };
    },

    async own(user, resources) {
      await run(scripts.own, owners, [user, ...resources].map(encode));
    },

    async ownersOf(resources) {
      const found = list(await run(scripts.ownersOf, owners, resources.map(encode)));
      return resources.map((_, index) => {
        const owner = found[index];
        return typeof owner === 'string' ? decode(owner) : undefined;
      });
    },
  };
}

function list(result: unknown): readonly unknown[] {
  return Array.isArray(result) ? result : [];
}

async function digest(algorithm: 'SHA-1' | 'SHA-256', text: string): Promise<string> {
  const bytes = await crypto.subtle.digest(algorithm, new TextEncoder().encode(encode(text)));
  return toHex(new Uint8Array(bytes));
}

/** What texts that UTF-8 cannot hold begin with. No id that is in use begins with a NUL. */
const escape = '\0json:';

/** UTF-8 has no half of a surrogate pair: users whose ids differ in one would be one user. */
function encode(text: string): string {
  return /\p{Surrogate}/u.test(text) || text.startsWith(escape)
    ? escape + JSON.stringify(text)
    : text;
}

function decode(text: string): string {
  return text.startsWith(escape) ? String(JSON.parse(text.slice(escape.length))) : text;
}
