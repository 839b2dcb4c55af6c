/**
 * Enforces the limits of one user, on what a store has recorded. `redis/scripts.ts` has the same rules in Lua: change
 * both, and `testing/`, which checks that they agree.
 */
import { toNano } from '../../../paid/amounts.ts';
import { amountOf, hold, isInFlight, lose, partOf, settle } from '../../../paid/held.ts';
import type { Holders } from '../../../paid/held.ts';
import { countKey } from '../../../paid/keys.ts';
import type { CountedKey } from '../../../paid/keys.ts';
import { decideLimit, limitPolicies } from '../../../paid/limits.ts';
import { moneyOf } from '../store/store.ts';
import type { Refusal, Reservation, Settlement, StoredLimits } from '../store/store.ts';

/** A request in flight. */
interface Flight {
  /** When it counts as lost, on the monotonic clock, in ms. */
  leaseEndsAt: number;
  readonly windowMs: number;
  readonly holder: string;
  readonly body: string;
  /** Whether its response can be the one that a replay of its key has repeated. */
  mayBeOriginal?: boolean;
}

/** What happened in one window. */
interface Window {
  start: number;
  nanoUsd: number;
  requests: number;
  readonly held: Holders;
}

export interface UserState {
  readonly inFlight: Map<string, Flight>;
  /** By their length in ms. */
  readonly windows: Map<number, Window>;
}

/** A key that was charged, and when it was counted, in ms. */
export interface DatedKey extends CountedKey {
  readonly at: number;
}

export const newUserState = (): UserState => ({ inFlight: new Map(), windows: new Map() });

/**
 * The current window, after the changes that time has made to the state. Windows follow the system time `now`; leases follow
 * the monotonic time `at`, because a change of the system time must not end them.
 */
export function windowAt(state: UserState, windowMs: number, now: number, at: number): Window {
  loseExpired(state, at);
  const start = now - (now % windowMs);
  const empty: Window = { start, nanoUsd: 0, requests: 0, held: new Map() };
  const window = state.windows.get(windowMs) ?? empty;
  state.windows.set(windowMs, window);
  // What was spent while the clock was far ahead counts now: otherwise, that window would not end for a long time.
  if (window.start - start > windowMs) window.start = start;
  // If the clock moves backwards a little, keep the current window.
  if (start <= window.start) return window;
  Object.assign(window, { start, nanoUsd: 0, requests: 0 });
  for (const [holder, held] of window.held) {
    const kept = held.filter(isInFlight);
    if (kept.length > 0) window.held.set(holder, kept);
    else window.held.delete(holder);
  }
  return window;
}

/** Requests whose process has stopped renewing them are no longer in flight, and may have been charged. */
function loseExpired({ inFlight, windows }: UserState, at: number): void {
  for (const [request, { leaseEndsAt, windowMs, holder, body }] of inFlight) {
    if (leaseEndsAt > at) continue;
    inFlight.delete(request);
    const window = windows.get(windowMs);
    if (window) lose(window.held, holder, request, body);
  }
}

export function reservedIn({ held }: Window): number {
  let sum = 0;
  for (const each of held.values()) sum += amountOf(each);
  return sum;
}

/** What money is set aside for: the key of a request, or its id. */
export const holderOf = (of: Pick<Settlement, 'key' | 'isChargedOnce' | 'request'>): string =>
  of.isChargedOnce && of.key !== undefined ? `key ${of.key}` : of.request;

/**
 * Reserves the amount of a request in a window, or returns the limit that it would exceed. It costs nothing if `isFree`,
 * because its key was charged.
 */
