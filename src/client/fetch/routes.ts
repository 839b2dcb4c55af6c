import type { Endpoint } from '../../wire/endpoints/endpoint.ts';
import { unknownRequest } from '../../wire/endpoints/endpoint.ts';
import { findEndpoint } from '../../wire/endpoints/index.ts';
import { callTo } from '../call/api-call.ts';
import type { ApiCall } from '../call/api-call.ts';
import type { Config } from '../config/config.ts';

/** How the client treats a request, and the endpoint that the specification has for it. */
export interface Route {
  readonly call: ApiCall;
  /** Undefined if the specification has none. */
  readonly endpoint?: Endpoint;
}

/**
 * The route of a request. One that the specification does not have may cost money, and is not retried after an
 * unknown outcome unless its method is idempotent.
 */
export function findRoute(method: string, pathname: string, config: Config): Route {
  const isRead = method === 'HEAD' || method === 'OPTIONS';
  const endpoint = findEndpoint(isRead ? 'GET' : method, pathname);
  if (endpoint) return { endpoint, call: { ...callTo(endpoint, config), method } };
  // The default `accept` header of `fetch`.
  const headers = { accept: '*/*' };
  return { call: { method, template: pathname, headers, ...unknownRequest(method) } };
}
