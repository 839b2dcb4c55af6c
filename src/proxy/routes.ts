/** Routes that need no credentials: the key stays here. */
const open = [
  'GET /v1/status',
  'GET /v1/capabilities',
  'GET /v1/errors',
  'GET /v1/errors/{code}',
  'GET /v1/changelog',
  'GET /v1/pricing',
  'GET /v1/rate-limits',
  'GET /v1/openapi.json',
] as const;

/** Routes that make and read what the users of an app make and read; the paths that are assumed are among them. */
const usual = [
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

/**
 * What is passed on when `allow` is not given: every route of the specification but {@link ownerRoutes}.
 */
export const defaultRoutes = [...open, ...usual] as const;

/**
 * Routes that are only passed on when `allow` names them: those that tell about your account, and the list of materials,
 * which shows those of all users.
 */
export const ownerRoutes = [
  'GET /v1/account',
  'GET /v1/readiness',
  'GET /api/usage/balance',
  'GET /v1/materials',
] as const;

const known: readonly string[] = [...defaultRoutes, ...ownerRoutes];

const queries: Readonly<Record<string, readonly string[]>> = {
  'GET /v1/status': ['locale'],
  'GET /v1/pricing': ['type'],
  'GET /v1/audio/voices': ['model'],
  'GET /v1/materials': ['type', 'status', 'limit', 'after'],
};

/** A documented route, such as `POST /v1/videos`, or one of your own in the same form. Specification: Endpoints. */
export type ProxyRoute =
  | (typeof defaultRoutes)[number]
  | (typeof ownerRoutes)[number]
  | (string & {});

/** A route, taken apart. */
export interface Route {
  /** As it was written, without its query. */
  readonly name: string;
  readonly method: string;
  readonly path: string;
  /** What a path looks like that is this one. */
  readonly pattern: RegExp;
  /** The query parameters that it takes. */
  readonly query: readonly string[];
  readonly needsKey: boolean;
}

const value = /\{(\w+)\}/g;

/** Takes a route apart; undefined when it is none. */
export function readRoute(written: string): Route | undefined {
  const form = /^((GET|POST|DELETE) (?:\/(?:[\w-][\w.-]*|\{\w+\}))+)(?:\?([\w.&-]+))?$/;
  const [, plain = '', method = '', ownQuery] = form.exec(written) ?? [];
  if (plain === '') return undefined;
  // The specification calls the same value now `taskId`, now `task_id`.
  const nameless = (route: string) => route.replace(value, '{}');
  const name = known.find((route) => nameless(route) === nameless(plain)) ?? plain;
  const path = name.slice(method.length + 1);
  return {
    name,
    method,
    path,
    pattern: new RegExp(`^${path.replaceAll('.', '\\.').replace(value, '(?<$1>[^/]+)')}$`),
    query: queries[name] ?? ownQuery?.split('&') ?? [],
    needsKey: !open.some((route) => route === name),
  };
}

/** Where a request goes. */
export interface Target {
  readonly route: Route;
  /** Path and query for the gateway: written anew from the route, never copied from the request. */
  readonly path: string;
  readonly search: string;
  readonly values: Readonly<Record<string, string>>;
}

/** The target of a path that begins with the gateway's own; undefined when no route is exactly this one. */
export function findTarget(
  routes: readonly Route[],
  method: string,
  path: string,
  query: URLSearchParams,
): Target | undefined {
  const names = [...query.keys()];
  if (new Set(names).size < names.length) return undefined;
  for (const route of routes) {
    const found = route.method === method ? route.pattern.exec(path) : null;
    if (found === null || !names.every((name) => route.query.includes(name))) continue;
    const values: Record<string, string> = {};
    for (const [name, part] of Object.entries(found.groups ?? {})) {
      const text = readValue(part, name === 'model');
      if (text === undefined) return undefined;
      values[name] = text;
    }
    const filled = route.path.replace(value, (_, name: string) =>
      encodeURIComponent(values[name] ?? ''),
    );
    const search = names.length === 0 ? '' : `?${query.toString()}`;
    return { route, path: filled, search, values };
  }
  return undefined;
}

/**
 * A value in a path, decoded once. Only what every server reads alike gets through: no percent sign that could be
 * decoded again, no dots alone, and a slash in the id of a model only. Specification: Model.
 */
function readValue(part: string, mayHoldSlash: boolean): string | undefined {
  let text: string;
  try {
    text = decodeURIComponent(part);
  } catch {
    return undefined;
  }
  const pieces = mayHoldSlash ? text.split('/') : [text];
  return pieces.every((piece) => /^[\w.:@~+,=-]+$/.test(piece) && !/^\.+$/.test(piece))
    ? text
    : undefined;
}
