import { waitAtMost } from '../../../internal.ts';
import type { Verdict } from '../../../paid/verdict.ts';

/** What a user may spend and send, as a {@link Store} checks it. */
export interface StoredLimits {
  /** Length of a window in ms. Windows are fixed: each one begins at a multiple of its length since 1970, in UTC. */
  readonly windowMs: number;
  /** The most that may be charged and reserved in a window, in USD. */
  readonly usd?: number | undefined;
  /** The most requests in a window. */
  readonly requests?: number | undefined;
  /** The most requests in flight. */
  readonly concurrent?: number | undefined;
}

/** A request that is about to be forwarded. */
export interface Reservation {
  readonly user: string;
  /** Identifies the request. A second `reserve` with the same id changes nothing. */
  readonly request: string;
  /** Identifies an attempt of a browser. It may be used by one request within ten minutes. */
  readonly attempt?: string | undefined;
  /** Undefined if only the attempt is checked: then nothing else is recorded. */
  readonly limits?: StoredLimits | undefined;
  /** What the request may cost, in USD. */
  readonly usd: number;
  /** Identifies the charge, if the request has an idempotency key. */
  readonly key?: string | undefined;
  /**
   * Whether the key is charged at most once, so that its requests share one reservation, which is that of the most
   * expensive one. Otherwise, each request has its own.
   */
  readonly isChargedOnce: boolean;
  /** Identifies the body. */
  readonly body: string;
  /** How long the request counts as in flight unless `renew` is called, in ms. After that, its outcome is unknown. */
  readonly leaseMs: number;
}

/** Why a request may not be forwarded: the limit that it exceeds, or an attempt that was forwarded before. */
export type Refusal = 'usd' | 'requests' | 'concurrent' | 'attempt';

/** The result of {@link Store.reserve}. */
export interface ReserveResult {
  /** Undefined if the request was recorded and may be forwarded. Otherwise, nothing was recorded. */
  readonly refused?: Refusal | undefined;
  /** Charged in this window, in USD. */
  readonly spentUsd: number;
  /** When this window ends, in ms since 1970. */
  readonly windowEndsAt: number;
}

/**
 * The outcome of a request:
 *
 * - `charged`: it cost `usd`, or nothing if it is a replay of a key that was counted. Its reservation ends.
 * - `not-sent`, `rejected`: it was not charged. Its reservation ends, unless an earlier request with its key may have
 *   been charged.
 * - `invalid`: like `rejected`, and no earlier request with the same key and body was charged, either.
 * - `unknown`: it may have been charged. Its reservation remains until its key is charged, or until the window ends.
 * - `ended`: a request that remained in flight after another result has ended.
 */
export type SettledAs = 'charged' | 'not-sent' | 'rejected' | 'invalid' | 'unknown' | 'ended';

/** The outcome that a store records for each verdict. If the service has reported no charge, what is reserved is charged. */
export const settledAs = {
  charged: 'charged',
  accepted: 'charged',
  unknown: 'unknown',
  none: 'rejected',
  void: 'invalid',
} as const satisfies Record<Verdict['money'], SettledAs>;

/** What each outcome means for the reservation. */
export const moneyOf = {
  charged: 'charged',
  unknown: 'unknown',
  'not-sent': 'none',
  rejected: 'none',
  invalid: 'void',
} as const satisfies Record<Exclude<SettledAs, 'ended'>, Verdict['money']>;

/** The outcome of a reserved request. */
export interface Settlement {
  readonly user: string;
  /**
   * The id of the reservation. A settlement of a request that is settled changes nothing. If the store has forgotten the
   * reservation, as after a failover, a charge counts nevertheless, and an unknown outcome is reserved again.
   */
  readonly request: string;
  /** The attempt of the reservation. If the request was not sent, the attempt may be used again. */
  readonly attempt?: string | undefined;
  readonly windowMs: number;
  readonly key?: string | undefined;
  readonly isChargedOnce: boolean;
  readonly body: string;
  readonly as: SettledAs;
  /** What was charged, in USD. */
  readonly usd: number;
  /**
   * Whether `usd` is only an estimate, because the service has reported no charge. If more is reserved for the key,
   * then that counts.
   */
  readonly isEstimate: boolean;
  /** Whether the service has replayed the response of an earlier request. */
  readonly replay: boolean;
  /** Whether the request remains in flight, until it is settled as `ended`. */
  readonly isStreaming: boolean;
}

/** What a user has spent and sent in the current window. */
export interface StoredUsage {
  /** Charged, in USD. */
  readonly usd: number;
  /** Reserved for requests whose charge is not known, in USD. */
  readonly reservedUsd: number;
  readonly requests: number;
  readonly inFlight: number;
  /** When the window ends, in ms since 1970. */
  readonly windowEndsAt: number;
}

/**
 * Where a proxy stores what its users have spent, which attempts it has forwarded, and who owns which task, material
 * and voice. Use {@link memoryStore}, `redisStore` of `polygate/proxy/redis`, or your own: each method must be atomic,
 * and `storeTests` of `polygate/proxy/testing` checks the rules.
 *
 * Requests in flight when a window ends remain reserved in the next one. All other reservations end with their
 * window.
 */
export interface Store {
  /** Records a request, unless it exceeds a limit. */
  reserve(reservation: Reservation): Promise<ReserveResult>;
  /** Records the outcome of a request. */
  settle(settlement: Settlement): Promise<void>;
  /** Prolongs the leases of requests in flight. */
  renew(user: string, requests: readonly string[], leaseMs: number): Promise<void>;
  /** What a user has spent and reserved in the current window. */
  usage(user: string, windowMs: number): Promise<StoredUsage>;
  /** Records the owner of resources, unless they have one. Owners never expire. */
  own(user: string, resources: readonly string[]): Promise<void>;
  /** The owner of each resource, in order; undefined if it has none. */
  ownersOf(resources: readonly string[]): Promise<readonly (string | undefined)[]>;
}

/** How long an attempt is remembered, in ms. Browsers repeat a request within seconds. */
export const attemptMemoryMs = 600_000;

/**
 * How long a charged key is remembered, in ms, so that its replays are not counted: two windows, but at least a week.
 */
export const keyMemoryMs = (windowMs: number) => Math.max(2 * windowMs, 604_800_000);

/** How long a request waits for the store, in ms. */
const maxWait = 5_000;

/** How long an operation that must not be lost is repeated, in ms. */
const maxPersistence = 600_000;

/** How long a settled request is remembered, in ms: longer than its settlement is repeated. */
export const settlementMemoryMs = 2 * maxPersistence;

/** The longest pause between two repetitions, in ms. */
const maxPause = 15_000;

/** Runs an operation of a store. Rejects if it takes too long, or throws. */
export async function withinTime<Result>(operation: () => Promise<Result>): Promise<Result> {
  return waitAtMost(maxWait, operation(), () => {
    throw new Error(`The store of the proxy has not responded within ${maxWait} ms`);
  });
}

/**
 * Repeats an operation until it succeeds, for up to ten minutes. It must be one that can be repeated. Never rejects: the
 * first error is reported, and so is the last one if the operation is given up.
 */
export async function persist(
  operation: () => Promise<void>,
  report: (error: unknown) => void,
): Promise<void> {
  const start = performance.now();
  for (let pause = 250; ; pause = Math.min(maxPause, 2 * pause)) {
    try {
      await withinTime(operation);
      return;
    } catch (error) {
      const isLast = performance.now() - start > maxPersistence;
      if (pause === 250 || isLast) report(error);
      if (isLast) return;
    }
    await new Promise((resolve) => setTimeout(resolve, pause));
  }
}
