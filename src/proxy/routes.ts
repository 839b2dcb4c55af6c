/** Routes without authentication: the API key is not sent to them. */
const publicRoutes = [
  'GET /v1/status',
  'GET /v1/capabilities',
  'GET /v1/errors',
  'GET /v1/errors/{code}',
  'GET /v1/changelog',
  'GET /v1/pricing',
  'GET /v1/rate-limits',
  'GET /v1/openapi.json',
] as const;

/** Routes that an app's users need, including the assumed poll paths. Assumptions A1 and A2. */
const userRoutes = [
  'GET /v1/models',
  'GET /v1/models/{model}',
  'POST /v1/chat/completions',
  'POST /v1/images/generations',
  'GET /v1/images/generations/{taskId}',
  'POST /v1/images/tasks',
  'GET /v1/images/tasks/{taskId}',
  'POST /v1/videos',
  'GET /v1/videos/{taskId}',
  'POST /v1/video/generations',
  'GET /v1/video/generations/{taskId}',
  'POST /v1/videos/generations',
  'GET /v1/videos/generations/{taskId}',
  'POST /v1/audio/tasks',
  'GET /v1/audio/tasks/{taskId}',
  'GET /v1/audio/voices',
  'POST /v1/audio/voices/clone',
  'POST /v1/audio/voices/design',
  'POST /v1/materials',
  'GET /v1/materials/{materialId}',
  'DELETE /v1/materials/{materialId}',
] as const;

/** The routes that are forwarded by default: every route in the specification except {@link ownerRoutes}. */
export const defaultRoutes = [...publicRoutes, ...userRoutes] as const;

/**
 * Routes that are forwarded only if you add them to `allow`: they show your account, or the materials of all your
 * users.
 */
export const ownerRoutes = [
  'GET /v1/account',
  'GET /v1/readiness',
  'GET /api/usage/balance',
  'GET /v1/materials',
] as const;

const documentedRoutes: readonly string[] = [...defaultRoutes, ...ownerRoutes];

/** POST routes whose body has no model. Specification: Audio; Materials. */
const routesWithoutModel: readonly string[] = [
  'POST /v1/audio/voices/clone',
  'POST /v1/audio/voices/design',
  'POST /v1/materials',
];

const documentedQueries: Readonly<Record<string, readonly string[]>> = {
  'GET /v1/status': ['locale'],
  'GET /v1/pricing': ['type'],
  'GET /v1/audio/voices': ['model'],
  'GET /v1/materials': ['type', 'status', 'limit', 'after'],
};

/** A documented route such as `POST /v1/videos`, or any other route in the same format. Specification: Endpoints. */
export type ProxyRoute =
  | (typeof defaultRoutes)[number]
  | (typeof ownerRoutes)[number]
  | (string & {});

/** A parsed {@link ProxyRoute}. */
export interface Route {
  /** The route without its query, with the placeholder names of {@link defaultRoutes} if it is documented. */
  readonly name: string;
  readonly method: string;
  readonly path: string;
  /** Matches the paths of this route, with one named group per placeholder. */
  readonly pattern: RegExp;
  /** Names of the query parameters that are forwarded. */
  readonly query: readonly string[];
  readonly needsKey: boolean;
  /** Whether the body has to name a model, if only some models are allowed. */
  readonly needsModel: boolean;
}

const placeholder = /\{(\w+)\}/g;

/** Parses a route. Returns undefined if it is malformed. */
export function parseRoute(text: string): Route | undefined {
  const format = /^((GET|POST|DELETE) (?:\/(?:[\w-][\w.-]*|\{\w+\}))+)(?:\?([\w.&-]+))?$/;
  const [, routeText = '', method = '', query] = format.exec(text) ?? [];
  if (routeText === '') return undefined;
  // Placeholder names do not matter: the specification itself uses both `taskId` and `task_id`.
  const withoutNames = (route: string) => route.replace(placeholder, '{}');
  const isSame = (route: string) => withoutNames(route) === withoutNames(routeText);
  const name = documentedRoutes.find(isSame) ?? routeText;
  const path = name.slice(method.length + 1);
  return {
    name,
    method,
    path,
    pattern: new RegExp(`^${path.replaceAll('.', '\\.').replace(placeholder, '(?<$1>[^/]+)')}$`),
    query: documentedQueries[name] ?? query?.split('&') ?? [],
    needsKey: !publicRoutes.some((route) => route === name),
    needsModel: !routesWithoutModel.includes(name),
  };
}

/** The destination of a request. */
export interface Target {
  readonly route: Route;
  /** Path for the gateway, rebuilt from the route and never copied from the request. */
  readonly path: string;
  /** Query string for the gateway, with the leading `?`; empty without parameters. */
  readonly search: string;
  /** Placeholder values, decoded. */
  readonly values: Readonly<Record<string, string>>;
}

/** Finds the route that matches a gateway path exactly. Returns undefined if there is none. */
export function findTarget(
  routes: readonly Route[],
  method: string,
  path: string,
  query: URLSearchParams,
): Target | undefined {
  const names = [...query.keys()];
  if (new Set(names).size < names.length) return undefined;
  for (const route of routes) {
    const match = route.method === method ? route.pattern.exec(path) : null;
    if (match === null || !names.every((name) => route.query.includes(name))) continue;
    const values: Record<string, string> = {};
    for (const [name, segment] of Object.entries(match.groups ?? {})) {
      const value = decodeValue(segment, name === 'model');
      if (value === undefined) return undefined;
      values[name] = value;
    }
    const targetPath = route.path.replace(placeholder, (_, name: string) =>
      encodeURIComponent(values[name] ?? ''),
    );
    const search = names.length === 0 ? '' : `?${query.toString()}`;
    return { route, path: targetPath, search, values };
  }
  return undefined;
}

/**
 * Decodes a placeholder value once. Returns undefined if the proxy and the gateway might interpret it differently:
 * percent signs could be decoded twice, and dot segments could be removed. Only model ids may contain slashes.
 * Specification: Model.
 */
function decodeValue(encoded: string, allowSlash: boolean): string | undefined {
  let value: string;
  try {
    value = decodeURIComponent(encoded);
  } catch {
    return undefined;
  }
  const segments = allowSlash ? value.split('/') : [value];
  return segments.every((segment) => /^[\w.:@~+,=-]+$/.test(segment) && !/^\.+$/.test(segment))
    ? value
    : undefined;
}
