import type { Services } from '../services.ts';
import type { Receipt } from '../state.ts';
import { authenticate } from './auth.ts';
import { requireJsonBody } from './body.ts';
import type { ReceivedBody } from './body.ts';
import type { Auth } from './endpoint-description.ts';
import { rejectRepeatedParameters } from './endpoint.ts';
import type { IncomingRequest } from './incoming.ts';
import type { RequestContext } from './request-context.ts';
import { errorBody } from './response/error-body.ts';
import { GatewayError } from './response/gateway-error.ts';
import { json, bodyResponse } from './response/response.ts';
import type { MockResponse } from './response/response.ts';
import type { EndpointRouter } from './router.ts';

/** The result of a request. */
export interface HandledRequest {
  response: MockResponse;
  /** Frees the slot of the request. */
  release: () => void;
  /** The charge in USD; for a replay, that of the original request. */
  chargeUsd: number | undefined;
  /** Whether it is an idempotent replay. */
  replay: boolean;
}

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
    requireJsonBody(endpoint, incoming.headers, body, services.settings.maxBodyBytes);
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
