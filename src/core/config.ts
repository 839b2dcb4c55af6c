import { ConfigurationError } from '../errors/configuration.ts';
import { readBaseURL } from './base-url.ts';
import type { Budget } from './budget.ts';
import { systemClock } from './clock.ts';
import type { Clock } from './clock.ts';
import { isBrowser, readEnvironment } from './environment.ts';
import { readHeaders } from './headers.ts';
import type { HeaderChanges } from './headers.ts';
import { levelled, logLevels } from './log.ts';
import type { Log } from './log.ts';
import type { PolygateOptions } from './options.ts';
import * as rules from './rules.ts';
import type { Rule } from './rules.ts';

/** The options of a client, parsed, with every default filled in. */
export interface Config {
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
  readonly budget: Budget | undefined;
  readonly onCharge: PolygateOptions['onCharge'];
  readonly headers: HeaderChanges;
  readonly fetch: typeof globalThis.fetch;
  readonly clock: Clock;
  readonly random: () => number;
  readonly headerPrefix: string;
  readonly requestIdHeader: string;
  readonly videoTaskPath: string;
  readonly imageTaskPath: string;
  /** Whether plain `http:` and private addresses are fine. */
  readonly allowInsecure: boolean;
  readonly log: Log;
}

/** The rule of every option: the list of options that exist. */
const optionRules: { readonly [Option in keyof Required<PolygateOptions>]: Rule } = {
  apiKey: [
    (value) => value === null || typeof value === 'function' || rules.apiKey[0](value),
    `${rules.apiKey[1]}; or a function that gives it, or null`,
  ],
  baseURL: rules.nonEmpty,
  timeout: rules.duration,
  streamIdleTimeout: rules.duration,
  maxRetries: rules.count,
  retryAmbiguous: [
    rules.fields({ chat: rules.flag, voices: rules.flag }),
    'an object such as { chat: true, voices: true }',
  ],
  maxRetryDelay: rules.amount,
  maxQueueTime: rules.amount,
  maxResponseBytes: rules.bytes,
  maxEventBytes: rules.bytes,
  concurrency: rules.slots,
  budget: [
    (value) =>
      rules.fields({ maxUsd: rules.amount, strict: rules.flag })({
        maxUsd: null,
        ...Object(value),
      }),
    'an object such as { maxUsd: 10 }',
  ],
  onCharge: rules.callable,
  headers: [(value) => value instanceof Object, 'an object of names and values'],
  fetch: rules.callable,
  clock: [rules.has('now', 'sleep'), 'an object with now() and sleep(ms, signal)'],
  random: rules.callable,
  headerPrefix: rules.headerName,
  requestIdHeader: rules.headerName,
  paths: [
    rules.fields({ videoTask: rules.pathTemplate, imageTask: rules.pathTemplate }),
    "an object such as { videoTask: '/v1/videos/{id}' }",
  ],
  logger: [rules.has('error', 'warn', 'info', 'debug'), 'an object such as console'],
  logLevel: [
    (value) => logLevels.some((level) => level === value),
    `one of ${logLevels.join(', ')}`,
  ],
  dangerouslyAllowBrowser: rules.flag,
  allowInsecureBaseURL: rules.flag,
};

/** Options and environment in, one frozen config out; the only place that reads either. */
export function readConfig(options: PolygateOptions): Config {
  for (const [name, value] of Object.entries(options)) checkOption(name, value);
  const { baseURL, timeout, paths, dangerouslyAllowBrowser, allowInsecureBaseURL } = options;
  const apiKey =
    options.apiKey === undefined ? readEnvironment('POLYGATE_API_KEY') : options.apiKey;
  rules.check('apiKey (POLYGATE_API_KEY)', apiKey ?? undefined, optionRules.apiKey);
  if (options.apiKey && !dangerouslyAllowBrowser && isBrowser()) {
    throw new ConfigurationError(
      'apiKey: everybody who opens this page could read it. Use a proxy and apiKey: null, or set dangerouslyAllowBrowser.',
    );
  }
  const environmentLevel = readEnvironment('POLYGATE_LOG');
  const level = options.logLevel ?? logLevels.find((known) => known === environmentLevel) ?? 'warn';
  return Object.freeze({
    apiKey,
    baseURL: readBaseURL(baseURL ?? readEnvironment('POLYGATE_BASE_URL'), allowInsecureBaseURL),
    timeout: timeout ?? 60_000,
    chatTimeout: timeout ?? 600_000,
    streamIdleTimeout: options.streamIdleTimeout ?? 60_000,
    maxRetries: options.maxRetries ?? 3,
    retryAmbiguous: { ...options.retryAmbiguous },
    maxRetryDelay: options.maxRetryDelay ?? 60_000,
    maxQueueTime: options.maxQueueTime ?? 300_000,
    maxResponseBytes: options.maxResponseBytes ?? 67_108_864,
    maxEventBytes: options.maxEventBytes ?? 16_777_216,
    concurrency: options.concurrency ?? 'auto',
    budget: options.budget && { ...options.budget },
    onCharge: options.onCharge,
    headers: readHeaders(options.headers),
    fetch: options.fetch ?? ((input, init) => globalThis.fetch(input, init)),
    clock: options.clock ?? systemClock,
    random: options.random ?? Math.random,
    headerPrefix: options.headerPrefix ?? 'x-svc-',
    requestIdHeader: options.requestIdHeader ?? 'x-request-id',
    videoTaskPath: paths?.videoTask ?? '/v1/videos/{id}',
    imageTaskPath: paths?.imageTask ?? '/v1/images/tasks/{id}',
    allowInsecure: allowInsecureBaseURL === true,
    log: levelled(options.logger ?? console, level),
  });
}

function checkOption(name: string, value: unknown): void {
  const known = Object.entries(optionRules).find(
    ([key]) => key.toLowerCase() === name.toLowerCase(),
  );
  if (known?.[0] === name) return rules.check(name, value, known[1]);
  const hint = known === undefined ? '' : ` Did you mean ${known[0]}?`;
  throw new ConfigurationError(`${name}: there is no such option.${hint}`);
}
