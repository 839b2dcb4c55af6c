import { StreamErrors } from '../call/failure/stream-errors.ts';
import { readText } from '../call/response.ts';
import type { ResponseContext, ResponseHandler } from '../call/response.ts';
import { describeNonJson } from '../http/error-body.ts';
import { parseJson } from '../http/json.ts';
import { createResponse, isEventStream, withBody } from '../http/response-body.ts';
import type { BodyCheck } from '../http/watched-body.ts';
import { isEventText } from '../stream/event-decoder.ts';
import type { chatReader } from './chat-reader.ts';
import type { ErrorResponse } from './error-response.ts';
import type { BodyErrors } from './response-details.ts';

/** A successful response, and the errors for what a later reader of its body may find. */
interface SuccessfulResponse {
  readonly response: Response;
  readonly bodyErrors: BodyErrors;
}

interface SuccessOptions {
  /** Whether the specification has the request, so that its response has a body: a JSON document or an event stream. */
  readonly hasKnownBody: boolean;
  /** Passes a response on with its body unread. */
  readonly keepBodyUnread: ResponseHandler<Response>;
  /** Creates the check of the stream that was requested; undefined for any other request. */
  readonly createCheck: ((context: ResponseContext) => BodyCheck) | undefined;
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
 * responses of unknown routes, are passed on with their body unread.
 */
export function passOn(options: SuccessOptions): ResponseHandler<SuccessfulResponse> {
  const { hasKnownBody, keepBodyUnread, readChat } = options;
  return async (context) => {
    const { response } = context;
    const bodyErrors = bodyErrorsOf(context);
    if (readChat) {
      let failure: unknown;
      const read = await readChat(context, (error) => (failure = error));
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
      response: isRead ? await withReadBody(context, options) : await keepBodyUnread(context),
      bodyErrors,
    };
  };
}

async function withReadBody(
  context: ResponseContext,
  { errorResponse, createCheck, readOtherType }: SuccessOptions,
): Promise<Response> {
  const { response, meta, call, errors, span } = context;
  const text = await readText(context);
  if (createCheck && isEventText(text)) return asCheckedStream(context, text, createCheck);
  if (readOtherType) return readOtherType({ ...context, response: withBody(response, text) });
  const mayRepeat = call.safety !== 'once';
  // Nothing else needs the parsed body.
  const data = mayRepeat || span ? parseJson(text) : undefined;
  // As a method does: JSON that was cut off is requested again if that is safe.
  if (mayRepeat && data === undefined) {
    errorResponse.keep(withBody(response, text), meta());
    throw errors.invalidResponse(meta(), describeNonJson(text), text);
  }
  span?.end({ data, meta });
  return withBody(response, text);
}

/** An event stream of another content type, which readers of the stream may not accept. */
function asCheckedStream(
  context: ResponseContext,
  text: string,
  createCheck: NonNullable<SuccessOptions['createCheck']>,
): Response {
  const { response, config } = context;
  const { status, statusText, url } = response;
  config.log.warn(() => 'A streamed chat: received an event stream with another content type.');
  const check = createCheck(context);
  // The check ends the span.
  if (!check(new TextEncoder().encode(text))) check(undefined);
  const headers = new Headers(response.headers);
  headers.set('content-type', 'text/event-stream');
  return createResponse(text, { status, statusText, headers }, url);
}

/** The errors for the body of a response whose reader is not the client. */
function bodyErrorsOf({ history, meta }: ResponseContext): BodyErrors {
  const errors = new StreamErrors(history);
  return {
    invalidResponse: (problem, body) => errors.invalidResponse(meta(), problem, body),
    invalidStream: (problem) => errors.invalidStream(problem),
    streamErrorEvent: (data) => errors.streamErrorEvent(data),
  };
}