export function reserveIn(
  { inFlight }: UserState,
  window: Window,
  limits: StoredLimits,
  claim: Pick<Reservation, 'request' | 'usd' | 'body'> & {
    readonly isFree: boolean;
    readonly holder: string;
    readonly leaseEndsAt: number;
  },
): Refusal | undefined {
  const { request, holder, body, leaseEndsAt } = claim;
  if (inFlight.has(request)) return undefined;
  const nanoUsd = claim.isFree ? 0 : toNano(claim.usd);
  // Also if it adds nothing: once others have cost more than they had reserved, the limit covers no request.
  if (limits.usd !== undefined && nanoUsd > 0) {
    const shared = amountOf(window.held.get(holder));
    const committed = window.nanoUsd + reservedIn(window) - shared;
    const next = { nanoUsd: Math.max(nanoUsd, shared), basis: 'price' } as const;
    const state = { limit: toNano(limits.usd), committed, next };
    if (decideLimit(limitPolicies.proxy, state) !== 'held') return 'usd';
  }
  if (limits.requests !== undefined && window.requests >= limits.requests) return 'requests';
  if (limits.concurrent !== undefined && inFlight.size >= limits.concurrent) return 'concurrent';
  window.requests += 1;
  inFlight.set(request, { leaseEndsAt, windowMs: limits.windowMs, holder, body });
  if (nanoUsd > 0 || window.held.has(holder)) hold(window.held, holder, request, nanoUsd);
  return undefined;
}

/**
 * Ends the part of a request in the reservation of its holder. Returns undefined if nothing
 * follows: the request has ended, was settled before, or is not known and its settlement is not the first one. `isFirst`
 * settlements count even if their reservation is gone, as after a failover.
 */
export function settleIn(
  { inFlight }: UserState,
  window: Window,
  settlement: Settlement,
  isFirst: boolean,
  before: DatedKey | undefined,
) {
  const { request, body, as, isStreaming, replay } = settlement;
  const holder = holderOf(settlement);
  const flight = inFlight.get(request);
  const held = window.held.get(holder);
  const part = partOf(held, request);
  const isLost = part !== undefined && !isInFlight(part);
  const isKnown = flight?.holder === holder || isLost;
  if (flight !== undefined) {
    if (isStreaming && as !== 'ended') inFlight.set(request, { ...flight, holder: '' });
    else inFlight.delete(request);
  }
  if (as === 'ended' || (!isKnown && !isFirst)) return undefined;
  const nanoUsd = toNano(settlement.usd);
  if (!isKnown && as === 'unknown' && nanoUsd > 0) hold(window.held, holder, request, nanoUsd);
  const reserved = amountOf(window.held.get(holder));
  // The charge of an earlier window is not that of another request with the key, which was sent in this one.
  const countedSince = held?.some((other) => other !== part) ? window.start : -Infinity;
  const counted = before && before.at >= countedSince ? before : undefined;
  const isCounted = counted !== undefined;
  settle(window.held, holder, { request, body, money: moneyOf[as], isCounted });
  // A request with the key that is sent later is another one, also if the service has forgotten the key.
  for (const each of as === 'charged' && replay && !isCounted ? inFlight.values() : []) {
    if (each.holder === holder) each.mayBeOriginal = true;
  }
  return { reserved, counted, mayBeOriginal: flight?.mayBeOriginal === true };
}

/**
 * What a charge adds in billionths of a USD, and how its key is remembered. A charge that is reported after the estimate of
 * its key adds what was missing.
 */
export function countCharge(
  { usd, isEstimate, replay, body }: Settlement,
  { reserved, counted, mayBeOriginal }: NonNullable<ReturnType<typeof settleIn>>,
  now: number,
): { nanoUsd: number; counted: DatedKey } {
  const { isCounted, key } = countKey(counted, { replay, mayBeOriginal, body });
  const nanoUsd = Math.max(toNano(usd), isEstimate ? reserved : 0);
  if (!isCounted || counted === undefined) {
    const estimate = isEstimate ? nanoUsd : undefined;
    return { nanoUsd, counted: { ...key, at: now, estimate } };
  }
  const { at, estimate } = counted;
  if (isEstimate || estimate === undefined)
    return { nanoUsd: 0, counted: { ...key, at, estimate } };
  return { nanoUsd: Math.max(0, nanoUsd - estimate), counted: { ...key, at } };
}
