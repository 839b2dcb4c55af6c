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
