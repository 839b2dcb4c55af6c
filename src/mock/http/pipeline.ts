import { TrieRouter } from 'hono/router/trie-router';

import type { Users } from '../account/users.ts';
import type { Key, Receipt } from '../state.ts';
import { rejectRepeatedParameters } from './endpoint.ts';
import type { Auth, Endpoint, RequestContext, Services } from './endpoint.ts';
import { errorBody, keyMessages } from './errors.ts';
import type { ReceivedBody, IncomingRequest } from './incoming.ts';
import { GatewayError, json, bodyResponse, unknownEndpoint } from './response.ts';
import type { HandledRequest, MockResponse } from './response.ts';
import { requireJsonBody } from './validate.ts';

/** A request that has been read but not routed. */
export interface ReceivedRequest {
  incoming: IncomingRequest;
  requestId: string;
  body: ReceivedBody;
}

/**
 * Routes a request, rejects repeated parameters, authenticates it, acquires a slot, checks the body,
 * and handles it. The returned promise never rejects: errors become error responses.
 */
export async function handleRequest(
  services: Services,
  router: EndpointRouter,
  received: ReceivedRequest,
): Promise<HandledRequest> {
  const { incoming, requestId, body } = received;
  let slot: { release: () => void; headers: Record<string, string> } = {
    release: () => {},
    headers: {},
  };
  const receipt: Receipt = { chargedUsd: undefined };
  let response: MockResponse;
  try {
    const { endpoint, params } = router.find(incoming.method, incoming.url.pathname);
    const query = incoming.url.searchParams;
    rejectRepeatedParameters(endpoint, query);
    const key = authenticate(endpoint.auth, services.users, incoming.headers, query);
    const context: RequestContext = {
      services,
      origin: incoming.url.origin,
      headers: incoming.headers,
      query,
      params,
      requestId,
      route: endpoint.route,
      user: key?.user ?? services.users.anonymous,
      key,
      body: body.value,
      now: services.clock.now(),
      receipt,
      signal: incoming.signal,
    };
    services.tasks.sweep(context.now);
    if (endpoint.usesSlot) {
      slot = services.slots.acquire(context, services.tasks.heldSlots(context.user));
    }
    if (endpoint.documentedBody !== undefined) {
      const { maxBodyBytes } = services.settings;
      requireJsonBody(body, incoming.headers, maxBodyBytes, endpoint.toError);
    }
    response = await endpoint.run(context, body.value);
  } catch (reason) {
    response = responseForThrown(services, reason, router.authAt(incoming.url.pathname));
  }
  const reported = response.headers['x-svc-charge-usd'];
  return {
    response: { ...response, headers: { ...slot.headers, ...response.headers } },
    release: slot.release,
    // A request that fails after its charge, such as one whose caller has disconnected, does not report it.
    chargeUsd: receipt.chargedUsd ?? (reported === undefined ? undefined : Number(reported)),
    replay: response.headers['x-svc-idempotent-replay'] === 'true',
  };
}

/**
 * Creates the response for a thrown value. A `GatewayError` has its own status. Any other thrown value,
 * such as an error from a callback in the options, becomes a 500.
 */
function responseForThrown(
  services: Services,
  reason: unknown,
  auth: Auth | undefined,
): MockResponse {
  if (reason instanceof GatewayError) return toErrorResponse(services, reason, auth);
  const message = reason instanceof Error ? reason.message : String(reason);
  return toErrorResponse(services, new GatewayError(500, 'internal_error', message), auth);
}

/** Creates an error response in the form that A9 selects, or in the envelope of the key balance endpoint. */
export function toErrorResponse(
  services: Services,
  error: GatewayError,
  auth: Auth | undefined,
): MockResponse {
  const { status, code, message, headers } = error;
  if (auth === 'balance') return json(status, { success: false, message }, headers);
  const body = errorBody(status, code, message, services.assumptions.A9);
  return bodyResponse(status, body.type, body.text, headers);
}

/** The endpoint of a request, and its path parameters. */
interface RouteMatch {
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

/**
 * Returns the API key of a request; undefined on public endpoints. Throws a 401 or 403
 * if the key is missing, unknown or disabled. Specification: Authentication; Errors.
 */
function authenticate(
  auth: Auth,
  users: Users,
  headers: Headers,
  query: URLSearchParams,
): Key | undefined {
  if (auth === 'none') return undefined;
  const messages = keyMessages(auth);
  const sent = auth === 'any-key' ? anyKey(headers, query) : bearer(headers);
  if (sent === undefined) throw new GatewayError(401, 'api_key_required', messages.missing);
  const key = users.find(sent);
  if (key === undefined) throw new GatewayError(401, 'invalid_api_key', messages.unknown);
  if (key.state === 'disabled') throw new GatewayError(403, 'api_key_disabled', messages.disabled);
  return key;
}

/** Returns the bearer key; undefined if the header is missing or empty, empty if the header is malformed. */
function bearer(headers: Headers): string | undefined {
  const value = (headers.get('authorization') ?? '').trim();
  if (/^(bearer)?$/i.test(value)) return undefined;
  return /^bearer +(\S+)$/i.exec(value)?.[1] ?? '';
}

/**
 * Returns the bearer key if there is one, otherwise the key in a header or parameter that Anthropic and Gemini clients
 * use. Assumption A17.
 */
function anyKey(headers: Headers, query: URLSearchParams): string | undefined {
  const native = headers.get('x-api-key') ?? headers.get('x-goog-api-key') ?? query.get('key');
  return bearer(headers) ?? (native === null || native === '' ? undefined : native);
}
