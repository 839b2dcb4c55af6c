import { ConfigurationError } from '../errors/configuration.ts';
import { ProxyError } from './error-response.ts';
import { isApiKey } from './settings.ts';
import type { Settings } from './settings.ts';

const idempotencyHeaders = ['x-idempotency-key', 'idempotency-key'];

/** Builds the headers for the gateway. Anything else the page sent, such as cookies and `authorization`, is dropped. */
export async function requestHeaders(
  { headers: received, method }: Request,
  user: string,
  { requestIdHeader }: Settings,
): Promise<Headers> {
  const headers = new Headers({ accept: received.get('accept') ?? 'application/json' });
  if (method === 'POST') headers.set('content-type', 'application/json');
  const requestId = received.get(requestIdHeader);
  if (requestId !== null) headers.set(requestIdHeader, requestId);
  for (const name of idempotencyHeaders) {
    const key = received.get(name);
    if (key === null) continue;
    if (!/^[!-~]{1,200}$/.test(key)) {
      const message = 'An idempotency key must be 1 to 200 visible ASCII characters.';
      throw new ProxyError(400, 'invalid_idempotency_key', message);
    }
    headers.set(name, await userScopedKey(user, key));
  }
  return headers;
}

/** Hashes the user id and the key, so that two users with the same key never share a task. Specification: Limits. */
async function userScopedKey(user: string, key: string): Promise<string> {
  const bytes = new TextEncoder().encode(JSON.stringify([user, key]));
  const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', bytes));
  return Array.from(digest, (byte) => byte.toString(16).padStart(2, '0')).join('');
}

/** Returns the API key, or calls the function that returns it. */
export async function resolveApiKey({ apiKey }: Settings): Promise<string> {
  const key = typeof apiKey === 'function' ? await apiKey() : apiKey;
  if (isApiKey(key)) return key;
  throw new ConfigurationError(
    'apiKey: the function must return a non-empty string without spaces.',
  );
}
