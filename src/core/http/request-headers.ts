import { ConfigurationError } from '../../errors/configuration.ts';
import type { Config } from '../config/config.ts';
import { applyHeaderChanges } from '../config/header-changes.ts';
import type { ApiCall, CheckedOptions } from '../call/api-call.ts';
import { checkValue, headerText } from '../config/validation.ts';

/** Headers that may tell who the caller is: endpoints without credentials get none of them. */
const credentialHeaders = ['authorization', 'x-api-key', 'x-goog-api-key', 'cookie'];

/** The headers of one attempt: defaults, the client's, the call's, and the key. */
export async function buildRequestHeaders(
  call: ApiCall,
  options: CheckedOptions,
  config: Config,
): Promise<Record<string, string>> {
  const headers: Record<string, string> = { accept: 'application/json', ...call.headers };
  if (call.body !== undefined) headers['content-type'] = 'application/json';
  applyHeaderChanges(headers, config.headers);
  applyHeaderChanges(headers, options.headers);
  if (options.requestId) headers[config.requestIdHeader] = options.requestId;
  if (options.idempotencyKey)
    headers[call.idempotencyHeader ?? 'x-idempotency-key'] = options.idempotencyKey;
  if (call.credentials === false) {
    for (const name of credentialHeaders) delete headers[name];
  } else if (config.apiKey !== null) {
    const key = await resolveApiKey(config);
    headers.authorization ??= `Bearer ${key}`;
    if (call.apiKeyHeader !== undefined) headers[call.apiKeyHeader] ??= key;
  }
  return headers;
}

async function resolveApiKey({ apiKey }: Config): Promise<string> {
  if (apiKey === undefined) {
    throw new ConfigurationError(
      'apiKey: missing. Pass it to new Polygate({ apiKey }) or set POLYGATE_API_KEY.',
    );
  }
  if (typeof apiKey === 'string') return apiKey;
  let key: unknown;
  try {
    key = await apiKey?.();
  } catch (cause) {
    throw new ConfigurationError('apiKey: its function failed.', { cause });
  }
  checkValue('apiKey: what its function gives', key ?? '', headerText);
  return String(key);
}
