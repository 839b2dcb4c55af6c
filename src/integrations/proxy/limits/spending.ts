import { waitAtMost } from '../../../internal.ts';
import { toNano, toUsd } from '../../../paid/amounts.ts';
import type { Verdict } from '../../../paid/verdict.ts';
import { ProxyError } from '../error-response.ts';
import type { Settings } from '../settings.ts';
import { persist, settledAs, withinTime } from '../store/store.ts';
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
interface Admission {
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
  const settleAs = async (as: SettledAs, charge = free) => {
    last = last.then(() => persist(() => store.settle({ ...settlement, ...charge, as }), report));
    await waitAtMost(maxSettleWait, last, () => undefined);
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
    return { ...unlimited, cancel: () => settleAs('not-sent') };
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
      await settleAs(settledAs[money], charge);
    },
    async cancel() {
      isSettled = true;
      clearInterval(renewing);
      await settleAs('not-sent');
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

/**
 * What is left of a user's limits in the current window: the JSON at the proxy's `budgetPath`. It is empty for a user
 * without limits. If `exposeCharges` is false, it has no amounts in USD.
 */
export interface UserBudget {
  /** `limits.usd`; undefined if it is not set. */
  readonly limitUsd?: number | undefined;
  /** Charged, in USD. */
  readonly spentUsd?: number | undefined;
  /** Reserved for requests whose charge is not known, in USD. */
  readonly reservedUsd?: number | undefined;
  /** What is neither charged nor reserved, in USD, at least 0; undefined without `limitUsd`. */
  readonly remainingUsd?: number | undefined;
  /** `limits.requests`; undefined if it is not set. */
  readonly limitRequests?: number | undefined;
  /** POSTs that were forwarded. */
  readonly requests?: number | undefined;
  /** POSTs that remain, at least 0; undefined without `limitRequests`. */
  readonly remainingRequests?: number | undefined;
  /** When the window ends, as an ISO 8601 date; undefined with `window: 'forever'`. */
  readonly windowEndsAt?: string | undefined;
  /** When a page should read its budget again, in ms from now: within five seconds after the window has ended. */
  readonly reloadInMs?: number | undefined;
}

/**
 * The response with a user's own budget.
 *
 * @throws `ProxyError` if the store fails, also with `onStoreError: 'allow'`.
 */
export async function budgetResponse(
  user: string,
  request: Request,
  settings: Settings,
): Promise<Response> {
  const budget = await budgetOf(user, request, settings);
  return new Response(JSON.stringify(budget), { headers: { 'content-type': 'application/json' } });
}

async function budgetOf(
  user: string,
  request: Request,
  { limitsOf, store, exposeCharges, report }: Settings,
): Promise<UserBudget> {
  const limits = await limitsOf(user, request);
  if (limits === undefined) return {};
  const { usd: limitUsd, requests: limitRequests, windowMs } = limits;
  const usage = await withinTime(() => store.usage(user, windowMs)).catch((error: unknown) => {
    report(error);
    throw new ProxyError(503, 'store_unavailable', 'The limits of this user cannot be read.');
  });
  const { usd: spentUsd, reservedUsd, requests, windowEndsAt } = usage;
  return {
    ...(exposeCharges !== false && {
      limitUsd,
      spentUsd,
      reservedUsd,
      remainingUsd:
        limitUsd && toUsd(left(toNano(limitUsd), toNano(spentUsd) + toNano(reservedUsd))),
    }),
    limitRequests,
    requests,
    remainingRequests: limitRequests && left(limitRequests, requests),
    ...(!isEndless(windowMs) && {
      windowEndsAt: new Date(windowEndsAt).toISOString(),
      reloadInMs: reloadInMs(windowEndsAt),
    }),
  };
}

/** The longest time that timers support, in ms. */
const maxTimeout = 2_147_483_647;

/** Not the same for all pages, which would otherwise all send a request at midnight. The clock of a page can be wrong. */
function reloadInMs(windowEndsAt: number): number {
  const wait = left(windowEndsAt, Date.now()) + 1_000 + Math.random() * 4_000;
  return Math.min(Math.round(wait), maxTimeout);
}

const left = (limit: number, used: number) => Math.max(0, limit - used);
