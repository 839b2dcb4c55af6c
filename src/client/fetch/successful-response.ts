import { readText } from '../call/response.ts';
import type { ReceivedResponse, ResponseHandler } from '../call/response.ts';
import { describeNonJson } from '../http/failure.ts';
import { parseJson } from '../http/json.ts';
import { isEventStream, withBody } from '../http/response-body.ts';
import type { BodyCheck } from '../http/watched-body.ts';
import { isEventText } from '../stream/event-decoder.ts';
import { withHeader } from './chat-body.ts';
import type { chatReader } from './chat-body.ts';
import type { ErrorResponse } from './error-response.ts';
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
