import { networkErrorMessage, networkOutcome } from '../internal/network.ts';
import { ProxyError } from './error-response.ts';

/**
 * Sends a request to the gateway once. A request that was never sent becomes a 503, which is safe to retry; one that
 * may have arrived becomes a 502.
 */
export async function fetchUpstream(
  fetch: typeof globalThis.fetch,
  url: string,
  init: RequestInit,
  report: (message: string) => void,
): Promise<Response> {
  try {
    return await fetch(url, { ...init, redirect: 'manual', ...noStore() });
  } catch (error) {
    // A page that disconnects causes this error itself, unless the request may be charged.
    if (init.method === 'POST' || init.signal?.aborted !== true) {
      report(`The request to the gateway failed: ${networkErrorMessage(error)}`);
    }
    if (networkOutcome(error) === 'not-sent') {
      throw new ProxyError(
        503,
        'service_unavailable',
        'The gateway cannot be reached. Nothing was sent.',
      );
    }
    throw new ProxyError(
      502,
      'bad_gateway',
      'The connection to the gateway was lost. The request may have been processed and charged.',
    );
  }
}

/** Rejects redirects, because following one could send the API key to another host. */
export function rejectRedirect(response: Response, report: (message: string) => void): void {
  if (response.status >= 200 && (response.status < 300 || response.status > 399)) return;
  response.body?.cancel().catch(() => {});
  report('The gateway responded with a redirect, which the proxy does not follow. Check baseURL.');
  throw new ProxyError(502, 'bad_gateway', 'The gateway responded with a redirect.');
}

/**
 * Some frameworks cache GET responses, so polling a task would return an old status. Cloudflare Workers reject this
 * option.
 */
function noStore(): RequestInit {
  return globalThis.navigator?.userAgent === 'Cloudflare-Workers' ? {} : { cache: 'no-store' };
}
