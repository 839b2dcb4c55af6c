import type { APIError } from '../../errors/api.ts';
import type { ResponseValidationError } from '../../errors/response-validation.ts';
import type { ResponseMeta } from '../../types/meta.ts';
import { createResponse, withAbortableBody } from '../http/response-body.ts';
import type { FetchRequest } from './fetch-request.ts';
import { attachDetails } from './fetched-response.ts';
import type { Route } from './routes.ts';

/** A response, and the error that a method of the client would have thrown because of it. */
export interface Rejection {
  readonly response: Response;
  readonly meta: ResponseMeta;
  readonly error: APIError | ResponseValidationError;
}

/** What `gateway.fetch` resolves with after a rejection: the response, with its details. */
export function toResponse(
  { response, meta, error }: Rejection,
  request: FetchRequest,
  { route, idempotencyKey }: { route: Route; idempotencyKey: string | undefined },
): Response {
  const isFinal = error.outcome === 'unknown' && !callerMayRepeat(request, route);
  // The call has read the start of the body. Its signal has no effect on the rest, but the caller's has.
  const passedOn = withAbortableBody(response, request.signal);
  return attachDetails(isFinal ? withoutRetry(passedOn) : passedOn, {
    meta,
    idempotencyKey,
    error,
  });
}

/**
 * Whether the calling library may send the request again after an unknown outcome. It does not know a key that the client
 * generated.
 */
function callerMayRepeat({ key }: FetchRequest, { call: { safety } }: Route): boolean {
  return safety === 'safe' || (safety === 'keyed' && key !== undefined);
}

/**
 * Keeps libraries that honor `x-should-retry`, such as `openai`, from repeating a request that may have been charged: they
 * would repeat it without its key.
 */
function withoutRetry(response: Response): Response {
  // A redirect that the browser hides cannot be copied, and is not repeated.
  if (response.status === 0) return response;
  const { body, status, statusText, url } = response;
  const headers = new Headers(response.headers);
  headers.set('x-should-retry', 'false');
  return createResponse(body, { status, statusText, headers }, url);
}
