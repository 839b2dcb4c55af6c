import type { Auth } from './endpoint.ts';
import { GatewayError } from './response/gateway-error.ts';
import type { Key } from '../account/state.ts';
import type { Users } from '../account/users.ts';

/** Finds out who calls, or refuses. Specification: Authentication; Errors. */
export function authenticate(
  auth: Auth,
  users: Users,
  headers: Headers,
  query: URLSearchParams,
): Key | undefined {
  if (auth === 'none') return undefined;
  const messages = keyMessages(auth);
  const sent = auth === 'any-key' ? nativeKey(headers, query) : bearer(headers);
  if (sent === undefined) throw new GatewayError(401, 'api_key_required', messages.missing);
  const key = users.find(sent);
  if (key === undefined) throw new GatewayError(401, 'invalid_api_key', messages.unknown);
  if (key.state === 'disabled') throw new GatewayError(403, 'api_key_disabled', messages.disabled);
  return key;
}

/** What is wrong with a key, in the words of the endpoint. Specification: Errors. */
export function keyMessages(auth: Auth | undefined): typeof usualMessages {
  return auth === 'balance' ? balanceMessages : usualMessages;
}

const usualMessages = {
  missing: 'An API key is required: send it as `Authorization: Bearer sk-…`',
  unknown: 'This API key is not known',
  disabled: 'This API key is disabled',
};

const balanceMessages = {
  missing: 'Token not provided',
  unknown: 'Invalid token',
  disabled: 'Token invalid',
};

/** The key; undefined when none was sent, empty when what was sent is no bearer key. */
function bearer(headers: Headers): string | undefined {
  const value = (headers.get('authorization') ?? '').trim();
  if (/^(bearer)?$/i.test(value)) return undefined;
  return /^bearer +(\S+)$/i.exec(value)?.[1] ?? '';
}

/** Clients of other families may list models with their own key headers. Assumption A17. */
function nativeKey(headers: Headers, query: URLSearchParams): string | undefined {
  const native = headers.get('x-api-key') ?? headers.get('x-goog-api-key') ?? query.get('key');
  return bearer(headers) ?? (native === null || native === '' ? undefined : native);
}
