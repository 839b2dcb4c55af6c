/** Whether a limit covers a request. Amounts are in billionths of a USD. */

/**
 * How a limit treats a request whose price is not known:
 *
 * - `pass`: it reserves the largest charge so far. What is in flight before the first one can exceed the limit;
 * - `refuse`: it is not sent;
 * - `one-at-a-time`: the same as `pass`, but until the first charge is known, it is sent only if no other request is in flight,
 *   and no more than four of them may count without an amount.
 *
 * `waits`: a request that does not fit waits for those in flight, whose charges may be lower than what they have reserved.
 */
export interface LimitPolicy {
  readonly unknownPrice: 'pass' | 'refuse' | 'one-at-a-time';
  readonly waits: boolean;
}

/** The limits of polygate. The table of the guide "Costs" says what each of them guarantees. */
export const limitPolicies = {
  client: { unknownPrice: 'pass', waits: false },
  strictClient: { unknownPrice: 'refuse', waits: false },
  batch: { unknownPrice: 'one-at-a-time', waits: true },
  queue: { unknownPrice: 'one-at-a-time', waits: true },
  // With `maxUsdPerCall` or `chatUsd`, the price of every request is known.
  mcp: { unknownPrice: 'refuse', waits: false },
  proxy: { unknownPrice: 'refuse', waits: false },
  doctor: { unknownPrice: 'refuse', waits: false },
} as const satisfies Readonly<Record<string, LimitPolicy>>;

/** How many requests of a route may have been charged an amount of which nothing is known, if they are sent one at a time. */
export const maxUnpriced = 4;

/** What a request may cost. */
export interface Expected {
  readonly nanoUsd: number;
  /**
   * Where the amount comes from: the price (or what an earlier run has reserved), the largest charge for such a request so
   * far, or nothing, because neither is known.
   */
  readonly basis: 'price' | 'largest-charge' | 'unknown';
}

/** What to reserve for a request, from its price or the largest charge for such a request so far. */
export function expectedOf(price: number | undefined, largest: number | undefined): Expected {
  if (price !== undefined) return { nanoUsd: price, basis: 'price' };
  if (largest !== undefined) return { nanoUsd: largest, basis: 'largest-charge' };
  return { nanoUsd: 0, basis: 'unknown' };
}

/** What decides whether a limit covers a request. */
export interface LimitState {
  readonly limit: number;
  /** Charged, or reserved for other requests. */
  readonly committed: number;
  readonly next: Expected;
  /** Number of requests with a reservation. Their charges may be lower. */
  readonly inFlight?: number;
  /** Number of requests to the same path that were or may have been charged, and count with no amount. */
  readonly unpriced?: number;
}

/** Whether nothing is set aside for a request although it may be charged. */
export const isUnpriced = ({ nanoUsd, basis }: Expected): boolean =>
  nanoUsd === 0 && basis !== 'price';

/** Whether a request is covered, must wait for those in flight, or exceeds the limit. */
export function decideLimit(policy: LimitPolicy, state: LimitState): 'held' | 'wait' | 'exceeded' {
  if (fits(policy, state)) return 'held';
  return policy.waits && (state.inFlight ?? 0) > 0 ? 'wait' : 'exceeded';
}

function fits({ unknownPrice }: LimitPolicy, state: LimitState): boolean {
  const { limit, committed, next, inFlight = 0, unpriced = 0 } = state;
  if (limit === Infinity) return true;
  if (next.basis === 'unknown' && unknownPrice === 'refuse') return false;
  if (unknownPrice === 'one-at-a-time') {
    if (isUnpriced(next) && unpriced >= maxUnpriced) return false;
    if (next.basis === 'unknown' && inFlight > 0) return false;
  }
  // A request may be charged although its price is 0 or not known, so a limit that is used up covers none.
  return committed + Math.max(1, next.nanoUsd) <= limit;
}
