import { TrieRouter } from 'hono/router/trie-router';

import type { Auth, Endpoint } from './endpoint.ts';
import { GatewayError } from './response/gateway-error.ts';

/** The endpoint of a request and what stands for the `{names}` of its path. */
export interface RouteMatch {
  endpoint: Endpoint;
  params: Record<string, string>;
}

/** Finds endpoints by method and path. */
export class EndpointRouter {
  readonly #router = new TrieRouter<Endpoint>();
  readonly #methods: readonly string[];

  constructor(endpoints: readonly Endpoint[]) {
    this.#methods = [...new Set(endpoints.map((endpoint) => endpoint.method))];
    for (const endpoint of endpoints) {
      const path = endpoint.path.replaceAll(/\{(\w+)\}/g, ':$1');
      this.#router.add(endpoint.method, path, endpoint);
    }
  }

  /** The endpoint; 405 when only the method is wrong, 404 when the path is unknown. */
  find(method: string, path: string): RouteMatch {
    const wanted = method === 'HEAD' ? 'GET' : method;
    const found = this.#match(wanted, path);
    if (found !== undefined) return found;
    const allowed = this.#methods.filter((other) => this.#match(other, path) !== undefined);
    if (allowed.length === 0) {
      throw new GatewayError(404, 'not_found', `This service has no ${method} ${path}`);
    }
    const message = `${path} takes ${allowed.join(', ')}, not ${method}`;
    throw new GatewayError(405, 'method_not_allowed', message, { allow: allowed.join(', ') });
  }

  /** How the endpoint at a path, whatever its method, asks who calls. */
  authAt(path: string): Auth | undefined {
    for (const method of this.#methods) {
      const found = this.#match(method, path);
      if (found !== undefined) return found.endpoint.auth;
    }
    return undefined;
  }

  #match(method: string, path: string): RouteMatch | undefined {
    const [matches, stash] = this.#router.match(method, path);
    const first = matches[0];
    if (first === undefined) return undefined;
    const [endpoint, raw] = first;
    const params: Record<string, string> = {};
    for (const name of Object.keys(raw)) {
      const value = raw[name] ?? '';
      params[name] = decode(typeof value === 'number' ? (stash?.[value] ?? '') : value);
    }
    return { endpoint, params };
  }
}

/** An id that is not well encoded is an id that nothing has. */
function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
