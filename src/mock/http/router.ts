import { TrieRouter } from 'hono/router/trie-router';

import type { Auth } from './endpoint-description.ts';
import type { Endpoint } from './endpoint.ts';
import { GatewayError, unknownEndpoint } from './response/gateway-error.ts';

/** The endpoint of a request, and its path parameters. */
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

  /** Finds the endpoint. Throws a 404 if the path is unknown and a 405 if only the method is wrong. */
  find(method: string, path: string): RouteMatch {
    const routedMethod = method === 'HEAD' ? 'GET' : method;
    const match = this.#match(routedMethod, path);
    if (match !== undefined) return match;
    const allowed = this.#methods.filter((other) => this.#match(other, path) !== undefined);
    if (allowed.length === 0) throw unknownEndpoint(`${method} ${path}`);
    const methods = allowed.join(', ');
    const message = `${path} does not support ${method}: use ${methods}`;
    throw new GatewayError(405, 'method_not_allowed', message, { allow: methods });
  }

  /** Returns the authentication of the endpoint at a path, regardless of the method. */
  authAt(path: string): Auth | undefined {
    for (const method of this.#methods) {
      const match = this.#match(method, path);
      if (match !== undefined) return match.endpoint.auth;
    }
    return undefined;
  }

  #match(method: string, path: string): RouteMatch | undefined {
    const [matches, stash] = this.#router.match(method, path);
    const first = matches[0];
    if (first === undefined) return undefined;
    const [endpoint, rawParams] = first;
    const params: Record<string, string> = {};
    for (const name of Object.keys(rawParams)) {
      const value = rawParams[name] ?? '';
      params[name] = decode(typeof value === 'number' ? (stash?.[value] ?? '') : value);
    }
    return { endpoint, params };
  }
}

/** Decodes a path segment. A malformed segment is left unchanged; it matches no id. */
function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
