import { ConfigurationError } from '../../errors/configuration.ts';
import { readBaseURL } from './base-url.ts';
import type { Budget } from '../limits/budget.ts';
import { systemClock } from './clock.ts';
import type { Clock } from './clock.ts';
import { isBrowser, readEnvironment } from './environment.ts';
import { parseHeaderChanges } from './header-changes.ts';
import type { HeaderChanges } from './header-changes.ts';
import { createLog, logLevels } from './log.ts';
import type { Log } from './log.ts';
import type { PolygateOptions } from './options.ts';
import * as rules from './validation.ts';
import type { Rule } from './validation.ts';
import { runtimeFetch } from './runtime-fetch.ts';
import { omitUndefined } from '../../schemas/schema.ts';

/** The options of a client, parsed, with every default filled in. */
export interface Config {
  /** The options as they were given, for clients that are made from this one. */
  readonly options: PolygateOptions;
  readonly apiKey: PolygateOptions['apiKey'];
  readonly baseURL: string;
  readonly timeout: number;
  readonly chatTimeout: number;
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
  readonly budget?: Budget | undefined;
  readonly onCharge?: PolygateOptions['onCharge'];
  readonly headers: HeaderChanges;
  readonly fetch: typeof globalThis.fetch;
  readonly clock: Clock;
  readonly random: () => number;
  readonly headerPrefix: string;
  readonly requestIdHeader: string;
  readonly videoTaskPath: string;
  readonly imageTaskPath: string;
  /** Whether plain `http:` and private addresses are fine. */
  readonly allowInsecureBaseURL?: boolean | undefined;
  readonly log: Log;
}

/** The rule of every option: the list of options that exist. */
const optionRules: { readonly [Option in keyof Required<PolygateOptions>]: Rule } = {
  apiKey: [
    (value) => value === null || typeof value === 'function' || rules.headerText[0](value),
    `${rules.headerText[1]}; or a function that gives it, or null`,
  ],
  baseURL: rules.stringValue,
  timeout: rules.durationMs,
  streamIdleTimeout: rules.durationMs,
  maxRetries: rules.nonNegativeInteger,
  retryAmbiguous: rules.objectWithFields({ chat: rules.booleanValue, voices: rules.booleanValue }),
  maxRetryDelay: rules.nonNegativeNumber,
  maxQueueTime: rules.nonNegativeNumber,
  maxResponseBytes: rules.positiveInteger,
  maxEventBytes: rules.positiveInteger,
  concurrency: rules.concurrencyValue,
  budget: rules.objectWithFields(
    { maxUsd: rules.nonNegativeNumber, strict: rules.booleanValue },
    { maxUsd: null },
  ),
  onCharge: rules.functionValue,
  headers: [(value) => value instanceof Object, 'an object of names and values'],
  fetch: rules.functionValue,
  clock: rules.objectWithMethods('now', 'sleep'),
  random: rules.functionValue,
  headerPrefix: rules.headerName,
  requestIdHeader: rules.headerName,
  paths: rules.objectWithFields({ videoTask: rules.pathTemplate, imageTask: rules.pathTemplate }),
  logger: rules.objectWithMethods('error', 'warn', 'info', 'debug'),
  logLevel: rules.oneOf(...logLevels),
  dangerouslyAllowBrowser: rules.booleanValue,
  allowInsecureBaseURL: rules.booleanValue,
};

/** What an option is when nobody says. */
export const defaults = {
  timeout: 60_000,
  chatTimeout: 600_000,
  streamIdleTimeout: 60_000,
  maxRetries: 3,
  retryAmbiguous: {},
  maxRetryDelay: 60_000,
  maxQueueTime: 300_000,
  maxResponseBytes: 67_108_864,
  maxEventBytes: 16_777_216,
  concurrency: 'auto',
  clock: systemClock,
  random: Math.random,
  headerPrefix: 'x-svc-',
  requestIdHeader: 'x-request-id',
} as const;

/** Options and environment in, one frozen config out; the only place that reads either. */
export function resolveConfig(from: PolygateOptions): Config {
  for (const [name, value] of Object.entries(from)) checkOption(name, value);
  const options = cloneOptions(from);
  const { timeout, paths, allowInsecureBaseURL, logger = console } = options;
  const {
    apiKey = readEnvironment('POLYGATE_API_KEY'),
    baseURL = readEnvironment('POLYGATE_BASE_URL'),
    logLevel = logLevels.find((level) => level === readEnvironment('POLYGATE_LOG')) ?? 'warn',
  } = options;
  rules.checkValue('apiKey (POLYGATE_API_KEY)', apiKey, optionRules.apiKey);
  if (apiKey && !options.dangerouslyAllowBrowser && isBrowser()) {
    throw new ConfigurationError(
      'apiKey: anybody could read it here. Use a proxy and apiKey: null, or set dangerouslyAllowBrowser.',
    );
  }
  return Object.freeze({
    ...defaults,
    fetch: runtimeFetch,
    ...omitUndefined({ ...options, chatTimeout: timeout }),
    options,
    apiKey,
    baseURL: readBaseURL(baseURL, allowInsecureBaseURL),
    headers: parseHeaderChanges(options.headers),
    videoTaskPath: paths?.videoTask ?? '/v1/videos/{id}',
    imageTaskPath: paths?.imageTask ?? '/v1/images/tasks/{id}',
    log: createLog(logger, logLevel),
  });
}

/** A copy that later changes of the caller's objects do not reach. */
function cloneOptions(options: PolygateOptions): PolygateOptions {
  const { headers, budget, paths, retryAmbiguous } = options;
  return {
    ...options,
    headers: headers && { ...headers },
    budget: budget && { ...budget },
    paths: paths && { ...paths },
    retryAmbiguous: retryAmbiguous && { ...retryAmbiguous },
  };
}

function checkOption(name: string, value: unknown): void {
  const known = Object.entries(optionRules).find(
    ([key]) => key.toLowerCase() === name.toLowerCase(),
  );
  if (known?.[0] === name) return rules.checkValue(name, value, known[1]);
  const hint = known === undefined ? '' : ` Did you mean ${known[0]}?`;
  throw new ConfigurationError(`${name}: there is no such option.${hint}`);
}
