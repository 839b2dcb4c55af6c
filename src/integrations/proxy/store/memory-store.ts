import { toNano, toUsd } from '../../../paid/amounts.ts';
import { isInFlight } from '../../../paid/held.ts';
import { isFree } from '../../../paid/keys.ts';
import {
  countCharge,
  holderOf,
  newUserState,
  reserveIn,
  reservedIn,
  settleIn,
  windowAt,
} from '../limits/reservations.ts';
import type { DatedKey, UserState } from '../limits/reservations.ts';
import { attemptMemoryMs, keyMemoryMs, settlementMemoryMs } from './store.ts';
import type { Settlement, Store } from './store.ts';

/** How many attempts and how many keys are remembered, so that no user can exhaust the memory. */
const maxRemembered = 100_000;

/** How often users without a current window are forgotten, in ms. */
const sweepInterval = 60_000;

/**
 * Creates a store in the memory of this process. What it knows is lost when the process ends, and other processes do not
 * share it: use `fileStore` of `polygate/node`, or `redisStore` of `polygate/proxy/redis` for more than one.
 */
/* @__NO_SIDE_EFFECTS__ */
export function memoryStore(): Store {
  const store = storeIn(newTables(), async () => {});
  inMemory.add(store);
  return store;
}

/** The stores that forget everything when their process ends. */
const inMemory = new WeakSet<Store>();

export const isInMemory = (store: Store) => inMemory.has(store);

/** What a store in memory knows. */
export interface Tables {
  readonly users: Map<string, UserState>;
  /** By attempt, with the monotonic time of its request. */
  readonly attempts: Map<string, { readonly at: number; readonly request: string }>;
  readonly keys: Map<string, DatedKey & { readonly until: number }>;
  readonly owners: Map<string, string>;
}

export const newTables = (): Tables => ({
  users: new Map(),
  attempts: new Map(),
  keys: new Map(),
  owners: new Map(),
});

/** An entry of a table. */
export type EntryName = readonly [table: keyof Tables, name: string];

/**
 * Creates a store over tables. `save` is called after each operation that changes some, with the entries that may have
 * changed, and the operation ends when it does. Entries that are forgotten because of their age are not reported.
 */
