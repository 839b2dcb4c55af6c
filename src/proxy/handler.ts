import { forward } from './forward.ts';
import { judgeOrigin } from './origin.ts';
import type { Arrival } from './origin.ts';
import type { ProxyOptions } from './options.ts';
import { Refusal, refuse } from './refusal.ts';
import { findTarget } from './routes.ts';
import type { Target } from './routes.ts';
import { settle } from './settings.ts';
import type { Settings } from './settings.ts';

/**
 * Makes the handler that lets pages use the gateway through your server, without the key: a function from `Request` to
 * `Response`, for every runtime and framework that has those. It never rejects. A page talks to it with
 * `new Polygate({ apiKey: null, baseURL: '/api/gateway' })`.
 *
 * @throws TypeError when an option is missing or wrong; it never quotes the value.
 *
 * @example
 * ```ts
 * const handler = createProxyHandler({
 *   apiKey: 'sk-…',
 *   baseURL: 'https://host.example',
 *   authorize: async (request) => (await sessionOf(request))?.userId ?? null,
 * });
 * ```
 */
export function createProxyHandler(options: ProxyOptions): (request: Request) => Promise<Response> {
  const settings = settle(options);
  return async function handler(request) {
    const arrival = judgeOrigin(request, settings);
    const answer = await answerTo(request, arrival, settings).catch((reason: unknown) =>
      apologise(reason, request, settings),
    );
    for (const [name, value] of Object.entries(arrival.headers)) answer.headers.set(name, value);
    answer.headers.set('vary', 'origin');
    answer.headers.set('cache-control', 'no-store, no-transform');
    answer.headers.set('x-content-type-options', 'nosniff');
    return answer;
  };
}

/** The whole way of a request; throws where it ends early. */
async function answerTo(
  request: Request,
  { welcome, preflight }: Arrival,
  settings: Settings,
): Promise<Response> {
  if (!welcome) throw new Refusal(403, 'origin_not_allowed', 'This origin may not use the proxy.');
  if (preflight) return new Response(null, { status: 204 });
  const target = targetOf(request, settings);
  const { route, path, values } = target;
  const { taskId, materialId } = values;
  const user = await userOf(request, settings);
  const call = { user, method: route.method, route: route.name, path, taskId, materialId };
  const permitted: unknown = settings.permit === undefined || (await settings.permit(call));
  if (permitted !== true) {
    throw new Refusal(403, 'not_permitted', 'This app does not permit you to do that.');
  }
  return forward(request, target, call, settings);
}

/** Where a request goes, if it may go anywhere. */
function targetOf({ url, method }: Request, { basePath, routes }: Settings): Target {
  const { pathname, searchParams } = new URL(url);
  const target = findTarget(routes, method, withoutMount(pathname, basePath), searchParams);
  if (target !== undefined) return target;
  const message = 'The proxy does not pass this request on: see its option allow.';
  throw new Refusal(404, 'not_found', message);
}

/** The path as the gateway has it; empty when it cannot be told apart from the mount. */
function withoutMount(pathname: string, basePath: string | undefined): string {
  const at = basePath === undefined ? pathname.indexOf('/v1/') : basePath.length;
  const mount = pathname.slice(0, at);
  const isMount =
    basePath === undefined ? !/%2f|%5c|%2e|\/\/|\/$/i.test(mount) : mount === basePath;
  return isMount && at >= 0 ? pathname.slice(at) : '';
}

async function userOf(request: Request, { authorize }: Settings): Promise<string> {
  const user: unknown = await authorize(request);
  if (user === null || user === false) {
    throw new Refusal(401, 'sign_in_required', 'This app does not know you. Sign in first.');
  }
  if (typeof user === 'string' && user !== '') return user;
  throw new TypeError('authorize: must give the id of a user, or null.');
}

/** The answer for what was thrown. Only a refusal may say why. */
function apologise(reason: unknown, { signal }: Request, { report }: Settings): Response {
  if (reason instanceof Refusal) return refuse(reason);
  // Nobody is there to read it.
  if (signal.aborted) return new Response(null, { status: 499 });
  report(reason);
  return refuse(new Refusal(500, 'internal_error', 'Something went wrong in this app.'));
}
