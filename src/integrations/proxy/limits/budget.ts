import { toNano, toUsd } from '../../../paid/amounts.ts';
import { ProxyError } from '../error-response.ts';
import type { Settings } from '../settings.ts';
import { withinTime } from '../store/store.ts';
import { isEndless } from './user-limits.ts';

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
