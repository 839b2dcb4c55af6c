import { APIError, ResponseValidationError } from '../../errors/responses.ts';
import type { ResponseMeta } from '../../wire/types/meta.ts';
import type { AttemptObserver } from '../call/api-request.ts';
import { readText } from '../call/response.ts';
import type { ReceivedResponse, ResponseHandler } from '../call/response.ts';
import { withAbortableBody } from '../call/unread-body.ts';
import { describeNonJson } from '../http/failure.ts';
import { parseJson } from '../http/json.ts';
import { isEventStream, withBody } from '../http/response-body.ts';
import type { BodyCheck } from '../http/watched-body.ts';
import { isEventText } from '../stream/event-decoder.ts';
import { withHeader } from './chat-body.ts';
import type { chatReader } from './chat-body.ts';
import type { Route } from './describe-call.ts';
import type { FetchRequest } from './fetch-request.ts';
import { attachDetails } from './response-details.ts';
import type { BodyErrors } from './response-details.ts';

interface SuccessOptions {
  /** Whether the specification has the request, so that its response has a body: a JSON document or an event stream. */
  readonly hasKnownBody: boolean;
  /** Passes a response on with its body unread. */
  readonly keepBodyUnread: ResponseHandler<Response>;
  /** Creates the check of the stream that was requested; undefined for any other request. */
  readonly createCheck: ((received: ReceivedResponse) => BodyCheck) | undefined;
  /** Passes on the body of a streamed chat that is no event stream. */
  readonly readOtherType: ResponseHandler<Response> | undefined;
  /** Reads a chat, and passes it on in the documented form. */
  readonly readChat: ReturnType<typeof chatReader> | undefined;
  /** Keeps a response whose JSON was cut off. */
  readonly errorResponse: ErrorResponse;
}

/**
 * Handles a successful response. Its body is read before it is passed on, because the call only ends with it: a
 * connection that is lost meanwhile is a failure of the call, which is retried if that is safe. Streams, and the
 * responses of unknown routes, are passed on with their body unread. `bodyErrors` are for what a later reader of it may find.
 */
export function passOn(
  options: SuccessOptions,
): ResponseHandler<{ readonly response: Response; readonly bodyErrors: BodyErrors }> {
  const { hasKnownBody, keepBodyUnread, readChat } = options;
  return async (received) => {
    const { response } = received;
    const bodyErrors = bodyErrorsOf(received);
    if (readChat) {
      let failure: unknown;
      const read = await readChat(received, (error) => (failure = error));
      return {
        response: read,
        bodyErrors: {
          ...bodyErrors,
          streamErrorEvent: (data) => failure ?? bodyErrors.streamErrorEvent(data),
        },
      };
    }
    const isRead = hasKnownBody && response.body !== null && !isEventStream(response);
    return {
      response: isRead ? await withReadBody(received, options) : await keepBodyUnread(received),
      bodyErrors,
    };
  };
}

async function withReadBody(
  received: ReceivedResponse,
  { errorResponse, createCheck, readOtherType }: SuccessOptions,
): Promise<Response> {
  const { call, response, meta } = received;
  const { span } = call;
  const text = await readText(received);
  if (createCheck && isEventText(text)) return asCheckedStream(received, text, createCheck);
  if (readOtherType) return readOtherType({ ...received, response: withBody(response, text) });
  const mayRepeat = call.request.safety !== 'once';
  // Nothing else needs the parsed body.
  const data = mayRepeat || span ? parseJson(text) : undefined;
  // As a method does: JSON that was cut off is requested again if that is safe.
  if (mayRepeat && data === undefined) {
    errorResponse.keep(withBody(response, text), meta());
    throw call.invalidResponse(meta(), describeNonJson(text), text);
  }
  span?.end({ data, meta });
  return withBody(response, text);
}

/** An event stream of another content type, which readers of the stream may not accept. */
function asCheckedStream(
  received: ReceivedResponse,
  text: string,
  createCheck: NonNullable<SuccessOptions['createCheck']>,
): Response {
  received.call.config.log.warn(
    () => 'A streamed chat: received an event stream with another content type.',
  );
  const check = createCheck(received);
  // The check ends the span.
  if (!check(new TextEncoder().encode(text))) check(undefined);
  return withHeader(received.response, 'content-type', 'text/event-stream', text);
}

/** The errors for the body of a response whose reader is not the client. */
function bodyErrorsOf({ call, meta }: ReceivedResponse): BodyErrors {
  return {
    invalidResponse: (problem, body) => call.invalidResponse(meta(), problem, body),
    invalidStream: (problem) => call.invalidStream(problem),
    streamErrorEvent: (data) => call.streamErrorEvent(data),
  };
}

/**
 * The response that `fetch` resolves with where a method of the client throws an error. Each call has one object, in
 * which a response goes through these steps:
 *
 * 1. Kept: the attempt calls `onErrorResponse` before it reads the body for its error, so a clone is kept, with its
 *    body unread. `successful-response.ts` keeps a response whose JSON was cut off, with the text that it has read.
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
