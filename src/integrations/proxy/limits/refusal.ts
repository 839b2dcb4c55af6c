import { ProxyError } from '../error-response.ts';
import type { Settings } from '../settings.ts';
import type { Refusal, ReserveResult, StoredLimits } from '../store/store.ts';
import { isEndless } from './user-limits.ts';

const messages: Readonly<Record<Exclude<Refusal, 'attempt'>, string>> = {
  usd: 'You have reached the spending limit of this app.',
  requests: 'You have reached the limit of requests of this app.',
  concurrent: 'You have too many requests in flight in this app.',
};

/** The response to a request that the store has refused. Nothing has reached the service. */
export function refusal(
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
