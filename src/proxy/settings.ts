import type { ProxyOptions } from './options.ts';
import { defaultRoutes, readRoute } from './routes.ts';
import type { Route } from './routes.ts';
import { runtimeFetch } from './runtime-fetch.ts';

/** The options, checked, with every default filled in. */
export interface Settings extends ProxyOptions {
  readonly routes: readonly Route[];
  readonly maxBodyBytes: number;
  readonly fetch: typeof globalThis.fetch;
  readonly headerPrefix: string;
  readonly requestIdHeader: string;
  /** Tells the app what the caller is not told; never throws. */
  readonly report: (error: unknown) => void;
}

type Rule = readonly [fits: (value: unknown) => boolean, must: string];

const matches = (pattern: RegExp) => (value: unknown) =>
  typeof value === 'string' && pattern.test(value);
const listOf = (fits: (value: unknown) => boolean) => (value: unknown) =>
  Array.isArray(value) && value.every((entry) => fits(entry));
const callable: Rule = [(value) => typeof value === 'function', 'a function'];
const flag: Rule = [(value) => typeof value === 'boolean', 'true or false'];
const headerName: Rule = [matches(/^[\w-]+$/), 'a header name'];

/** Whether a value can go into the header that carries the key. */
export const isKey = (key: unknown): key is string =>
  typeof key === 'string' && /^[\u0021-\u007e\u0080-\u00ff]+$/.test(key);

/** The rule of every option: the list of options that exist. */
const rules: { readonly [Name in keyof Required<ProxyOptions>]: Rule } = {
  apiKey: [
    (value) => typeof value === 'function' || isKey(value),
    'a non-empty string without spaces, or a function that gives it',
  ],
  baseURL: [
    (value) => matches(/^https?:/)(value) && URL.canParse(String(value)),
    'a URL such as https://host.example',
  ],
  authorize: callable,
  allow: [
    listOf((value) => typeof value === 'string' && readRoute(value) !== undefined),
    'a list of routes such as GET /v1/videos/{taskId}',
  ],
  permit: callable,
  models: [listOf(matches(/./)), 'a list of model ids'],
  origins: [listOf(isOrigin), 'a list of exact origins such as https://app.example'],
  credentials: flag,
  basePath: [matches(/^(\/[^/?#]+)*$/), 'a path such as /api/gateway, or empty'],
  maxBodyBytes: [
    (value) => Number.isInteger(value) && Number(value) > 0,
    'a whole number of bytes, 1 or more',
  ],
  exposeCharges: flag,
  onResponse: callable,
  onError: callable,
  fetch: callable,
  headerPrefix: headerName,
  requestIdHeader: headerName,
  allowInsecureBaseURL: flag,
};

/** Checks the options once, so that a mistake shows at the start and not to a user. No value is quoted. */
export function settle(options: ProxyOptions): Settings {
  const given: Readonly<Record<string, unknown>> = { ...options };
  for (const name of Object.keys(given)) must(Object.hasOwn(rules, name), name, 'no such option');
  for (const [name, [fits, rule]] of Object.entries(rules)) {
    const value = given[name];
    const isMissing = value === undefined && !['apiKey', 'baseURL', 'authorize'].includes(name);
    must(isMissing || fits(value), name, `must be ${rule}`);
  }
  const allow: readonly string[] = options.allow ?? defaultRoutes;
  const routes = allow.map((route) => readRoute(route)).filter((route) => route !== undefined);
  const { basePath, onError } = options;
  must(
    basePath !== undefined || routes.every(({ path }) => path.startsWith('/v1/')),
    'basePath',
    'needed for routes that do not begin with /v1/',
  );
  return {
    ...options,
    baseURL: readBaseURL(options.baseURL, options.allowInsecureBaseURL === true),
    routes,
    maxBodyBytes: options.maxBodyBytes ?? 10_485_760,
    fetch: options.fetch ?? runtimeFetch,
    headerPrefix: (options.headerPrefix ?? 'x-svc-').toLowerCase(),
    requestIdHeader: (options.requestIdHeader ?? 'x-request-id').toLowerCase(),
    report: (error) => {
      try {
        onError?.(error);
      } catch {
        // There is nobody left to tell.
      }
    },
  };
}

function isOrigin(origin: unknown): boolean {
  const url = typeof origin === 'string' ? URL.parse(origin) : null;
  return url?.origin === origin && !url?.hostname.includes('*');
}

function readBaseURL(text: string, insecure: boolean): string {
  const { protocol, hostname, href, origin, pathname } = new URL(text);
  const isHere = /^(.+\.)?localhost$|^127(\.\d{1,3}){3}$|^\[::1\]$/.test(hostname);
  must(
    (protocol === 'https:' || insecure || isHere) && href === origin + pathname,
    'baseURL',
    'must be https:// (http:// for this machine only), without user name, query and fragment',
  );
  return origin + pathname.replace(/(?<!\/)\/+$/, '').replace(/\/v1$/, '');
}

function must(fits: boolean, name: string, rule: string): void {
  if (!fits) throw new TypeError(`${name}: ${rule}.`);
}
