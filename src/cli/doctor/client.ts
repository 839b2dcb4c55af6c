import { ConfigurationError, Polygate } from 'polygate';

import { UsageError } from '../arguments.ts';
import type { DoctorArguments } from './options.ts';

/** Creates the client of a command. Throws a `UsageError` if an option is missing or invalid. */
export function createClient({
  baseURL,
  apiKey,
}: Pick<DoctorArguments, 'baseURL' | 'apiKey'>): Polygate {
  if (!baseURL?.trim()) {
    throw new UsageError('no base URL: set POLYGATE_BASE_URL, or use --base-url https://…');
  }
  if (!apiKey?.trim()) {
    throw new UsageError('no API key: set POLYGATE_API_KEY, or use --api-key');
  }
  const url = URL.parse(baseURL);
  try {
    // The result lists all problems. Log messages would be printed between its lines.
    return new Polygate({ baseURL, apiKey, logLevel: 'off' });
  } catch (error) {
    if (!(error instanceof ConfigurationError) || !error.message.startsWith('baseURL')) throw error;
    if (url?.protocol === 'http:' && url.href === url.origin + url.pathname) {
      throw new UsageError(
        `http would send the API key to ${url.host} unencrypted. Use https, or forward a port of this machine: ssh -L 8080:${url.hostname}:${url.port || 80} <server>, then --base-url http://localhost:8080${url.pathname.replace(/\/$/, '')}`,
        { cause: error },
      );
    }
    // Not quoted, because it may contain a password.
    throw new UsageError(
      'the base URL must be an https URL (http only for this machine) without credentials, query or fragment, such as https://gateway.example or http://localhost:8787',
      { cause: error },
    );
  }
}
