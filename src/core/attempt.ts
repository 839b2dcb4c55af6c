import type Ky from 'ky';

let loading: Promise<{ readonly default: typeof Ky }> | undefined;

/**
 * One attempt by ky, bare: what it sends is for `send` to say. ky makes a Request as soon as it is imported, for which
 * Node loads all of `fetch`; so it comes with the first request. It makes another for every call, and does so while what
 * was sent is on its way. Bundles for browsers have `browser/attempt.ts` instead.
 */
export async function attempt(
  url: string,
  method: string,
  send: () => Promise<Response>,
): Promise<Response> {
  const { default: ky } = await (loading ??= import('ky'));
  const sent = send();
  sent.catch(() => undefined);
  return ky(url, { method, retry: 0, timeout: false, throwHttpErrors: false, fetch: () => sent });
}
