import type { Services } from '../services.ts';
import { authenticate } from './auth.ts';
import { requireJsonBody } from './body.ts';
import type { ReceivedBody } from './body.ts';
import type { Auth } from './endpoint-description.ts';
import { rejectRepeatedParameters } from './endpoint.ts';
import type { IncomingRequest } from './incoming.ts';
import type { RequestContext } from './request-context.ts';
import { errorBody } from './response/error-body.ts';
import { GatewayError } from './response/gateway-error.ts';
import { json, text } from './response/response.ts';
import type { MockResponse } from './response/response.ts';
import type { EndpointRouter } from './router.ts';

/** A response, and a function that frees the slot of its request. */
export interface HandledRequest {
  response: MockResponse;
  release: () => void;
}

/** A request that was read but not routed yet. */
export interface ReceivedRequest {
  incoming: IncomingRequest;
  requestId: string;
  body: ReceivedBody;
}

/** Routes, authenticates, admits, checks and handles a request, in that order. Never rejects. */
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
  let response: MockResponse;
  try {
    const { endpoint, params } = router.find(incoming.method, incoming.url.pathname);
    const query = incoming.url.searchParams;
    rejectRepeatedParameters(endpoint, query);
    const key = authenticate(endpoint.auth, services.users, incoming.headers, query);
    const call: RequestContext = {
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
      signal: incoming.signal,
    };
    services.tasks.sweep(call.now);
    if (endpoint.slot) slot = services.slots.acquire(call, services.tasks.heldSlots(call.user));
    requireJsonBody(endpoint, incoming.headers, body, services.settings.maxBodyBytes);
    response = await endpoint.run(call, body.value);
  } catch (reason) {
    response = responseForThrown(services, reason, router.authAt(incoming.url.pathname));
  }
  return {
    response: { ...response, headers: { ...slot.headers, ...response.headers } },
    release: slot.release,
  };
}

/** Any thrown value other than a `GatewayError` is a bug in the gateway: status 500. */
function responseForThrown(
  services: Services,
  reason: unknown,
  auth: Auth | undefined,
): MockResponse {
  if (reason instanceof GatewayError) return toErrorResponse(services, reason, auth);
  const message = reason instanceof Error ? reason.message : String(reason);
  return toErrorResponse(services, new GatewayError(500, 'internal_error', message), auth);
}

/** An error in the standard envelope, or in that of the key balance. */
export function toErrorResponse(
  services: Services,
  error: GatewayError,
  auth: Auth | undefined,
): MockResponse {
  const { status, code, message, headers } = error;
  if (auth === 'balance') return json(status, { success: false, message }, headers);
  const body = errorBody(status, code, message, services.assumptions.A9);
  return text(status, body.type, body.text, headers);
}
