import { exposedHeaders } from './response.ts';
import type { Settings } from './settings.ts';

/** The result of {@link checkOrigin}. */
export interface OriginCheck {
  readonly isAllowed: boolean;
  /** Whether this is a CORS preflight, which is never forwarded. */
  readonly isPreflight: boolean;
  /** CORS headers for the response. */
  readonly headers: Readonly<Record<string, string>>;
}

/**
 * Checks which origin a request comes from. Browsers send `origin` or `sec-fetch-site`, and pages cannot forge either.
 * A request with neither header is left to `authorize`: browsers send `origin` with every POST and DELETE, and with
 * every cross-origin request whose response a page can read.
 */
export function checkOrigin(request: Request, settings: Settings): OriginCheck {
  const { origins, credentials } = settings;
  const origin = request.headers.get('origin');
  const site = request.headers.get('sec-fetch-site');
  const isPreflight = request.method === 'OPTIONS';
  if (origin === null) {
    const isAllowed = !isPreflight && (site === null || site === 'same-origin' || site === 'none');
    return { isAllowed, isPreflight, headers: {} };
  }
  // Prefer `sec-fetch-site`: the host in the URL may have been changed by a load balancer or chosen by an attacker.
  const isOwn = site === null ? origin === new URL(request.url).origin : site === 'same-origin';
  const isAllowed = origin !== 'null' && (origins?.includes(origin) ?? isOwn);
  if (!isAllowed) return { isAllowed, isPreflight, headers: {} };
  const headers: Record<string, string> = { 'access-control-allow-origin': origin };
  if (credentials === true) headers['access-control-allow-credentials'] = 'true';
  if (isPreflight) {
    headers['access-control-allow-methods'] = 'GET, POST, DELETE';
    // Any header is safe to allow: only the ones in request-headers.ts are forwarded to the gateway.
    const requested = request.headers.get('access-control-request-headers');
    if (requested !== null) headers['access-control-allow-headers'] = requested;
    headers['access-control-max-age'] = '600';
  } else {
    headers['access-control-expose-headers'] = exposedHeaders(settings).join(', ');
  }
  return { isAllowed, isPreflight, headers };
}
