import { ProxyError } from './error-response.ts';
import type { ProxyCall } from './options.ts';

/** How long an attempt is remembered, in ms. Browsers repeat a request within seconds. */
const memoryTime = 600_000;

/** How many attempts are remembered, so that no user can exhaust the memory. */
const maxRemembered = 100_000;

/**
 * Rejects a request that the browser repeated by itself. Chromium does so when a reused connection closes before a
 * response, although the first request may have been forwarded and charged. The client gives each attempt an id of its
 * own, so its own retries pass.
 */
export function createAttemptCheck(
  limit = maxRemembered,
): (call: Pick<ProxyCall, 'user' | 'path'>, headers: Headers) => void {
  const forwardedAt = new Map<string, number>();
  return ({ user, path }, headers) => {
    const id = headers.get('x-polygate-attempt');
    if (id === null) return;
    if (!/^[!-~]{1,200}$/.test(id)) {
      const message = 'x-polygate-attempt must be 1 to 200 visible ASCII characters.';
      throw new ProxyError(400, 'invalid_attempt_id', message);
    }
    const now = performance.now();
    const attempt = JSON.stringify([user, path, id]);
    const repeatedAt = forwardedAt.get(attempt);
    if (repeatedAt !== undefined && now - repeatedAt < memoryTime) {
      throw new ProxyError(
        409,
        'attempt_repeated',
        'The browser repeated this request by itself. The proxy forwarded only the first one, whose response was lost.',
      );
    }
    // A map keeps the order of insertion, so the oldest attempts come first.
    for (const [oldest, at] of forwardedAt) {
      if (now - at < memoryTime && forwardedAt.size < limit) break;
      forwardedAt.delete(oldest);
    }
    forwardedAt.set(attempt, now);
  };
}
