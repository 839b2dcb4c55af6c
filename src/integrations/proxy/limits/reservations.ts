/**
 * Enforces the limits of one user, on what a store has recorded. `redis/scripts.ts` has the same rules in Lua: change
 * both, and `testing/`, which checks that they agree.
 */
import type { Refusal, Settlement, StoredLimits } from '../store/store.ts';
import { toNanoUsd } from '../store/store.ts';

/** A request in flight. */
interface Flight {
  /** When it counts as lost, on the monotonic clock, in ms. */
  leaseEndsAt: number;
  readonly windowMs: number;
  readonly holder: string;
  readonly body: string;
}

/**
 * Money that is set aside for one holder, which is a key or a request: the highest amount of its requests.
 */
interface Held {
  /** The amounts of its requests in flight, by their ids. */
  readonly requests: Map<string, number>;
  /**
   * Its requests whose outcome is unknown. They are stored by their id if the request was in flight when its lease ended,
   * because its outcome may still be reported.
   */
  readonly lost: Map<string, Lost>;
}

interface Lost {
  readonly body: string;
  readonly nanoUsd: number;
}

/** What happened in one window. */
interface Window {
  start: number;
  nanoUsd: number;
  requests: number;
  /** By holder. */
  readonly held: Map<string, Held>;
}

export interface UserState {
  readonly inFlight: Map<string, Flight>;
  /** By their length in ms. */
  readonly windows: Map<number, Window>;
}

/** The charge of a key. */
export interface CountedKey {
  /** When it was counted, in ms. */
  readonly at: number;
  /** Whether a replay reported it, and the original response has not arrived. */
  readonly fromReplay: boolean;
  /** The body that was charged. Version 0.3 did not record it. */
  readonly body?: string | undefined;
  /** Whether the service has charged the key again, so that it no longer protects from a second charge. */
  readonly isForgotten?: boolean | undefined;
}

/** Whether a request costs nothing because its key was charged for the same body since `start`, and is still replayed. */
export function isFree(counted: CountedKey | undefined, body: string, start: number): boolean {
  if (counted === undefined || counted.isForgotten === true || counted.at < start) return false;
  return counted.body === undefined || counted.body === body;
}

export const newUserState = (): UserState => ({ inFlight: new Map(), windows: new Map() });

/**
 * The current window, after the changes that time has made to the state. Windows follow the system time `now`; leases follow
 * the monotonic time `at`, because a change of the system time must not end them.
 */
export function windowAt(state: UserState, windowMs: number, now: number, at: number): Window {
  loseExpired(state, at);
  const start = now - (now % windowMs);
  const window = state.windows.get(windowMs) ?? {
    start,
    nanoUsd: 0,
    requests: 0,
    held: new Map<string, Held>(),
  };
  state.windows.set(windowMs, window);
  // What was spent while the clock was far ahead counts now: otherwise, that window would not end for a long time.
  if (window.start - start > windowMs) window.start = start;
  // If the clock moves backwards a little, keep the current window.
  if (start <= window.start) return window;
  Object.assign(window, { start, nanoUsd: 0, requests: 0 });
  for (const [holder, { requests, lost }] of window.held) {
    lost.clear();
    if (requests.size === 0) window.held.delete(holder);
  }
  return window;
}

/** Requests whose process has stopped renewing them are no longer in flight, and may have been charged. */
function loseExpired({ inFlight, windows }: UserState, at: number): void {
  for (const [request, { leaseEndsAt, windowMs, holder, body }] of inFlight) {
    if (leaseEndsAt > at) continue;
    inFlight.delete(request);
    const held = windows.get(windowMs)?.held.get(holder);
    const nanoUsd = held?.requests.get(request);
    if (held === undefined || nanoUsd === undefined) continue;
    held.requests.delete(request);
    held.lost.set(request, { body, nanoUsd });
  }
}

export function reservedIn({ held }: Window): number {
  let sum = 0;
  for (const each of held.values()) sum += amountOf(each);
  return sum;
}

function amountOf({ requests, lost }: Held): number {
  const lostUsd = Array.from(lost.values(), ({ nanoUsd }) => nanoUsd);
  return Math.max(0, ...requests.values(), ...lostUsd);
}

/** What money is set aside for: the key of a request, or its id. */
export const holderOf = (of: Pick<Settlement, 'key' | 'isChargedOnce' | 'request'>): string =>
  of.isChargedOnce && of.key !== undefined ? `key ${of.key}` : of.request;

