import { ConfigurationError } from '../../errors/base.ts';
import type { Config } from '../config/config.ts';
import { checkValue, headerText } from '../config/validation.ts';
import type { HeaderChanges } from '../config/validation.ts';

/** The header that carries an idempotency key; materials use the second name. */
export type IdempotencyHeader = 'x-idempotency-key' | 'idempotency-key';

/** What an endpoint requires of its headers. */
export interface EndpointHeaders {
  /** HTTP method. */
  readonly method: string;
  /** The serialized body, as JSON unless a header says otherwise: every attempt sends the same bytes. */
  readonly body?: string | Uint8Array<ArrayBuffer> | undefined;
  /** Fixed headers of this endpoint. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** @defaultValue `'x-idempotency-key'` */
  readonly idempotencyHeader?: IdempotencyHeader | undefined;
  /** Another header for the API key without `Bearer`, as the Anthropic and Gemini APIs use. */
  readonly apiKeyHeader?: string | undefined;
  /** False for public endpoints, which must never receive credentials. */
  readonly credentials?: boolean | undefined;
}

/** What a caller adds to the headers of one call. */
export interface CallHeaders {
  headers: HeaderChanges;
  requestId?: string | undefined;
  idempotencyKey?: string | undefined;
}

/** Headers that carry an API key, alone or after the name of a scheme. */
const keyHeaders = ['authorization', 'x-api-key', 'x-goog-api-key'];

/** Headers that can identify the caller. Endpoints without credentials receive none of them. */
const credentialHeaders = [...keyHeaders, 'cookie'];

/** The API keys in the headers of a request. */
export function sentKeys(get: (name: string) => string | null | undefined): string[] {
  const keys: string[] = [];
  for (const name of keyHeaders) {
    const value = get(name);
    if (value) keys.push(value.replace(/^\S+ +/, '').trim());
  }
  return keys;
}

const attemptHeader = 'x-polygate-attempt';

/** An id that no other attempt of this user has. It is no secret, and `crypto` is missing in some mobile apps. */
const attemptId = () => `${Math.random()}${Math.random()}`.replaceAll('0.', '');

/**
 * Builds the headers of one attempt: the endpoint's, the client's, then the call's. Credentials are added last, and do
 * not replace an `authorization` header that the caller set.
 */
export function buildRequestHeaders(
  endpoint: EndpointHeaders,
  { headers: changes, requestId, idempotencyKey }: CallHeaders,
  config: Config,
  apiKey: string | null,
): Record<string, string> {
  const headers: Record<string, string> = { accept: 'application/json', ...endpoint.headers };
  // Browsers can repeat a POST by themselves. The proxy recognizes this by the id of the attempt.
  if (config.apiKey === null && endpoint.method === 'POST') headers[attemptHeader] = attemptId();
  if (endpoint.body !== undefined) headers['content-type'] = 'application/json';
  for (const list of [config.headers, changes]) {
    for (const [name, value] of list) {
      if (value !== null) headers[name] = value;
      // A call can replace the client's `authorization`, but not remove it.
      else if (name !== 'authorization') delete headers[name];
    }
  }
  if (requestId) headers[config.requestIdHeader] = requestId;
  if (idempotencyKey) headers[endpoint.idempotencyHeader ?? 'x-idempotency-key'] = idempotencyKey;
  if (endpoint.credentials === false) {
    for (const name of credentialHeaders) delete headers[name];
  } else if (apiKey !== null) {
    headers.authorization ??= `Bearer ${apiKey}`;
    if (endpoint.apiKeyHeader !== undefined) headers[endpoint.apiKeyHeader] ??= apiKey;
  }
  return headers;
}

/** Of the errors of {@link resolveApiKey}. */
const reason = 'api-key';

/**
 * The API key for one attempt; null if the client sends none.
 *
 * @throws {@link ConfigurationError} when there is no valid API key.
 */
export function resolveApiKey({ apiKey }: Config): string | null | Promise<string> {
  if (apiKey === undefined) {
    throw new ConfigurationError(
      'apiKey: missing. Pass it to the client or set POLYGATE_API_KEY. If a proxy adds it, pass apiKey: null.',
      { reason },
    );
  }
  return typeof apiKey === 'function' ? callForApiKey(apiKey) : apiKey;
}

async function callForApiKey(apiKey: () => unknown): Promise<string> {
  let key: unknown;
  try {
    key = await apiKey();
  } catch (cause) {
    throw new ConfigurationError('apiKey: the function threw. See error.cause.', { cause, reason });
  }
  checkValue('apiKey (function)', key ?? '', headerText, reason);
  return String(key);
}

/**
 * A random idempotency key. It is no secret: it only has to differ from all others. `crypto.randomUUID` is missing on
 * pages served over plain http, and `crypto` in some mobile apps.
 */
export function newIdempotencyKey(): string {
  const { crypto }: { crypto?: Partial<Crypto> } = globalThis;
  const bytes = new Uint8Array(16);
  return toHex(crypto?.getRandomValues?.(bytes) ?? bytes.map(() => Math.random() * 256));
}

/** Bytes as lowercase hexadecimal digits. */
export function toHex(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}
