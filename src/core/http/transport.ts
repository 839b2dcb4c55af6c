import ky from 'ky';

import { isCloudflare } from '../config/environment.ts';

/** One HTTP request, ready to go. */
export interface HttpRequest {
  url: string;
  method: string;
  headers: Record<string, string>;
  /** The serialised body: every attempt sends the same bytes. */
  body: string | null;
  signal: AbortSignal;
  /** Followed only where nothing of ours is sent along. */
  redirect?: RequestRedirect;
  credentials?: RequestCredentials;
}

/**
 * Sends one request once and gives back whatever is answered; the only file that knows ky. Retries, time and
 * statuses are decided above, so ky runs bare. It gets no header and no body: they go straight to `fetch`, which is
 * faster, and ky's errors cannot hold the key. What it does takes place while the request is on its way.
 */
export async function sendHttpRequest(
  fetch: typeof globalThis.fetch,
  { url, ...request }: HttpRequest,
): Promise<Response> {
  const init: RequestInit = { redirect: 'manual', ...request, ...noStore() };
  try {
    const sent = Promise.resolve(fetch(url, init));
    sent.catch(() => undefined);
    return await ky(url, {
      method: request.method,
      retry: 0,
      timeout: false,
      throwHttpErrors: false,
      fetch: () => sent,
    });
  } catch (error) {
    throw error instanceof Error && error.cause !== undefined && error.name === 'NetworkError'
      ? error.cause
      : error;
  }
}

/** Polling must not be answered from a cache (browsers, Next.js); Cloudflare's workers refuse the option. */
function noStore(): RequestInit {
  return isCloudflare() ? {} : { cache: 'no-store' };
}