/** A request that is about to be forwarded. */
interface Claim {
  readonly request: string;
  readonly holder: string;
  readonly usd: number;
  readonly body: string;
  /** Whether it costs nothing: see {@link isFree}. */
  readonly isFree: boolean;
  readonly leaseEndsAt: number;
}

/** Reserves the amount of a request in a window, or returns the limit that it would exceed. */
export function reserveIn(
  { inFlight }: UserState,
  window: Window,
  limits: StoredLimits,
  { request, holder, usd, body, isFree: isClaimFree, leaseEndsAt }: Claim,
): Refusal | undefined {
  if (inFlight.has(request)) return undefined;
  const held = window.held.get(holder);
  const nanoUsd = isClaimFree ? 0 : toNanoUsd(usd);
  const added = Math.max(0, nanoUsd - (held ? amountOf(held) : 0));
  const committed = window.nanoUsd + reservedIn(window);
  if (limits.usd !== undefined && added > 0 && committed + added > toNanoUsd(limits.usd)) {
    return 'usd';
  }
  if (limits.requests !== undefined && window.requests >= limits.requests) return 'requests';
  if (limits.concurrent !== undefined && inFlight.size >= limits.concurrent) return 'concurrent';
  window.requests += 1;
  inFlight.set(request, { leaseEndsAt, windowMs: limits.windowMs, holder, body });
  if (nanoUsd === 0 && held === undefined) return undefined;
  const own = held ?? newHeld();
  own.requests.set(request, nanoUsd);
  window.held.set(holder, own);
  return undefined;
}

/**
 * Ends the part of a request in the reservation of its holder, and returns what was reserved. Returns undefined if nothing
 * follows: the request has ended, was settled before, or is not known and its settlement is not the first one. `isFirst`
 * settlements count even if their reservation is gone, as after a failover.
 */
export function settleIn(
  { inFlight }: UserState,
  window: Window,
  settlement: Settlement,
  isFirst: boolean,
): number | undefined {
  const { request, body, as, isStreaming } = settlement;
  const holder = holderOf(settlement);
  const flight = inFlight.get(request);
  const held = window.held.get(holder);
  const isKnown = flight?.holder === holder || held?.lost.has(request) === true;
  if (flight !== undefined) {
    if (isStreaming && as !== 'ended') inFlight.set(request, { ...flight, holder: '' });
    else inFlight.delete(request);
  }
  if (as === 'ended' || (!isKnown && !isFirst)) return undefined;
  if (!isKnown && as === 'unknown') loseIn(window, holder, settlement);
  if (held === undefined) return 0;
  const reserved = amountOf(held);
  const nanoUsd = held.requests.get(request) ?? held.lost.get(request)?.nanoUsd ?? 0;
  held.requests.delete(request);
  held.lost.delete(request);
  if (as === 'unknown') lose(held, body, nanoUsd);
  if (as === 'invalid' && held.requests.size === 0) {
    for (const [id, lost] of held.lost) if (lost.body === body) held.lost.delete(id);
  }
  if (as === 'charged' || held.requests.size + held.lost.size === 0) window.held.delete(holder);
  return reserved;
}

/** Keeps what a request with an unknown outcome may have cost, although nothing was reserved for it. */
function loseIn({ held }: Window, holder: string, { usd, body }: Settlement): void {
  const nanoUsd = toNanoUsd(usd);
  if (nanoUsd === 0) return;
  const found = held.get(holder) ?? newHeld();
  lose(found, body, nanoUsd);
  held.set(holder, found);
}

const newHeld = (): Held => ({ requests: new Map(), lost: new Map() });

function lose({ lost }: Held, body: string, nanoUsd: number): void {
  const name = `body ${body}`;
  lost.set(name, { body, nanoUsd: Math.max(lost.get(name)?.nanoUsd ?? 0, nanoUsd) });
}

/** What a charge adds, and how its key is remembered. */
export function countCharge(
  { usd, isEstimate, replay, isChargedOnce, body }: Settlement,
  reserved: number,
  counted: CountedKey | undefined,
  now: number,
): { nanoUsd: number; counted: CountedKey } {
  const isCounted = counted !== undefined && (replay || (isChargedOnce && counted.fromReplay));
  return {
    nanoUsd: isCounted ? 0 : Math.max(toNanoUsd(usd), isEstimate ? reserved : 0),
    counted: {
      at: isCounted ? counted.at : now,
      fromReplay: replay && counted?.fromReplay !== false,
      body: (isCounted ? counted.body : undefined) ?? body,
      isForgotten: counted?.isForgotten === true || (counted !== undefined && !isCounted),
    },
  };
}
