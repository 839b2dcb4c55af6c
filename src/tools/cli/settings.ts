import { UsageError } from './arguments.ts';
import { configPath, readConfigFile } from './config-file.ts';

/** The service that a command uses. */
export interface Settings {
  baseURL: string;
  apiKey: string;
  /** The options to repeat in a command that continues this one: those that were on the command line. */
  given: { baseURL: boolean; apiKey: boolean };
}

type Environment = Readonly<Record<string, string | undefined>>;

/** The options that select the service. */
export interface ServiceOptions {
  readonly 'base-url'?: string | undefined;
  readonly 'api-key'?: string | undefined;
}

/**
 * Returns base URL and API key from the options, the environment or the configuration file, in this order. Throws a
 * `UsageError` if one is missing.
 */
export function resolveSettings(options: ServiceOptions, environment: Environment): Settings {
  let baseURL = options['base-url'] ?? (environment.POLYGATE_BASE_URL || undefined);
  let apiKey = options['api-key'] ?? (environment.POLYGATE_API_KEY || undefined);
  if (baseURL === undefined || apiKey === undefined) {
    const file = readConfigFile(configPath(environment));
    baseURL ??= file.baseURL;
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

/** The options that select the same service again. The API key is never printed. */
export function repeatedOptions({ baseURL, given }: Settings): string {
  return `${given.baseURL ? ` --base-url ${baseURL}` : ''}${given.apiKey ? ' --api-key <key>' : ''}`;
}
