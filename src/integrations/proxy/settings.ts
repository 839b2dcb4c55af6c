import { ConfigurationError } from '../../errors/base.ts';
import {
  booleanValue,
  checkOptions,
  functionValue,
  objectWithMethods,
  oneOf,
  runtimeFetch,
} from '../../internal.ts';
import type { Rule } from '../../internal.ts';
import { LargestCharges } from '../../paid/prices.ts';
import { isLoopbackHost, parseURL, isRecord } from '../../wire/types/type-guards.ts';
import { createPriceList } from './limits/prices.ts';
import type { PriceList } from './limits/prices.ts';
import { resolveLimits, unpricedRule } from './limits/user-limits.ts';
import type { ResolvedLimits } from './limits/user-limits.ts';
import { isApiKey } from './options.ts';
import type { ProxyOptions } from './options.ts';
import { defaultRoutes, parseRoute, suggestRoute } from './routes.ts';
import type { Route } from './routes.ts';
import { isInMemory, memoryStore } from './store/memory-store.ts';
import type { Store } from './store/store.ts';

/** Validated options and the defaults of the required settings. */
export interface Settings extends ProxyOptions {
  readonly routes: readonly Route[];
  readonly maxBodyBytes: number;
  readonly fetch: typeof globalThis.fetch;
  readonly headerPrefix: string;
  readonly requestIdHeader: string;
  readonly store: Store;
  readonly priceList: PriceList;
  /** What requests of this process were charged. */
  readonly largestCharges: LargestCharges;
  /** The limits of a request. Throws if those that the option returns are invalid. */
  readonly limitsOf: (user: string, request: Request) => Promise<ResolvedLimits | undefined>;
  /** Calls `onError`; never throws. */
  readonly report: (error: unknown) => void;
}

const matches = (pattern: RegExp) => (value: unknown) =>
  typeof value === 'string' && pattern.test(value);
const listOf = (isValid: (value: unknown) => boolean) => (value: unknown) =>
  Array.isArray(value) && value.every((entry) => isValid(entry));
const headerNameRule: Rule = [matches(/^[\w-]+$/), 'a header name'];

