import { Refusal } from './refusal.ts';
import { isKey } from './settings.ts';
import type { Settings } from './settings.ts';

const keyHeaders = ['x-idempotency-key', 'idempotency-key'];

/**
 * The headers for the gateway: these and no others. Cookies, `authorization` and all else that the page sent stay here.
 */
export async function outgoingHeaders(
  { headers: given, method }: Request,
  user: string,
  { requestIdHeader }: Settings,
): Promise<Headers> {
  const headers = new Headers({ accept: given.get('accept') ?? 'application/json' });
  if (method === 'POST') headers.set('content-type', 'application/json');
  const requestId = given.get(requestIdHeader);
  if (requestId !== null) headers.set(requestIdHeader, requestId);
  for (const name of keyHeaders) {
    const key = given.get(name);
    if (key === null) continue;
    if (!/^[!-~]{1,200}$/.test(key)) {
      const message = 'An idempotency key must be 1 to 200 visible ASCII characters.';
      throw new Refusal(400, 'invalid_idempotency_key', message);
    }
    headers.set(name, await ownKey(user, key));
  }
  return headers;
}

/** The key that the gateway gets: the same for the same user, and never another user's. Specification: Limits. */
async function ownKey(user: string, key: string): Promise<string> {
  const bytes = new TextEncoder().encode(JSON.stringify([user, key]));
  const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', bytes));
  return Array.from(digest, (byte) => byte.toString(16).padStart(2, '0')).join('');
}

/** The user's key for the gateway. */
export async function readKey({ apiKey }: Settings): Promise<string> {
  const key = typeof apiKey === 'function' ? await apiKey() : apiKey;
  if (isKey(key)) return key;
  throw new TypeError('apiKey: what its function gives must be a non-empty string in one line.');
}
