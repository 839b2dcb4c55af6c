import { isRecord } from './body.ts';
import { ProxyError } from './error-response.ts';

/** Codes of failures that occur before any bytes are sent, such as a refused connection or a failed DNS lookup. */
const notSentCodes =
  /^(ECONNREFUSED|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH|UND_ERR_CONNECT_TIMEOUT|ConnectionRefused)$/;

/**
 * Sends a request to the gateway once. A request that was never sent becomes a 503, which is safe to retry; one that
 * may have arrived becomes a 502. Redirects are rejected, because following one could send the API key to another host.
 */
export async function fetchUpstream(
  fetch: typeof globalThis.fetch,
  url: string,
  init: RequestInit,
  report: (message: string) => void,
): Promise<Response> {
  let response: Response;
  try {
    response = await fetch(url, { ...init, redirect: 'manual', ...noStore() });
  } catch (error) {
    const { message, code } = rootCause(error);
    // A page that disconnects causes this error itself.
    if (init.signal?.aborted !== true) report(`The request to the gateway failed: ${message}`);
    if (notSentCodes.test(code)) {
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
  if (response.status >= 200 && (response.status < 300 || response.status > 399)) return response;
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

/** The innermost message and code of a `fetch` error, without the request that the error may reference. */
function rootCause(error: unknown): { message: string; code: string } {
  let message = 'unknown reason';
  let code = '';
  let cause = error;
  for (let depth = 0; depth < 5 && isRecord(cause); depth += 1) {
    if (typeof cause.message === 'string' && cause.message !== '') message = cause.message;
    if (typeof cause.code === 'string') code = cause.code;
    cause = cause.cause;
  }
  return { message, code };
}
