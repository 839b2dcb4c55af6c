import { answerHeaders } from './answer.ts';
import type { Settings } from './settings.ts';

/** Whether a request may come from where it comes from. */
export interface Arrival {
  readonly welcome: boolean;
  /** Whether it only asks if it may come. */
  readonly preflight: boolean;
  /** The headers with which a browser lets the page read the answer. */
  readonly headers: Readonly<Record<string, string>>;
}

/**
 * Looks at where a request comes from. A browser says so in `origin` or `sec-fetch-site`, which pages cannot forge. A
 * caller that sends neither is no browser, which no page can misuse: `authorize` decides about it alone.
 */
export function judgeOrigin(request: Request, settings: Settings): Arrival {
  const { origins, credentials } = settings;
  const origin = request.headers.get('origin');
  const site = request.headers.get('sec-fetch-site');
  const preflight = request.method === 'OPTIONS';
  if (origin === null) {
    const welcome = !preflight && (site === null || site === 'same-origin' || site === 'none');
    return { welcome, preflight, headers: {} };
  }
  // The URL may be another one than the page saw: a server in between has changed it, or a stranger's page chose it.
  const isOwn = site === null ? origin === new URL(request.url).origin : site === 'same-origin';
  const welcome = origin !== 'null' && (origins?.includes(origin) ?? isOwn);
  if (!welcome) return { welcome, preflight, headers: {} };
  const headers: Record<string, string> = { 'access-control-allow-origin': origin };
  if (credentials === true) headers['access-control-allow-credentials'] = 'true';
  if (preflight) {
    headers['access-control-allow-methods'] = 'GET, POST, DELETE';
    // Whatever a welcome page sends along ends here: what goes on to the gateway is chosen elsewhere.
    const wanted = request.headers.get('access-control-request-headers');
    if (wanted !== null) headers['access-control-allow-headers'] = wanted;
    headers['access-control-max-age'] = '600';
  } else {
    headers['access-control-expose-headers'] = answerHeaders(settings).join(', ');
  }
  return { welcome, preflight, headers };
}
