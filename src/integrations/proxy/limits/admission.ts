import type { Verdict } from '../../../paid/verdict.ts';
import { ProxyError } from '../error-response.ts';
import type { Settings } from '../settings.ts';
import { persist, settledAs, waitAtMost, withinTime } from '../store/store.ts';
import type {
  Refusal,
  Reservation,
  ReserveResult,
  SettledAs,
  StoredLimits,
} from '../store/store.ts';
import { defaultWindowMs, isEndless } from './user-limits.ts';

/** How long a request counts as in flight if its process dies, in ms. Documented: at most 30 s. */
const leaseMs = 25_000;

/** How often a process renews the lease of a request, in ms. */
const renewInterval = 8_000;

/** How long a page waits until the store has recorded the charge of its request, in ms. */
const maxSettleWait = 2_000;

/** A request that may be forwarded. */
export interface Admission {
  /**
   * Records what its response says. Never rejects: what the store has not recorded is repeated in the background.
   * `isStreaming`: its body has yet to end.
   */
  settle(verdict: Verdict, isStreaming: boolean): Promise<void>;
  /** Ends a request that was not sent. */
  cancel(): Promise<void>;
  /** Ends a request that was settled as streaming. */
  end(): void;
  /** Ends a request whose handling has failed. If it is not settled, it may have been charged. */
  fail(): Promise<void>;
}

const nothing = async () => {};

const unlimited: Admission = { settle: nothing, cancel: nothing, end: () => {}, fail: nothing };

/**
 * Reserves a request in the store.
 *
 * @throws the response to the page, if it exceeds a limit, repeats an attempt, or the store fails.
 */
export async function admit(
  candidate: Omit<Reservation, 'request' | 'leaseMs'>,
  settings: Settings,
): Promise<Admission> {
  const { limits, user, attempt } = candidate;
  if (limits === undefined && attempt === undefined) return unlimited;
  const { store, report } = settings;
  const { key, isChargedOnce, body, usd } = candidate;
  const request = crypto.randomUUID();
  const windowMs = limits?.windowMs ?? defaultWindowMs;
  const settlement = { user, request, attempt, windowMs, key, isChargedOnce, body };
  const free = { usd: 0, isEstimate: false, replay: false, isStreaming: false };
  const reserving = (async () => store.reserve({ ...candidate, request, leaseMs }))();
  // In order: a store could otherwise record a reservation after its release, or the end of a stream before its charge.
  let last: Promise<unknown> = reserving.catch(() => {});
  const settleAs = (as: SettledAs, charge = free) => {
    last = last.then(() => persist(() => store.settle({ ...settlement, ...charge, as }), report));
    return last;
  };

  let result: ReserveResult | undefined;
  try {
    result = await withinTime(() => reserving);
  } catch (error) {
    report(error);
    if (settings.onStoreError !== 'allow') {
      // The store may still have recorded it.
      void settleAs('not-sent');
      throw new ProxyError(
        503,
        'store_unavailable',
        'The limits of this user cannot be checked. Nothing was sent.',
      );
    }
  }
  if (result?.refused !== undefined) throw refusal(result.refused, result, limits, settings);
  if (limits === undefined) {
    // Nothing but the attempt was recorded, which the page may use again.
    return { ...unlimited, cancel: () => waitAtMost(maxSettleWait, settleAs('not-sent')) };
  }

  const renewing = setInterval(() => {
    withinTime(() => store.renew(user, [request], leaseMs)).catch(report);
  }, renewInterval);
  let isSettled = false;
  const admission: Admission = {
    async settle(verdict, isStreaming) {
      isSettled = true;
      if (!isStreaming) clearInterval(renewing);
      const { money, replay } = verdict;
      const reported = money === 'charged' ? verdict.usd : undefined;
      const isEstimate = reported === undefined;
      const charge = { usd: reported ?? usd, isEstimate, replay, isStreaming };
      await waitAtMost(maxSettleWait, settleAs(settledAs[money], charge));
    },
    async cancel() {
      isSettled = true;
      clearInterval(renewing);
      await waitAtMost(maxSettleWait, settleAs('not-sent'));
    },
    end() {
      clearInterval(renewing);
      void settleAs('ended');
    },
    async fail() {
      if (isSettled) admission.end();
      else await admission.settle({ money: 'unknown', replay: false }, false);
    },
  };
  return admission;
}

const messages: Readonly<Record<Exclude<Refusal, 'attempt'>, string>> = {
  usd: 'You have reached the spending limit of this app.',
  requests: 'You have reached the limit of requests of this app.',
  concurrent: 'You have too many requests in flight in this app.',
};

/** The response to a request that the store has refused. Nothing has reached the service. */
function refusal(
  limit: Refusal,
  { spentUsd, windowEndsAt }: ReserveResult,
  limits: StoredLimits | undefined,
  { exposeCharges }: Pick<Settings, 'exposeCharges'>,
): ProxyError {
  if (limit === 'attempt') {
    return new ProxyError(
      409,
      'attempt_repeated',
      'The browser repeated this request by itself. The proxy forwarded only the first one, whose response was lost.',
    );
  }
  const secondsLeft = Math.max(1, Math.ceil((windowEndsAt - Date.now()) / 1_000));
  const amounts = exposeCharges === false ? {} : { spent_usd: spentUsd, limit_usd: limits?.usd };
  const hasEnd = limits === undefined || !isEndless(limits.windowMs);
  const retryAfter = limit === 'concurrent' ? 1 : hasEnd ? secondsLeft : undefined;
  return new ProxyError(
    limit === 'usd' ? 402 : 429,
    'user_limit_exceeded',
    `${messages[limit]} Nothing was sent.`,
    {
      details: {
        limit,
        window_ends_at: hasEnd ? new Date(windowEndsAt).toISOString() : undefined,
        ...amounts,
      },
      headers: retryAfter === undefined ? {} : { 'retry-after': String(retryAfter) },
    },
  );
}
