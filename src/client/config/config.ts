import { ConfigurationError } from '../../errors/base.ts';
import { clientDefaults } from '../../wire/types/client-defaults.ts';
import type { ClientDefaults } from '../../wire/types/client-defaults.ts';
import { omitUndefined, unchecked } from '../../wire/types/schema.ts';
import type { Telemetry } from '../../wire/types/telemetry.ts';
import { isLoopbackHost, parseURL } from '../../wire/types/type-guards.ts';
import { systemClock } from './clock.ts';
import type { Clock } from './clock.ts';
import {
  isBrowser,
  isCloudflare,
  readEnvironment,
  runtimeFetch,
  userAgent,
  pageURL,
} from './environment.ts';
import { createLog, logLevels } from './log.ts';
import type { Log } from './log.ts';
import type { Budget, ChatClientOptions, PolygateOptions } from './options.ts';
import * as rules from './validation.ts';
import type { HeaderChanges, Rule, Rules } from './validation.ts';

/** The options of a client, validated, with every default filled in. */
export interface Config {
  /** The options as passed, for clients derived from this one. */
  readonly options: PolygateOptions;
  readonly apiKey: PolygateOptions['apiKey'];
  readonly baseURL: string;
  readonly timeout: number;
  readonly chatTimeout: number;
  readonly totalTimeout?: number | undefined;
  readonly streamIdleTimeout: number;
  readonly maxRetries: number;
  readonly retryAmbiguous: {
    readonly chat?: boolean | undefined;
    readonly voices?: boolean | undefined;
  };
  readonly maxRetryDelay: number;
  readonly maxQueueTime: number;
  readonly maxResponseBytes: number;
  readonly maxEventBytes: number;
  readonly concurrency: 'auto' | number | false;
  readonly fallbackCooldown: number;
  readonly budget?: Budget | undefined;
  readonly onCharge?: PolygateOptions['onCharge'];
  readonly headers: HeaderChanges;
  readonly fetch: typeof globalThis.fetch;
  /** The `cache` option of every `fetch`; undefined where it is not supported. */
  readonly cache: 'no-store' | undefined;
  readonly clock: Clock;
  readonly random: () => number;
  readonly headerPrefix: string;
  readonly requestIdHeader: string;
  /** Whether plain `http:` and private addresses are allowed. */
  readonly allowInsecureBaseURL?: boolean | undefined;
  readonly log: Log;
  readonly telemetry?: Telemetry | undefined;
}

/** The validation rule of each option that all clients accept. */
const optionRules: { readonly [Option in keyof Required<ChatClientOptions>]: Rule } = {
  apiKey: [
    (value) => value === null || typeof value === 'function' || rules.headerText[0](value),
    `${rules.headerText[1]}, a function or null`,
  ],
  baseURL: rules.stringValue,
  timeout: rules.durationMs,
  totalTimeout: rules.durationMs,
  streamIdleTimeout: rules.durationMs,
  maxRetries: rules.nonNegativeInteger,
  retryAmbiguous: rules.objectWithFields({ chat: rules.booleanValue, voices: rules.booleanValue }),
  maxRetryDelay: rules.nonNegativeMs,
  maxQueueTime: rules.nonNegativeMs,
  maxResponseBytes: rules.positiveInteger,
  maxEventBytes: rules.positiveInteger,
  concurrency: rules.concurrencyValue,
  budget: rules.objectWithFields(
    { maxUsd: rules.nonNegativeNumber, strict: rules.booleanValue },
    { maxUsd: null },
  ),
  fallbackCooldown: rules.nonNegativeMs,
  onCharge: rules.functionValue,
  headers: rules.plainObject,
  fetch: rules.functionValue,
  clock: rules.clockValue,
  random: rules.functionValue,
  headerPrefix: rules.headerName,
  requestIdHeader: rules.headerName,
  paths: rules.objectWithFields({ videoTask: rules.pathTemplate, imageTask: rules.pathTemplate }),
  logger: rules.objectWithMethods(...logLevels.slice(1)),
  logLevel: rules.oneOf(...logLevels),
  telemetry: rules.objectWithMethods('startSpan'),
  dangerouslyAllowBrowser: rules.booleanValue,
  allowInsecureBaseURL: rules.booleanValue,
};

