import { readFileSync, statSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';

import { ConfigurationError, Polygate } from 'polygate';
import type { PolygateOptions } from 'polygate';

import { checkResultURL } from '../../internal.ts';
import {
  isNonEmptyString,
  isRecord,
  isLoopbackHost,
  parseURL,
} from '../../wire/types/type-guards.ts';
import { UsageError, messageOf } from './arguments.ts';
import { serviceOptions } from './command-options.ts';
import { writeDurably } from './state-file.ts';

/** The service that a command uses. */
export interface Settings {
  baseURL: string;
  apiKey: string;
  /** The options to repeat in a command that continues this one: those that were on the command line. */
  given: { baseURL: boolean; apiKey: boolean };
}

/** The options that select the service. */
export interface ServiceOptions {
  readonly 'base-url'?: string | undefined;
  readonly 'api-key'?: string | undefined;
}

/**
 * Returns base URL and API key from the options, the environment or the configuration file, in this order. Throws a
 * `UsageError` if one is missing, or if the API key of the file would be sent to another service than the file names.
 */
export function resolveSettings(options: ServiceOptions, environment: Environment): Settings {
  let baseURL = options['base-url'] ?? (environment[serviceOptions['base-url'].env] || undefined);
  let apiKey = options['api-key'] ?? (environment[serviceOptions['api-key'].env] || undefined);
  if (baseURL === undefined || apiKey === undefined) {
    const path = configPath(environment);
    const file = readConfigFile(path);
    baseURL ??= file.baseURL;
    if (apiKey === undefined && file.apiKey) checkOrigin(baseURL, file.baseURL, path);
    apiKey ??= file.apiKey;
  }
  if (!baseURL?.trim()) {
    throw new UsageError(
      'no base URL: set POLYGATE_BASE_URL, use --base-url https://…, or run npx polygate init',
    );
  }
  if (!apiKey?.trim()) {
    throw new UsageError(
      'no API key: set POLYGATE_API_KEY, use --api-key, or run npx polygate init',
    );
  }
  const given = {
    baseURL: options['base-url'] !== undefined,
    apiKey: options['api-key'] !== undefined,
  };
  return { baseURL, apiKey, given };
}

/** Throws a `UsageError` if a base URL leads to another server than the one that the configuration file names. */
function checkOrigin(baseURL: string | undefined, stored: string | undefined, path: string): void {
  const [used, known] = [baseURL, stored].map((url) => url && parseURL(url));
  if (!used || !known) return;
  if (new URL(serviceURL(used.href)).origin === new URL(serviceURL(known.href)).origin) return;
  throw new UsageError(
    `the API key in ${path} is for ${known.host}, and is not sent to ${used.host}: set POLYGATE_API_KEY, use --api-key, or run npx polygate init`,
  );
}

/**
 * Identifies a service by its base URL. `localhost` and the loopback addresses that it resolves to are one name, so that a
 * request is found again whichever of them is used. Another port, scheme or path is another service, and so is any other
 * name or address of this machine, at which another server can listen.
 */
export function serviceURL(baseURL: string): string {
  const url = new URL(baseURL);
  if (!/^(localhost|\[::1\])$/.test(url.hostname)) return baseURL;
  url.hostname = '127.0.0.1';
  return url.href.replace(/\/$/, '');
}

/** The options that select the same service again. The API key is never printed. */
export function repeatedOptions({ baseURL, given }: Settings): string {
  return `${given.baseURL ? ` --base-url ${baseURL}` : ''}${given.apiKey ? ' --api-key <key>' : ''}`;
}

/** What the configuration file contains. Only the commands read it; the client never does. */
interface ConfigFile {
  baseURL?: string | undefined;
  apiKey?: string | undefined;
}

/** The environment variables of a process. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** The variables that name folders in the home folder, and those folders. */
const homeFolders = { XDG_CONFIG_HOME: '.config', XDG_STATE_HOME: '.local/state' } as const;

/** The folder of the commands in the one that a variable names. Throws a `UsageError` if there is no home folder. */
export function userFolder(variable: keyof typeof homeFolders, environment: Environment): string {
  const given = environment[variable];
  if (given) return join(given, 'polygate');
  try {
    return join(homedir(), homeFolders[variable], 'polygate');
  } catch (error) {
    throw new UsageError(`this user has no home folder: ${setVariable(variable)}`, {
      cause: error,
    });
  }
}

/** What to do about a folder that cannot be used. */
export const setVariable = (variable: keyof typeof homeFolders): string =>
  `set ${variable} to a folder that you can write to`;

/** The path of the configuration file. */
export const configPath = (environment: Environment): string =>
  join(userFolder('XDG_CONFIG_HOME', environment), 'config.json');

/**
 * Reads the configuration file; empty if there is none. Throws a `UsageError` if other users can read it, because it
 * contains an API key, and if it is damaged.
 */
function readConfigFile(path: string): ConfigFile {
  const stats = statSync(path, { throwIfNoEntry: false });
  if (stats === undefined) return {};
  // Windows has no such modes.
  if (process.platform !== 'win32' && (stats.mode & 0o077) !== 0) {
    throw new UsageError(
      `other users can read ${path}, which contains an API key. Run chmod 600 ${path}, and consider replacing the key`,
    );
  }
  let content: unknown;
  try {
    content = JSON.parse(readFileSync(path, 'utf8'));
  } catch (error) {
    // A message of JSON.parse quotes the file.
    const reason = error instanceof SyntaxError ? 'it is not JSON' : messageOf(error);
    throw new UsageError(`cannot read ${path}: ${reason}. Run polygate init to write it again`, {
      cause: error,
    });
  }
  const { baseURL, apiKey } = isRecord(content) ? content : {};
  return {
    baseURL: isNonEmptyString(baseURL) ? baseURL : undefined,
    apiKey: isNonEmptyString(apiKey) ? apiKey : undefined,
  };
}

/**
 * Writes the configuration file, readable by its owner only. A symbolic link stays, and its target is replaced. Throws a
 * `UsageError` if that fails.
 */
export function writeConfigFile(path: string, { baseURL, apiKey }: ConfigFile): void {
  try {
    writeDurably(path, `${JSON.stringify({ baseURL, apiKey }, undefined, 2)}\n`);
  } catch (error) {
    throw new UsageError(
      `cannot write ${path}: ${messageOf(error)}; ${setVariable('XDG_CONFIG_HOME')}`,
      { cause: error },
    );
  }
}

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
