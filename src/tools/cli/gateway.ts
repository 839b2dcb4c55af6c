import { ConfigurationError, Polygate } from 'polygate';
import type { PolygateOptions } from 'polygate';

import { checkResultURL } from '../../internal.ts';
import { isLoopbackHost, parseURL } from '../../wire/types/type-guards.ts';
import { UsageError } from './arguments.ts';
import type { Settings } from './settings.ts';

/** Creates the client of a command. Throws a `UsageError` if base URL or API key are invalid. */
export function createGateway(
  { baseURL, apiKey }: Pick<Settings, 'baseURL' | 'apiKey'>,
  options: PolygateOptions = {},
): Polygate {
  const url = parseURL(baseURL);
  try {
    // Commands report problems themselves. Log messages would be printed between their lines.
    return new Polygate({ baseURL, apiKey, logLevel: 'off', ...options });
  } catch (error) {
    if (!ConfigurationError.is(error) || error.reason !== 'base-url') throw error;
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

/** Creates the client of a command that saves results. If the gateway is on this machine, so are its results. */
export function createSavingGateway(
  settings: Pick<Settings, 'baseURL' | 'apiKey'>,
  options: PolygateOptions = {},
): Polygate {
  const gateway = createGateway(settings, options);
  return isLoopbackHost(parseURL(gateway.baseURL)?.hostname ?? '')
    ? gateway.withOptions(onThisMachine)
    : gateway;
}

/**
 * Allows results on this machine, but on no other private host: a service behind a forwarded port could name any
 * address of the network.
 */
const onThisMachine: PolygateOptions = {
  allowInsecureBaseURL: true,
  fetch: (input, init) => {
    checkSource(input instanceof Request ? input.url : String(input));
    return fetch(input, init);
  },
};

const forbiddenSource =
  'The result is neither on this machine nor at a public https address, so it was not requested.';

/**
 * Checks the address of a result of a gateway on this machine.
 *
 * @throws `ConfigurationError` if it is neither on this machine nor public.
 */
export function checkSource(address: string): void {
  if (!isSource(address)) throw new ConfigurationError(forbiddenSource);
}

function isSource(address: string): boolean {
  if (isLoopbackHost(parseURL(address)?.hostname ?? '')) return true;
  try {
    checkResultURL(address, false, {});
    return true;
  } catch {
    return false;
  }
}
