import { ConfigurationError } from '../../errors/base.ts';
import type { ProxyOptions } from './options.ts';

/** Whether a value can be sent as the bearer token. */
export const isApiKey = (key: unknown): key is string =>
  typeof key === 'string' && /^[\u0021-\u007e\u0080-\u00ff]+$/.test(key);

/** Returns the API key, or calls the function that returns it. */
export async function resolveApiKey({ apiKey }: Pick<ProxyOptions, 'apiKey'>): Promise<string> {
  const key = typeof apiKey === 'function' ? await apiKey() : apiKey;
  if (isApiKey(key)) return key;
  throw new ConfigurationError(
    'apiKey: the function must return a non-empty string without spaces.',
  );
}
