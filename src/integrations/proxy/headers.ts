import { idempotencyKeyRule, toHex } from '../../internal.ts';
import { ProxyError } from './error-response.ts';
import type { Route } from './routes.ts';
import type { Settings } from './settings.ts';

const idempotencyHeaders = ['x-idempotency-key', 'idempotency-key'];

/** Builds the headers for the gateway. Anything else the page sent, such as cookies and `authorization`, is dropped. */
export async function requestHeaders(
  { headers: received, method }: Request,
  user: string,
  { keyHeader }: Pick<Route, 'keyHeader'>,
  { requestIdHeader }: Pick<Settings, 'requestIdHeader'>,
): Promise<Headers> {
  const headers = new Headers({ accept: received.get('accept') ?? 'application/json' });
  if (method === 'POST') headers.set('content-type', 'application/json');
  const requestId = received.get(requestIdHeader);
  if (requestId !== null) headers.set(requestIdHeader, requestId);
  // A service could charge for the key in the other header, and the key that the limits know would cost nothing.
  const isKeyed = keyHeader !== undefined && received.has(keyHeader);
  for (const name of isKeyed ? [keyHeader] : idempotencyHeaders) {
    const key = received.get(name);
    if (key === null) continue;
    if (!idempotencyKeyRule[0](key)) {
      const message = 'An idempotency key must be 1 to 200 visible ASCII characters.';
      throw new ProxyError(400, 'invalid_idempotency_key', message);
    }
    headers.set(name, await userScopedKey(user, key));
  }
  return headers;
}

/** Hashes the user id and the key, so that two users with the same key never share a task. Specification: Limits. */
async function userScopedKey(user: string, key: string): Promise<string> {
  return sha256(new TextEncoder().encode(JSON.stringify([user, key])));
}

/** The SHA-256 digest of bytes, in hexadecimal. */
export async function sha256(bytes: Uint8Array<ArrayBuffer>): Promise<string> {
  const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', bytes));
  return toHex(digest);
}

/**
 * Identifies an attempt of a page. The client gives each attempt a new id, so a second request with the same id was
 * repeated by the browser: Chromium does so when a reused connection closes before a response, although the first
 * request may have been forwarded and charged.
 */
export function attemptOf(headers: Headers, path: string): string | undefined {
  const id = headers.get('x-polygate-attempt');
  if (id === null) return undefined;
  if (idempotencyKeyRule[0](id)) return JSON.stringify([path, id]);
  const message = 'x-polygate-attempt must be 1 to 200 visible ASCII characters.';
  throw new ProxyError(400, 'invalid_attempt_id', message);
}

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
    // Any header is safe to allow: only those of `requestHeaders` are forwarded to the gateway.
    const requested = request.headers.get('access-control-request-headers');
    if (requested !== null) headers['access-control-allow-headers'] = requested;
    headers['access-control-max-age'] = '600';
  } else {
    headers['access-control-expose-headers'] = exposedHeaders(settings).join(', ');
  }
  return { isAllowed, isPreflight, headers };
}

/** Returns the names of the response headers that are forwarded to the page; all others are dropped. */
function exposedHeaders({ requestIdHeader, headerPrefix, exposeCharges }: Settings): string[] {
  const concurrency = ['concurrency-limit', 'concurrency-remaining', 'concurrency-source'];
  const vendor = ['task-id', 'idempotent-replay', ...concurrency];
  if (exposeCharges !== false) vendor.push('charge-usd');
  // With `date`, the client can turn a `retry-after` date into a delay even if the page's clock is wrong.
  const standard = ['content-type', 'retry-after', 'date', 'x-request-id', requestIdHeader];
  return [...new Set([...standard, ...vendor.map((name) => headerPrefix + name)])];
}

/** The headers of a response that the page sees. */
export function visibleHeaders(upstream: Response, settings: Settings): Headers {
  const headers = new Headers();
  for (const name of exposedHeaders(settings)) {
    const value = upstream.headers.get(name);
    if (value !== null) headers.set(name, value);
  }
  return headers;
}
