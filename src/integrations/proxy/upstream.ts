import { networkAdvice, networkErrorMessage, networkOutcome } from '../../internal.ts';
import { ProxyError } from './error-response.ts';

/** No response arrived. */
export class UpstreamError extends ProxyError {
  /** Whether the request may have been charged. */
  readonly outcome: 'not-sent' | 'unknown';

  constructor(
    outcome: UpstreamError['outcome'],
    ...details: ConstructorParameters<typeof ProxyError>
  ) {
    super(...details);
    this.outcome = outcome;
  }
}

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
      const advice = networkAdvice(error);
      const problem = `The request to the gateway failed: ${networkErrorMessage(error)}`;
      report(advice === undefined ? problem : `${problem}. ${advice}`);
    }
    if (networkOutcome(error) === 'not-sent') {
      throw new UpstreamError(
        'not-sent',
        503,
        'service_unavailable',
        'The gateway cannot be reached. Nothing was sent.',
      );
    }
    throw new UpstreamError(
      'unknown',
      502,
      'bad_gateway',
      'The connection to the gateway was lost. The request may have been processed and charged.',
    );
  }
}

/** Whether a response leads elsewhere. Browsers report the status 0. */
export function isRedirect({ ok, status }: Response): boolean {
  return !ok && status < 400;
}

/** The error for a redirect, which is not followed because that could send the API key to another host. */
export function redirectError(response: Response, report: (message: string) => void): ProxyError {
  response.body?.cancel().catch(() => {});
  report('The gateway responded with a redirect, which the proxy does not follow. Check baseURL.');
  return new ProxyError(502, 'bad_gateway', 'The gateway responded with a redirect.');
}

/**
 * Some frameworks cache GET responses, so polling a task would return an old status. Cloudflare Workers reject this
 * option.
 */
function noStore(): RequestInit {
  return globalThis.navigator?.userAgent === 'Cloudflare-Workers' ? {} : { cache: 'no-store' };
}