export function storeIn(
  { users, attempts, keys, owners }: Tables,
  save: (changed: readonly EntryName[]) => Promise<void>,
): Store {
  let sweptAt = 0;
  /** Requests that were charged or may have been, with the monotonic time: their settlement can be repeated. */
  const settled = new Map<string, number>();

  /** Whether a settlement is the first one of its request that may add a charge. */
  function isFirst({ user, request, as }: Settlement): boolean {
    if (as !== 'charged' && as !== 'unknown') return false;
    const name = JSON.stringify([user, request]);
    if (settled.has(name)) return false;
    const now = performance.now();
    for (const [oldest, at] of settled) {
      if (now - at < settlementMemoryMs && settled.size < maxRemembered) break;
      settled.delete(oldest);
    }
    settled.set(name, now);
    return true;
  }

  /** The state of a user. A map keeps the order of insertion, so the oldest entries come first. */
  function stateOf(user: string, now: number): UserState {
    for (const [attempt, { at }] of attempts) {
      if (performance.now() - at < attemptMemoryMs && attempts.size < maxRemembered) break;
      attempts.delete(attempt);
    }
    if (Math.abs(now - sweptAt) > sweepInterval) sweep(now);
    const state = users.get(user) ?? newUserState();
    users.set(user, state);
    return state;
  }

  function sweep(now: number): void {
    sweptAt = now;
    for (const [key, { until }] of keys) if (until < now) keys.delete(key);
    for (const [user, { inFlight, windows }] of users) {
      for (const [windowMs, { start, held }] of windows) {
        const isOpen = Array.from(held.values()).some((parts) => parts.some(isInFlight));
        if (start + windowMs < now && !isOpen) windows.delete(windowMs);
      }
      if (inFlight.size === 0 && windows.size === 0) users.delete(user);
    }
  }

  return {
    async reserve(reservation) {
      const { user, limits, key, isChargedOnce, request, usd, body, leaseMs } = reservation;
      const now = Date.now();
      const state = stateOf(user, now);
      const attempt = reservation.attempt && JSON.stringify([user, reservation.attempt]);
      const { request: firstRequest = request } = attempts.get(attempt ?? '') ?? {};
      const isRepeated = firstRequest !== request;
      if (limits === undefined) {
        if (attempt !== undefined && !isRepeated) {
          attempts.set(attempt, { at: performance.now(), request });
          await save([['attempts', attempt]]);
        }
        return { refused: isRepeated ? 'attempt' : undefined, spentUsd: 0, windowEndsAt: now };
      }
      const window = windowAt(state, limits.windowMs, now, performance.now());
      const result = {
        spentUsd: toUsd(window.nanoUsd),
        windowEndsAt: window.start + limits.windowMs,
      };
      if (state.inFlight.has(request)) {
        // An earlier call may have failed to save it.
        await save([]);
        return result;
      }
      if (isRepeated) return { ...result, refused: 'attempt' };
      const counted = isChargedOnce ? keys.get(JSON.stringify([user, key])) : undefined;
      const leaseEndsAt = performance.now() + leaseMs;
      const holder = holderOf(reservation);
      const refused = reserveIn(state, window, limits, {
        request,
        holder,
        usd,
        body,
        // The charge of an earlier window does not protect this one.
        isFree:
          counted !== undefined &&
          counted.at >= window.start &&
          isFree(counted, toNano(usd), () => body),
        leaseEndsAt,
      });
      if (refused !== undefined) return { ...result, refused };
      if (attempt !== undefined) attempts.set(attempt, { at: performance.now(), request });
      await save([
        ['users', user],
        ...(attempt === undefined ? [] : [['attempts', attempt] as const]),
      ]);
      return result;
    },

    async settle(settlement) {
      const { user, windowMs, key, as, request } = settlement;
      const now = Date.now();
      const changed: EntryName[] = [['users', user]];
      const attempt = JSON.stringify([user, settlement.attempt]);
      if (as === 'not-sent' && attempts.get(attempt)?.request === request) {
        attempts.delete(attempt);
        changed.push(['attempts', attempt]);
      }
      const state = stateOf(user, now);
      const window = windowAt(state, windowMs, now, performance.now());
      const name = JSON.stringify([user, key]);
      const before = key === undefined ? undefined : keys.get(name);
      const settling = settleIn(state, window, settlement, isFirst(settlement), before);
      if (settling === undefined || as !== 'charged') return save(changed);
      const { nanoUsd, counted } = countCharge(settlement, settling, now);
      window.nanoUsd += nanoUsd;
      if (key === undefined) return save(changed);
      keys.delete(name);
      keys.set(name, { ...counted, until: now + keyMemoryMs(windowMs) });
      changed.push(['keys', name]);
      const [oldest] = keys.keys();
      if (keys.size > maxRemembered && oldest !== undefined) keys.delete(oldest);
      return save(changed);
    },

    async renew(user, requests, leaseMs) {
      const leaseEndsAt = performance.now() + leaseMs;
      for (const request of requests) {
        const flight = users.get(user)?.inFlight.get(request);
        if (flight !== undefined) flight.leaseEndsAt = leaseEndsAt;
      }
    },

    async usage(user, windowMs) {
      const now = Date.now();
      const state = stateOf(user, now);
      const window = windowAt(state, windowMs, now, performance.now());
      return {
        usd: toUsd(window.nanoUsd),
        reservedUsd: toUsd(reservedIn(window)),
        requests: window.requests,
        inFlight: state.inFlight.size,
        windowEndsAt: window.start + windowMs,
      };
    },

    async own(user, resources) {
      const added = resources.filter((resource) => !owners.has(resource));
      for (const resource of added) owners.set(resource, user);
      await save(added.map((resource) => ['owners', resource]));
    },

    async ownersOf(resources) {
      return resources.map((resource) => owners.get(resource));
    },
  };
}
