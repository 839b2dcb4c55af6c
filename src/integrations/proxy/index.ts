import { ConfigurationError } from '../../errors/base.ts';
import { ProxyError, errorResponse, errorType } from './error-response.ts';
import { forward } from './forward.ts';
import { checkOrigin } from './headers.ts';
import type { OriginCheck } from './headers.ts';
import { budgetResponse } from './limits/spending.ts';
import { defaultWindowMs } from './limits/user-limits.ts';
import type { ProxyOptions } from './options.ts';
import { prepare } from './prepare.ts';
import { findTarget } from './routes.ts';
import type { Target } from './routes.ts';
import { resolveSettings } from './settings.ts';
import type { Settings } from './settings.ts';
import { withinTime } from './store/store.ts';

export type { UserBudget } from './limits/spending.ts';
export type { LimitWindow, UserLimits } from './limits/user-limits.ts';
export type { ProxyCall, ProxyOptions, ProxyResponse } from './options.ts';
export { defaultRoutes, ownerRoutes } from './routes.ts';
export type { ProxyRoute } from './routes.ts';
export { memoryStore } from './store/memory-store.ts';
export type {
  Refusal,
  Reservation,
  ReserveResult,
  SettledAs,
  Settlement,
  Store,
  StoredLimits,
  StoredUsage,
} from './store/store.ts';

/** What a user has spent and sent in the current window. */
export interface UserUsage {
  /** Charged, in USD. */
  readonly usd: number;
  /** Reserved for requests whose charge is not known, in USD. */
  readonly reservedUsd: number;
  /** POSTs that were forwarded. */
  readonly requests: number;
  /** POSTs in flight. */
  readonly inFlight: number;
  /** With `window: 'forever'`, the last date that there is. */
  readonly windowEndsAt: Date;
}

/** A request handler, as {@link createProxyHandler} returns it. */
export interface ProxyHandler {
  (request: Request): Promise<Response>;
  /**
   * What a user has spent and sent, for your own pages. Only requests that passed with `limits` are counted; `limits: {}`
   * counts without a limit.
   *
   * If `limits` is a function, it determines the window from the user and `request`, or an empty request.
   *
   * @throws if the store fails.
   */
  usage(user: string, request?: Request): Promise<UserUsage>;
}

/**
 * Creates a request handler that adds your API key on your server, so that pages can use the gateway without seeing the
 * key. The handler is a function from `Request` to `Response` and runs in every runtime and framework that supports
 * them. Its promise never rejects. In the page, use `new Polygate({ apiKey: null, baseURL: '/api/gateway' })`.
 *
 * @throws `ConfigurationError` if an option is unknown, missing or invalid. The message never contains the value.
 *
 * @example
 * ```ts
 * const handler = createProxyHandler({
 *   apiKey: 'sk-…',
 *   baseURL: 'https://host.example',
 *   authorize: async (request) => (await getSession(request))?.userId ?? null,
 *   limits: { usd: 1 },
 * });
 * ```
 */
export function createProxyHandler(options: ProxyOptions): ProxyHandler {
  const settings = resolveSettings(options);
  async function handler(request: Request): Promise<Response> {
    const originCheck = checkOrigin(request, settings);
    const response = await handle(request, originCheck, settings).catch((reason: unknown) =>
      toErrorResponse(reason, request, settings),
    );
    for (const [name, value] of Object.entries(originCheck.headers)) {
      response.headers.set(name, value);
    }
    response.headers.set('vary', 'origin');
    response.headers.set('cache-control', 'no-store, no-transform');
    response.headers.set('x-content-type-options', 'nosniff');
    return response;
  }
  return Object.assign(handler, {
    async usage(user: string, request = new Request('https://usage.invalid/')): Promise<UserUsage> {
      const limits = await settings.limitsOf(user, request);
      const windowMs = limits?.windowMs ?? defaultWindowMs;
      const usage = await withinTime(() => settings.store.usage(user, windowMs));
      return { ...usage, windowEndsAt: new Date(usage.windowEndsAt) };
    },
  });
}

/** Runs every check in order, then forwards the request. Throws at the first check that fails. */
async function handle(
  request: Request,
  { isAllowed, isPreflight }: OriginCheck,
  settings: Settings,
): Promise<Response> {
  if (!isAllowed) {
    throw new ProxyError(
      403,
      'origin_not_allowed',
      'This origin may not use the proxy. See the proxy option `origins`.',
    );
  }
  if (isPreflight) return new Response(null, { status: 204 });
  const isBudget = isBudgetRequest(request, settings);
  const target = isBudget ? undefined : resolveTarget(request, settings);
  const user = await resolveUser(request, settings);
  if (target === undefined) return budgetResponse(user, request, settings);
  return forward(await prepare(request, target, user, settings), settings);
}

/** Whether a page requests the budget of its user. As on any route, unknown query parameters match nothing. */
function isBudgetRequest({ url, method }: Request, { budgetPath }: Settings): boolean {
  const { pathname, search } = new URL(url);
  return method === 'GET' && search === '' && withoutEndSlash(pathname) === budgetPath;
}

/** Finds the allowed route that a request matches. */
function resolveTarget({ url, method }: Request, { basePath, routes }: Settings): Target {
  const { pathname, searchParams } = new URL(url);
  const target = findTarget(routes, method, gatewayPath(pathname, basePath), searchParams);
  if (target !== undefined) return target;
  throw new ProxyError(
    404,
    'not_found',
    'The proxy does not forward this request. See the proxy option `allow`.',
  );
}

/** Returns the path without the proxy's mount path, or an empty string if the two cannot be separated safely. */
function gatewayPath(pathname: string, basePath: string | undefined): string {
  const start = basePath === undefined ? pathname.indexOf('/v1/') : basePath.length;
  const mount = pathname.slice(0, start);
  const isMount =
    basePath === undefined ? !/%2f|%5c|%2e|\/\/|\/$/i.test(mount) : mount === basePath;
  if (!isMount || start < 0) return '';
  return withoutEndSlash(pathname.slice(start));
}

/** Some frameworks add a slash at the end of a path, such as Next.js with `trailingSlash`. */
const withoutEndSlash = (path: string) => path.replace(/(?<=[^/])\/$/, '');

async function resolveUser(request: Request, { authorize }: Settings): Promise<string> {
  const user: unknown = await authorize(request);
  if (user === null || user === false) {
    throw new ProxyError(401, 'sign_in_required', 'Sign in to this app first.');
  }
  if (typeof user === 'string' && user !== '') return user;
  throw new ConfigurationError('authorize: must return a user id, null or false.');
}

/**
 * Builds the error response. Only the message of a {@link ProxyError} may reach the caller; any other error is reported
 * to `onError`.
 */
function toErrorResponse(reason: unknown, { signal }: Request, { report }: Settings): Response {
  const isProxyError = reason instanceof ProxyError;
  // The caller has disconnected, so this response is not read.
  if (!isProxyError && signal.aborted) return new Response(null, { status: 499 });
  if (!isProxyError) report(reason);
  const { status, code, message, details, headers } = isProxyError
    ? reason
    : new ProxyError(500, 'internal_error', 'The proxy failed to handle this request.');
  const error = { message, type: errorType(status), code, ...details };
  return errorResponse(status, error, new Headers(headers));
}
