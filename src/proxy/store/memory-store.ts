import {
  countCharge,
  holderOf,
  newUserState,
  reserveIn,
  reservedIn,
  settleIn,
  windowAt,
} from '../limits/reservations.ts';
import type { CountedKey, UserState } from '../limits/reservations.ts';
import { attemptMemoryMs, keyMemoryMs, toUsd } from './store.ts';
import type { Store } from './store.ts';

/** How many attempts and how many keys are remembered, so that no user can exhaust the memory. */
const maxRemembered = 100_000;

/** How often users without a current window are forgotten, in ms. */
const sweepInterval = 60_000;

/**
 * Creates a store in the memory of this process. What it knows is lost when the process ends, and other processes do not
 * share it: for more than one, use `redisStore` of `polygate/proxy/redis`.
 */
/* @__NO_SIDE_EFFECTS__ */
export function memoryStore(): Store {
  const users = new Map<string, UserState>();
  /** By attempt, with the monotonic time of its request. */
  const attempts = new Map<string, { readonly at: number; readonly request: string }>();
  const keys = new Map<string, CountedKey & { readonly until: number }>();
  const owners = new Map<string, string>();
  let sweptAt = 0;

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
        const isInFlight = Array.from(held.values()).some(({ requests }) => requests.size > 0);
        if (start + windowMs < now && !isInFlight) windows.delete(windowMs);
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
        if (attempt !== undefined && !isRepeated)
          attempts.set(attempt, { at: performance.now(), request });
        return { refused: isRepeated ? 'attempt' : undefined, spentUsd: 0, windowEndsAt: now };
      }
      const window = windowAt(state, limits.windowMs, now, performance.now());
      const result = {
        spentUsd: toUsd(window.nanoUsd),
        windowEndsAt: window.start + limits.windowMs,
      };
      if (state.inFlight.has(request)) return result;
      if (isRepeated) return { ...result, refused: 'attempt' };
      const { at = -Infinity } = keys.get(JSON.stringify([user, key])) ?? {};
      const isPaid = key !== undefined && isChargedOnce && at >= window.start;
      const leaseEndsAt = performance.now() + leaseMs;
      const holder = holderOf(reservation);
      const refused = reserveIn(state, window, limits, {
        request,
        holder,
        usd,
        body,
        isPaid,
        leaseEndsAt,
      });
      if (refused !== undefined) return { ...result, refused };
      if (attempt !== undefined) attempts.set(attempt, { at: performance.now(), request });
      return result;
    },

    async settle(settlement) {
      const { user, windowMs, key, as } = settlement;
      const now = Date.now();
      if (as === 'not-sent' && settlement.attempt !== undefined) {
        const attempt = JSON.stringify([user, settlement.attempt]);
        if (attempts.get(attempt)?.request === settlement.request) attempts.delete(attempt);
      }
      const state = stateOf(user, now);
      const window = windowAt(state, windowMs, now, performance.now());
      const reserved = settleIn(state, window, settlement);
      if (reserved === undefined || as !== 'charged') return;
      const name = JSON.stringify([user, key]);
      const { nanoUsd, counted } = countCharge(
        settlement,
        reserved,
        key === undefined ? undefined : keys.get(name),
        now,
      );
      window.nanoUsd += nanoUsd;
      if (key === undefined) return;
      keys.delete(name);
      keys.set(name, { ...counted, until: now + keyMemoryMs(windowMs) });
      const [oldest] = keys.keys();
      if (keys.size > maxRemembered && oldest !== undefined) keys.delete(oldest);
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
      for (const resource of resources) if (!owners.has(resource)) owners.set(resource, user);
    },

    async ownersOf(resources) {
      return resources.map((resource) => owners.get(resource));
    },
  };
}
