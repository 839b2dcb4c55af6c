import { APIError, ResponseValidationError } from '../../errors/responses.ts';
import type { ResponseMeta } from '../../wire/types/meta.ts';
import type { AttemptObserver } from '../call/api-request.ts';
import { withAbortableBody } from '../call/unread-body.ts';
import { withHeader } from './chat-body.ts';
import type { Route } from './describe-call.ts';
import type { FetchRequest } from './fetch-request.ts';
import { attachDetails } from './response-details.ts';

/**
 * The response that `fetch` resolves with where a method of the client throws an error. Each call has one object, in
 * which a response goes through these steps:
 *
 * 1. Kept: the attempt calls `onErrorResponse` before it reads the body for its error, so a clone is kept, with its
 *    body unread. `send-fetch.ts` keeps a response whose JSON was cut off, with the text that it has read.
 * 2. Left open: until there is an error, `timeout` limits the attempt. The error then ends the limit without aborting
 *    the request (`returnsErrorResponses`), because that would also end the body of the clone.
 * 3. Canceled: if another attempt is sent, `onSend` cancels the body, which frees the connection.
 * 4. Returned: when the call has failed because of the response, `returnOrThrow` returns the clone. The caller of
 *    `fetch` reads its body or cancels it, and only the caller's signal limits it. If the call has failed for another
 *    reason, the body is canceled, and the error is thrown.
 */
export class ErrorResponse implements AttemptObserver {
  #kept: { readonly response: Response; readonly meta: ResponseMeta } | undefined;

  onErrorResponse(response: Response, meta: ResponseMeta): void {
    this.keep(response.clone(), meta);
  }

  /** Keeps a response. `meta` is the metadata that its error has. */
  keep(response: Response, meta: ResponseMeta): void {
    this.#cancel();
    this.#kept = { response, meta };
  }

  onSend(): void {
    this.#cancel();
  }

  #cancel(): void {
    this.#kept?.response.body?.cancel().catch(() => undefined);
    this.#kept = undefined;
  }

  /** Returns the response with its details if `error` ended the call because of it. Otherwise, throws the error. */
  returnOrThrow(
    error: unknown,
    request: FetchRequest,
    route: Route,
    idempotencyKey: string | undefined,
  ): Response {
    const isOfResponse = APIError.is(error) || ResponseValidationError.is(error);
    if (!this.#kept || !isOfResponse || !isReturned(this.#kept, error)) {
      this.#cancel();
      throw error;
    }
    const { response, meta } = this.#kept;
    const isFinal = error.outcome === 'unknown' && !callerMayRepeat(request, route);
    // The signal of the attempt no longer has an effect on the body, but that of the caller has.
    const abortable = withAbortableBody(response, request.signal);
    const returned = isFinal ? withoutRetry(abortable) : abortable;
    return attachDetails(returned, { meta, idempotencyKey, error });
  }
}

/**
 * Whether a call that ended with `error` returns the response that was kept. The error of a call that has found no free
 * slot has the metadata of the last 429 for lack of a slot, which is therefore returned if it is the last response; any
 * other response is not the reason. But if the call may have been charged, it returns its last error response
 * nevertheless: libraries repeat a request that rejects, and only a response can keep them from it.
 */
function isReturned(
  { response, meta }: { readonly response: Response; readonly meta: ResponseMeta },
  error: APIError | ResponseValidationError,
): boolean {
  // The metadata of a response is parsed once, so that the same object means the same response.
  return error.meta === meta || (error.outcome === 'unknown' && !response.ok);
}

/**
 * Whether the calling library may send the request again after an unknown outcome. It does not know a key that the
 * client generated.
 */
function callerMayRepeat({ key }: FetchRequest, { call: { safety } }: Route): boolean {
  return safety === 'safe' || (safety === 'keyed' && key !== undefined);
}

/**
 * Keeps libraries that honor `x-should-retry`, such as `openai`, from repeating a request that may have been charged:
 * they would repeat it without its key.
 */
function withoutRetry(response: Response): Response {
  // A redirect that the browser hides cannot be copied, and is not repeated.
  return response.status === 0 ? response : withHeader(response, 'x-should-retry', 'false');
}