/** Default values of options. */
export const defaults = {
  timeout: 60_000,
  chatTimeout: 600_000,
  streamIdleTimeout: 60_000,
  maxRetries: 3,
  maxRetryDelay: 60_000,
  maxQueueTime: 300_000,
  maxResponseBytes: 2 ** 26,
  maxEventBytes: 2 ** 26,
  concurrency: 'auto',
  fallbackCooldown: 10_000,
  clock: systemClock,
  random: Math.random,
  headerPrefix: 'x-svc-',
  requestIdHeader: 'x-request-id',
} as const;

/**
 * Turns options and environment variables into a config. Environment variables are read only here. `clientRules`
 * are the rules of options that only one client accepts.
 *
 * @throws {@link ConfigurationError} if an option is unknown or invalid, the base URL is missing, or a browser would
 * expose the key.
 */
export function resolveConfig(original: PolygateOptions, clientRules: Rules = {}): Config {
  rules.checkOptions(original, optionRules, clientRules);
  // A copy, so that later changes to the caller's objects have no effect.
  const options = {
    ...original,
    headers: { ...original.headers },
    budget: original.budget && { ...original.budget },
    paths: { ...original.paths },
    retryAmbiguous: { ...original.retryAmbiguous },
    ...(original.hooks && {
      hooks: {
        beforeRequest: original.hooks.beforeRequest?.slice(),
        afterResponse: original.hooks.afterResponse?.slice(),
      },
    }),
  };
  const provided = unchecked<ClientDefaults | undefined>(
    Reflect.get(Object(options.fetch), clientDefaults),
  );
  const {
    apiKey = readEnvironment('POLYGATE_API_KEY') ?? provided?.apiKey,
    baseURL = readEnvironment('POLYGATE_BASE_URL') ?? provided?.baseURL,
    logLevel = logLevels.find((level) => level === readEnvironment('POLYGATE_LOG')) ?? 'warn',
    logger = console,
    fetch = runtimeFetch,
  } = options;
  rules.checkValue('apiKey (POLYGATE_API_KEY)', apiKey, optionRules.apiKey);
  if (apiKey && !options.dangerouslyAllowBrowser && isBrowser()) {
    throw new ConfigurationError(
      'apiKey: every visitor could read it. Use a proxy and apiKey: null, or set dangerouslyAllowBrowser.',
    );
  }
  return {
    ...defaults,
    // One limit, so that no body can be read only in one way.
    maxEventBytes: options.maxResponseBytes ?? defaults.maxEventBytes,
    ...omitUndefined({ ...options, chatTimeout: options.timeout }),
    options,
    fetch: options.clock?.watchFetch?.(fetch) ?? fetch,
    apiKey,
    baseURL: parseBaseURL(baseURL, options.allowInsecureBaseURL),
    // Browsers and Next.js must not serve polls from a cache. Cloudflare Workers reject the option.
    cache: isCloudflare() ? undefined : 'no-store',
    headers: rules.parseHeaderChanges({
      'user-agent': userAgent(),
      ...omitUndefined(options.headers),
    }),
    log: createLog(logger, logLevel),
  };
}

/**
 * Validates a base URL and removes a trailing `/` or `/v1`.
 *
 * @throws {@link ConfigurationError} when it is missing, not a URL, or not safe.
 */
function parseBaseURL(text: string | undefined, allowInsecure = false): string {
  const page = pageURL();
  const url = text?.trim() ? parseURL(text, page) : undefined;
  if (url !== undefined) {
    const { protocol, origin, pathname } = url;
    const isSafe =
      protocol === 'https:' ||
      (protocol === 'http:' &&
        (allowInsecure || isLoopbackHost(url.hostname) || page?.startsWith(`${origin}/`)));
    if (isSafe && url.href === origin + pathname) {
      return origin + pathname.replace(/(\/v1)?(?<!\/)\/*$/, '');
    }
  }
  throw new ConfigurationError(
    text?.trim()
      ? 'baseURL (POLYGATE_BASE_URL): must be an https URL without credentials, query or fragment. allowInsecureBaseURL allows http.'
      : 'baseURL: missing. Pass the URL of the service to the client or set POLYGATE_BASE_URL.',
    { reason: 'base-url' },
  );
}
