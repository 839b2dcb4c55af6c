import type { Users } from '../account/users.ts';
import type { Key } from '../state.ts';
import type { Auth } from './endpoint-description.ts';
import { GatewayError } from './response/gateway-error.ts';

/**
 * Returns the API key of a request; undefined on public endpoints. Throws a 401 or 403
 * if the key is missing, unknown or disabled. Specification: Authentication; Errors.
 */
export function authenticate(
  auth: Auth,
  users: Users,
  headers: Headers,
  query: URLSearchParams,
): Key | undefined {
  if (auth === 'none') return undefined;
  const messages = keyMessages(auth);
  const sent = auth === 'any-key' ? anyKey(headers, query) : bearer(headers);
  if (sent === undefined) throw new GatewayError(401, 'api_key_required', messages.missing);
  const key = users.find(sent);
  if (key === undefined) throw new GatewayError(401, 'invalid_api_key', messages.unknown);
  if (key.state === 'disabled') throw new GatewayError(403, 'api_key_disabled', messages.disabled);
  return key;
}

/** Returns the error messages about API keys that an endpoint uses. Specification: Errors. */
export function keyMessages(auth: Auth | undefined): typeof defaultMessages {
  return auth === 'balance' ? balanceMessages : defaultMessages;
}

const defaultMessages = {
  missing: 'An API key is required: send it as `Authorization: Bearer sk-…`',
  unknown: 'The API key is invalid',
  disabled: 'The API key is disabled',
};

const balanceMessages = {
  missing: 'Token not provided',
  unknown: 'Invalid token',
  disabled: 'Token invalid',
};

/** Returns the bearer key; undefined if the header is missing or empty, empty if the header is malformed. */
function bearer(headers: Headers): string | undefined {
  const value = (headers.get('authorization') ?? '').trim();
  if (/^(bearer)?$/i.test(value)) return undefined;
  return /^bearer +(\S+)$/i.exec(value)?.[1] ?? '';
}

/**
 * Returns the bearer key if there is one, otherwise the key in a header or parameter that Anthropic and Gemini clients
 * use. Assumption A17.
 */
function anyKey(headers: Headers, query: URLSearchParams): string | undefined {
  const native = headers.get('x-api-key') ?? headers.get('x-goog-api-key') ?? query.get('key');
  return bearer(headers) ?? (native === null || native === '' ? undefined : native);
}
