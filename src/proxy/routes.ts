/** A documented route, or one of your own in the same form. Specification: Endpoints. */
export type ProxyRoute = KnownRoute | (string & {});

/** A route as the specification writes it. */
type KnownRoute = (typeof known)[number] extends `${infer Name}?${string}`
  ? Name
  : (typeof known)[number];

/** Routes that need no credentials: the key stays here. */
const open = [
  'GET /v1/status?locale',
  'GET /v1/capabilities',
  'GET /v1/errors',
  'GET /v1/errors/{code}',
  'GET /v1/changelog',
  'GET /v1/pricing?type',
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
  'GET /v1/audio/voices?model',
  'POST /v1/audio/voices/clone',
  'POST /v1/audio/voices/design',
  'POST /v1/materials',
  'GET /v1/materials/{materialId}',
  'DELETE /v1/materials/{materialId}',
] as const;

/** Routes that tell about you, or about all of your users at once. */
const guarded = [
  'GET /v1/account',
  'GET /v1/readiness',
  'GET /api/usage/balance',
  'GET /v1/materials?type&status&limit&after',
] as const;

const known = [...open, ...usual, ...guarded] as const;

/**
 * What is passed on when `allow` is not given: every route of the specification but those that tell about your account
 * (`/v1/account`, `/v1/readiness`, `/api/usage/balance`), and the list of materials, which shows those of all users.
 */
export const defaultRoutes: readonly ProxyRoute[] = [...open, ...usual].map(
  (route) => route.split('?', 1)[0] ?? route,
);

/** A route, taken apart. */
export interface Route {
  /** As it was written, without its query. */
  readonly name: string;
  readonly method: string;
  readonly segments: readonly string[];
  /** The query parameters that it takes. */
  readonly query: readonly string[];
  readonly needsKey: boolean;
}

/** Two templates are the same whatever they call the values in them. */
const nameless = (route: string) => route.replace(/\{\w+\}/g, '{}').split('?', 1)[0];

/** Takes a route apart; undefined when it is none. */
export function readRoute(written: string): Route | undefined {
  if (!/^(GET|POST|DELETE) (\/([\w-][\w.-]*|\{\w+\}))+(\?[\w.&-]+)?$/.test(written))
    return undefined;
  const isSame = (route: string) => nameless(route) === nameless(written);
  const full = known.find(isSame) ?? written;
  const [name = '', query = ''] = full.split('?');
  const [method = '', path = ''] = name.split(' ');
  return {
    name,
    method,
    segments: path.split('/').slice(1),
    query: query === '' ? [] : query.split('&'),
    needsKey: !open.some(isSame),
  };
}

/** Where a request goes. */
export interface Target {
  readonly route: Route;
  /** Path and query for the gateway: written anew from the route, never copied from the request. */
  readonly path: string;
  readonly search: string;
  readonly values: Readonly<Record<string, string | undefined>>;
}

/** The target of a path that begins with the gateway's own; undefined when no route is exactly this one. */
export function findTarget(
  routes: readonly Route[],
  method: string,
  path: string,
  query: URLSearchParams,
): Target | undefined {
  const parts = path.split('/').slice(1);
  // A fixed segment is preferred to a value: `/v1/videos/generations` is no video.
  for (const route of routes) {
    const values = route.method === method ? match(route.segments, parts) : undefined;
    if (values === undefined) continue;
    const names = [...query.keys()];
    if (new Set(names).size < names.length || !names.every((name) => route.query.includes(name))) {
      return undefined;
    }
    const filled = route.segments.map((segment) => {
      const value = values[segment.slice(1, -1)];
      return segment.startsWith('{') && value !== undefined ? encodeURIComponent(value) : segment;
    });
    const search = names.length === 0 ? '' : `?${new URLSearchParams([...query]).toString()}`;
    return { route, path: `/${filled.join('/')}`, search, values };
  }
  return undefined;
}

function match(
  segments: readonly string[],
  parts: readonly string[],
): Record<string, string> | undefined {
  if (segments.length !== parts.length) return undefined;
  const values: Record<string, string> = {};
  for (const [index, segment] of segments.entries()) {
    const part = parts[index] ?? '';
    if (!segment.startsWith('{')) {
      if (part !== segment) return undefined;
      continue;
    }
    const name = segment.slice(1, -1);
    const value = readValue(part, name === 'model');
    if (value === undefined) return undefined;
    values[name] = value;
  }
  return values;
}

/**
 * A value in a path, decoded once. Only what every server reads alike gets through: no percent sign that could be
 * decoded again, no dots alone, and a slash in the id of a model only. Specification: Model.
 */
function readValue(part: string, mayHoldSlash: boolean): string | undefined {
  let value: string;
  try {
    value = decodeURIComponent(part);
  } catch {
    return undefined;
  }
  const pieces = mayHoldSlash ? value.split('/') : [value];
  return pieces.every((piece) => /^[\w.:@~+,=-]+$/.test(piece) && !/^\.+$/.test(piece))
    ? value
    : undefined;
}
