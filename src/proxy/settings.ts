import type { ProxyOptions } from './options.ts';
import { defaultRoutes, readRoute } from './routes.ts';
import type { Route } from './routes.ts';

/** The options, checked, with every default filled in. */
export interface Settings extends ProxyOptions {
  readonly routes: readonly Route[];
  readonly maxBodyBytes: number;
  readonly fetch: typeof globalThis.fetch;
  readonly headerPrefix: string;
  readonly requestIdHeader: string;
}

/** Checks the options once, so that a mistake shows at the start and not to a user. No value is quoted. */
export function settle(options: ProxyOptions): Settings {
  const { apiKey, authorize, origins, basePath, maxBodyBytes = 10_485_760 } = options;
  must(
    typeof apiKey === 'function' || isKey(apiKey),
    'apiKey: must be a non-empty string in one line, or a function that gives it',
  );
  must(typeof authorize === 'function', 'authorize: must be a function that tells who asks');
  for (const name of ['permit', 'onAnswer', 'onError', 'fetch'] as const) {
    const given = options[name];
    must(given === undefined || typeof given === 'function', `${name}: must be a function`);
  }
  must(
    origins === undefined || (Array.isArray(origins) && origins.every(isOrigin)),
    'origins: must be a list of exact origins, such as https://app.example',
  );
  must(
    basePath === undefined || /^(\/[^/?#]+)*$/.test(basePath),
    'basePath: must be a path such as /api/gateway, or empty',
  );
  must(
    Number.isInteger(maxBodyBytes) && maxBodyBytes > 0,
    'maxBodyBytes: must be a whole number, 1 or more',
  );
  const routes = (options.allow ?? defaultRoutes).map((written) => {
    const route = readRoute(written);
    must(route !== undefined, 'allow: must hold routes such as GET /v1/videos/{taskId}');
    return route;
  });
  must(
    basePath !== undefined || routes.every(({ segments }) => segments[0] === 'v1'),
    'basePath: is needed for routes that do not begin with /v1/',
  );
  const isFixed = ({ segments }: Route) => segments.every((segment) => !segment.startsWith('{'));
  return {
    ...options,
    baseURL: readBaseURL(options.baseURL, options.allowInsecureBaseURL === true),
    routes: [...routes.filter(isFixed), ...routes.filter((route) => !isFixed(route))],
    maxBodyBytes,
    fetch: options.fetch ?? ((input, init) => globalThis.fetch(input, init)),
    headerPrefix: (options.headerPrefix ?? 'x-svc-').toLowerCase(),
    requestIdHeader: (options.requestIdHeader ?? 'x-request-id').toLowerCase(),
  };
}

/** Whether a value can go into the header that carries the key. */
export function isKey(key: unknown): key is string {
  return typeof key === 'string' && /^[\u0021-\u007e\u0080-\u00ff]+$/.test(key);
}

function isOrigin(origin: unknown): boolean {
  const url = typeof origin === 'string' ? URL.parse(origin) : null;
  return url !== null && url.origin !== 'null' && url.origin === origin;
}

function readBaseURL(text: string, insecure: boolean): string {
  const url = URL.parse(text);
  const isSafe =
    url?.protocol === 'https:' ||
    (url?.protocol === 'http:' &&
      (insecure || /^(.+\.)?localhost$|^127(\.\d{1,3}){3}$|^\[::1\]$/.test(url.hostname)));
  must(
    url !== null && isSafe && url.href === url.origin + url.pathname,
    'baseURL: must be https:// (http:// only for this machine) without user name, query or fragment',
  );
  return url.origin + url.pathname.replace(/\/+$/, '').replace(/\/v1$/, '');
}

function must(fits: boolean, rule: string): asserts fits {
  if (!fits) throw new TypeError(`${rule}.`);
}
