import { json, text } from './response/response.ts';
import type { MockResponse } from './response/response.ts';
import { authenticate } from './auth.ts';
import { requireJsonBody } from './body.ts';
import type { ReceivedBody } from './body.ts';
import type { RequestContext } from './request-context.ts';
import { rejectRepeatedParameters } from './endpoint.ts';
import type { Auth } from './endpoint.ts';
import { errorBody } from './response/error-body.ts';
import type { Incoming } from './incoming.ts';
import { GatewayError } from './response/gateway-error.ts';
import type { EndpointRouter } from './router.ts';
import type { Services } from '../services.ts';

/** An answer, and how to give back the slot that it holds. */
export interface HandledRequest {
  answer: MockResponse;
  release: () => void;
}

/** What is known of a request before it is routed. */
export interface ReceivedRequest {
  incoming: Incoming;
  requestId: string;
  body: ReceivedBody;
}

const nothing = (): void => {};

/** From a request to its answer: route, key, slot, body, endpoint. Never throws. */
export async function handleRequest(
  services: Services,
  router: EndpointRouter,
  arrival: ReceivedRequest,
): Promise<HandledRequest> {
  const { incoming, requestId, body } = arrival;
  const held: { release: () => void; headers: Record<string, string> } = {
    release: nothing,
    headers: {},
  };
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
      bodyText: body.text,
      now: services.clock.now(),
      signal: incoming.signal,
    };
    services.tasks.sweep(call.now);
    if (endpoint.slot) {
      const slot = services.slots.acquire(call, services.tasks.heldSlots(call.user));
      held.release = slot.release;
      held.headers = slot.headers;
    }
    requireJsonBody(endpoint, incoming.headers, body, services.settings.maxBodyBytes);
    const answer = await endpoint.run(call, body.value);
    return { answer: withHeaders(answer, held.headers), release: held.release };
  } catch (reason) {
    const answer = responseForThrown(services, reason, router.authAt(incoming.url.pathname));
    return { answer: withHeaders(answer, held.headers), release: held.release };
  }
}

/**
 * A refusal in its envelope. Anything else that was thrown is a fault of the gateway itself: 500.
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

/** A refusal in the envelope of most endpoints, or in that of the key balance. */
export function toErrorResponse(
  services: Services,
  refusal: GatewayError,
  auth: Auth | undefined,
): MockResponse {
  const { status, code, message, headers } = refusal;
  if (auth === 'balance') return json(status, { success: false, message }, headers);
  const body = errorBody(status, code, message, services.assumptions.A9);
  return text(status, body.type, body.text, headers);
}

function withHeaders(answer: MockResponse, headers: Record<string, string>): MockResponse {
  return { ...answer, headers: { ...headers, ...answer.headers } };
}