/** One rule per option. Options without a rule are rejected as unknown. */
const rules: { readonly [Name in keyof Required<ProxyOptions>]: Rule } = {
  apiKey: [
    (value) => typeof value === 'function' || isApiKey(value),
    'a non-empty string without spaces, or a function that returns one',
  ],
  baseURL: [
    (value) => matches(/^https?:/)(value) && parseURL(String(value)) !== undefined,
    'a URL such as https://host.example',
  ],
  authorize: functionValue,
  allow: [
    listOf((value) => typeof value === 'string' && checkRoute(value)),
    'a list of routes such as GET /v1/videos/{taskId}',
  ],
  permit: functionValue,
  models: [listOf(matches(/./)), 'a list of model ids'],
  limits: [isObjectOrFunction, 'an object, or a function that returns one'],
  budgetPath: [matches(/^(\/\w[\w.-]*)+$/), 'a path such as /api/gateway/budget'],
  unpriced: unpricedRule,
  isolate: booleanValue,
  unowned: oneOf('refuse', 'allow'),
  store: objectWithMethods('reserve', 'settle', 'renew', 'usage', 'own', 'ownersOf'),
  onStoreError: oneOf('refuse', 'allow'),
  origins: [listOf(isOrigin), 'a list of exact origins such as https://app.example'],
  credentials: booleanValue,
  basePath: [matches(/^(\/[^/?#]+)*$/), 'a path such as /api/gateway, or empty'],
  maxBodyBytes: [
    (value) => Number.isInteger(value) && Number(value) > 0,
    'a positive integer number of bytes',
  ],
  exposeCharges: booleanValue,
  onResponse: functionValue,
  onError: functionValue,
  fetch: functionValue,
  headerPrefix: headerNameRule,
  requestIdHeader: headerNameRule,
  allowInsecureBaseURL: booleanValue,
};

/** Validates the options at startup, so that mistakes never reach a user. Messages never contain values. */
export function resolveSettings(options: ProxyOptions): Settings {
  const { apiKey, baseURL, authorize } = options;
  const required = {
    apiKey: apiKey ?? null,
    baseURL: baseURL ?? null,
    authorize: authorize ?? null,
  };
  checkOptions({ ...options, ...required }, rules);
  const allow: readonly string[] = options.allow ?? defaultRoutes;
  const routes = allow.map((route) => parseRoute(route)).filter((route) => route !== undefined);
  const { basePath, onError } = options;
  assert(
    basePath !== undefined || routes.every(({ path }) => path.startsWith('/v1/')),
    'basePath',
    'required for routes that do not begin with /v1/',
  );
  const { limits, unpriced = 'refuse' } = options;
  const fixed = isFunction(limits) ? undefined : limits && resolveLimits(limits, unpriced);
  const report = (error: unknown) => {
    const call = async (): Promise<void> => onError?.(error);
    // An error in onError cannot be reported anywhere.
    call().catch(() => {});
  };
  const connection = {
    apiKey: options.apiKey,
    baseURL: normalizeBaseURL(options.baseURL, options.allowInsecureBaseURL === true),
    fetch: options.fetch ?? runtimeFetch,
    report,
  };
  const store = options.store ?? memoryStore();
  if ((options.isolate === true || limits !== undefined) && isInMemory(store)) warnInProduction();
  return {
    ...options,
    ...connection,
    routes,
    maxBodyBytes: options.maxBodyBytes ?? 10_485_760,
    store,
    priceList: createPriceList(connection),
    largestCharges: new LargestCharges(),
    async limitsOf(user, request) {
      if (!isFunction(limits)) return fixed;
      const found = await limits(user, request);
      // Null, such as that of a database without this user, must not mean no limits.
      return found === undefined ? undefined : resolveLimits(found, unpriced);
    },
    headerPrefix: (options.headerPrefix ?? 'x-svc-').toLowerCase(),
    requestIdHeader: (options.requestIdHeader ?? 'x-request-id').toLowerCase(),
  };
}

/** Logs a warning if Node.js, Bun or Deno runs in production. Other runtimes have no such setting. */
function warnInProduction(): void {
  const { process, console }: { process?: unknown; console?: Pick<Console, 'warn'> } = globalThis;
  const env = isRecord(process) && isRecord(process.env) ? process.env : {};
  if (env.NODE_ENV !== 'production') return;
  console?.warn(
    '[polygate] The proxy stores limits and owners in the memory of this process. After a restart, spending starts at 0, and with `isolate`, users cannot reach tasks that they have paid for. Set `store` to `fileStore(path)` of polygate/node, or `redisStore(client)` of polygate/proxy/redis.',
  );
}

/** @throws `ConfigurationError` that suggests the documented route, if the route is misspelled. */
function checkRoute(text: string): boolean {
  const suggestion = suggestRoute(text);
  if (suggestion !== undefined) {
    const problem = `unknown route ${JSON.stringify(text)}. Did you mean ${suggestion}?`;
    throw new ConfigurationError(`allow: ${problem}`);
  }
  return parseRoute(text) !== undefined;
}

const isFunction = (value: ProxyOptions['limits']) => typeof value === 'function';

function isObjectOrFunction(value: unknown): boolean {
  return typeof value === 'function' || (typeof value === 'object' && value !== null);
}

function isOrigin(origin: unknown): boolean {
  const url = typeof origin === 'string' ? parseURL(origin) : undefined;
  return url?.origin === origin && !url?.hostname.includes('*');
}

function normalizeBaseURL(text: string, allowInsecure: boolean): string {
  const { protocol, hostname, href, origin, pathname } = new URL(text);
  assert(
    (protocol === 'https:' || allowInsecure || isLoopbackHost(hostname)) &&
      href === origin + pathname,
    'baseURL',
    'must be an https:// URL without credentials, query or fragment (http:// is accepted for loopback hosts, or if allowInsecureBaseURL is set)',
  );
  return origin + pathname.replace(/(?<!\/)\/+$/, '').replace(/\/v1$/, '');
}

function assert(condition: boolean, name: string, requirement: string): void {
  if (!condition) throw new ConfigurationError(`${name}: ${requirement}.`);
}
