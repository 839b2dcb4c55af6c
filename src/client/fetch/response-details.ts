import type { StreamError } from '../../errors/chat.ts';
import type { APIError, ResponseValidationError } from '../../errors/responses.ts';
import type { ResponseMeta } from '../../wire/types/meta.ts';

/** What the client knows about a response that `gateway.fetch` has returned. */
export interface ResponseDetails {
  readonly meta: ResponseMeta;
  readonly idempotencyKey: string | undefined;
  /** The error that a method of the client would have thrown. */
  readonly error?: APIError | ResponseValidationError;
  /** None if there is `error`. */
  readonly bodyErrors?: BodyErrors | undefined;
}

/** Creates the client's errors for a body that its reader cannot use. */
export interface BodyErrors {
  invalidResponse(problem: string, body: unknown): ResponseValidationError;
  invalidStream(problem: string): StreamError;
  /** For an event that reports an error. */
  streamErrorEvent(data: string): unknown;
}

const responses = new WeakMap<Response, ResponseDetails>();

/** For integrations that need more than a `Response` contains; undefined if `gateway.fetch` has not returned it. */
export function detailsOf(response: Response): ResponseDetails | undefined {
  return responses.get(response);
}

/** Makes the details of a response available to integrations. Returns the response. */
export function attachDetails(response: Response, details: ResponseDetails): Response {
  responses.set(response, details);
  return response;
}
