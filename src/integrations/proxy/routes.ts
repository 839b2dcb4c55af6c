import { chatEndpoints } from '../../wire/endpoints/chat.ts';
import type { Endpoint } from '../../wire/endpoints/endpoint.ts';
import { isPaidMethod, allEndpoints } from '../../wire/endpoints/index.ts';
import type { KnownEndpoint } from '../../wire/endpoints/index.ts';
import { nearestName } from '../../wire/types/nearest-name.ts';
import { unchecked } from '../../wire/types/schema.ts';
import { percentDecoded } from './isolate/readings.ts';

/** The name of a placeholder in a route. */
type PlaceholderOf<Path extends string> = Path extends `${infer Start}{id}`
  ? `${Start}{taskId}`
  : Path extends `${infer Start}{material_id}`
    ? `${Start}{materialId}`
    : Path;

/** The route of an endpoint, such as `GET /v1/images/tasks/{taskId}`. */
type RouteOf<Given extends Endpoint> = Given extends Endpoint
  ? `${Given['method']} ${PlaceholderOf<Given['path']>}`
  : never;

function routeOf({ method, path }: Endpoint): string {
  return `${method} ${path.replace('{id}', '{taskId}').replace('{material_id}', '{materialId}')}`;
}

const routesFor = <Audience extends Endpoint['audience']>(...audiences: Audience[]) =>
  unchecked<readonly RouteOf<Extract<KnownEndpoint, { audience: Audience }>>[]>(
    allEndpoints.filter(({ audience }) => audiences.some((own) => own === audience)).map(routeOf),
  );

/** The routes that are forwarded by default: every route in the specification except {@link ownerRoutes}. */
export const defaultRoutes = routesFor('public', 'user');

/**
 * Routes that are forwarded only if you add them to `allow`: they show your account, or the materials of all your
 * users.
 */
export const ownerRoutes = routesFor('owner');

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
  /** Whether a request costs money, as far as is known. */
  readonly isPaid: boolean;
  /** How its price is estimated; undefined if it cannot be. */
  readonly price: Endpoint['price'];
  /** Whether a request is a chat, whose price is known only afterwards, and whose response names no resource. */
  readonly isChat: boolean;
  /** What its requests create or return that belongs to one user; undefined if it is nothing, or not known. */
  readonly resource: 'task' | Endpoint['resource'];
  /** Whether it lists resources of several users. */
  readonly isList: boolean;
  /** What shares idempotency keys: the kind of task, or the path. */
  readonly keyScope: string;
  /** The header with the key under which a repeated request is not charged again; undefined if there is none. */
  readonly keyHeader: string | undefined;
}

const placeholder = /\{(\w+)\}/g;

/** Placeholder names do not matter: the specification itself uses both `taskId` and `task_id`. */
const withoutNames = (route: string) => route.replace(placeholder, '{}');

const documentedRoutes = allEndpoints.map(routeOf);

/** Parses a route. Returns undefined if it is malformed. */
export function parseRoute(text: string): Route | undefined {
  const format = /^((GET|POST|DELETE) (?:\/(?:[\w-][\w.-]*|\{\w+\}))+)(?:\?([\w.&-]+))?$/;
  const [, routeText = '', method = '', query] = format.exec(text) ?? [];
  if (routeText === '') return undefined;
  const documented: Endpoint | undefined = allEndpoints.find(
    (endpoint) => withoutNames(routeOf(endpoint)) === withoutNames(routeText),
  );
  const name = documented ? routeOf(documented) : routeText;
  const path = name.slice(method.length + 1);
  return {
    name,
    method,
    path,
    pattern: new RegExp(`^${path.replaceAll('.', '\\.').replace(placeholder, '(?<$1>[^/]+)')}$`),
    query: documented?.query ?? query?.split('&') ?? [],
    needsKey: documented?.audience !== 'public',
    needsModel: documented?.hasModel !== false,
    isPaid: documented ? documented.paid === true : isPaidMethod(method),
    price: documented?.price,
    isChat: documented === chatEndpoints.chat.create,
    resource: documented?.kind ? 'task' : documented?.resource,
    isList: documented?.isList === true,
    keyScope: documented?.kind ?? path,
    keyHeader:
      documented?.safety === 'keyed'
        ? (documented.idempotencyHeader ?? 'x-idempotency-key')
        : undefined,
  };
}

/** The documented route that a route was probably meant to be, if it has the same number of segments. */
export function suggestRoute(text: string): string | undefined {
  const given = text.trim().split('?', 1)[0]?.replace(placeholder, '{}').split(/[ /]+/) ?? [];
  const isDocumented = documentedRoutes.some((route) => withoutNames(route) === withoutNames(text));
  if (isDocumented) return undefined;
  return documentedRoutes.find((route) => {
    const segments = withoutNames(route).split(/[ /]+/);
    return (
      segments.length === given.length &&
      segments.every((segment, index) => isNear(given[index] ?? '', segment))
    );
  });
}

function isNear(segment: string, known: string): boolean {
  return segment === known || nearestName(segment, [known]) !== undefined;
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
 * Decodes a placeholder value once. Returns undefined if it could lead to another path: servers may decode it again,
 * remove dot segments, or read other characters as dots and slashes. Ids of tasks can have any other characters. Those of
 * models have few, because several of them must not be read as one. Specification: Model.
 */
function decodeValue(encoded: string, isModel: boolean): string | undefined {
  let value: string;
  try {
    value = decodeURIComponent(encoded);
  } catch {
    return undefined;
  }
  if (isModel && !/^[\w.:@~+,=/-]+$/.test(value)) return undefined;
  let reading = value;
  for (let decoded = 0; decoded <= maxDecodings; decoded += 1) {
    const segments = reading.normalize('NFKC').split('/');
    // A server may cut off what follows a semicolon.
    if (segments.some((segment) => /[\p{Cc}\\]|^\s*\.+\s*(?:;|$)/u.test(segment))) return undefined;
    const next = percentDecoded(reading);
    if (next === reading) return value;
    reading = next;
  }
  return undefined;
}

/** How often servers may decode an id. */
const maxDecodings = 8;
