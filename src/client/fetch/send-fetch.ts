import { ConfigurationError } from '../../errors/base.ts';
import { notSent, RequestTimeoutError } from '../../errors/call.ts';
import { limitsOf } from '../call/api-request.ts';
import type { CallLimits } from '../call/api-request.ts';
import { timeoutSummary } from '../call/compose-error.ts';
import type { ClientContext } from '../call/context.ts';
import { execute } from '../call/execute.ts';
import { fallbackOf } from '../call/request-options.ts';
import type { RequestOptions } from '../call/request-options.ts';
import { readText } from '../call/response.ts';
import type { ReceivedResponse, ResponseHandler } from '../call/response.ts';
import { keepBodyUnread } from '../call/unread-body.ts';
import { captureContext } from '../config/caller.ts';
import { monotonicNow } from '../config/clock.ts';
import type { Clock } from '../config/clock.ts';
import type { Config } from '../config/config.ts';
import { checkValue, headerText } from '../config/validation.ts';
import { describeNonJson } from '../http/failure.ts';
import { isJson, parseJson } from '../http/json.ts';
import { newIdempotencyKey } from '../http/request-headers.ts';
import { isEventStream, withBody } from '../http/response-body.ts';
import type { BodyCheck } from '../http/watched-body.ts';
import { runWithTimeLimit } from '../limits/time-limit.ts';
import { isEventText } from '../stream/event-decoder.ts';
import { chatReader, otherTypeReader, checkChat, withHeader } from './chat-body.ts';
import { describeCall, findRoute } from './describe-call.ts';
import type { OpenTask, Route } from './describe-call.ts';
import { ErrorResponse } from './error-response.ts';
import { createRequest, invalidRequest } from './fetch-arguments.ts';
import type { FetchArguments } from './fetch-arguments.ts';
import { bytesWithoutHalfPairs, toFetchRequest } from './fetch-request.ts';
import type { FetchRequest, RequestBody } from './fetch-request.ts';
import { attachDetails } from './response-details.ts';
import type { BodyErrors } from './response-details.ts';

/** The options of the methods that no part of a request can express. */
export type FetchOptions = Pick<RequestOptions, 'fallback'> & {
  /** Whether a chat is read as a method reads it, and passed on in the documented form. */
  readonly readsChats?: boolean;
};

/** Sends a request as the client's method for the same route would. */
export async function sendFetch(
  context: ClientContext,
  openTask: OpenTask,
  fetchOptions: FetchOptions,
  given: FetchArguments,
): Promise<Response> {
  const { config } = context;
  const request = toFetchRequest(config.baseURL, given);
  // The body is read before the call starts.
  const enter = captureContext(config);
  const route = findRoute(request.method, request.pathname, config);
  checkBody(request, route);
  const idempotencyKey = chooseKey(request, route);
  const limits = limitsOf(config, monotonicNow(config.clock));
  const body = await readBody(request, config.clock, limits);
  const { call, chat } = describeCall(request, route, body, idempotencyKey, openTask);

  const { headers, signal } = request;
  const errorResponse = new ErrorResponse();
  const sent = {
    ...call,
    body: hasJson(request, config) ? bytesWithoutHalfPairs(body) : body,
    observer: errorResponse,
    returnsErrorResponses: true,
    options: { headers, idempotencyKey, signal, deadline: limits.deadline },
    fallback: call.model === undefined ? undefined : fallbackOf(call.model, fetchOptions),
  };
  const reads = chat && fetchOptions.readsChats;
  const handle = passOn({
    readChat: reads ? chatReader(chat, signal) : undefined,
    // A HEAD and an OPTIONS are treated as the GET of their route, but their responses need no body.
    hasKnownBody: route.endpoint?.method === request.method,
    createCheck: chat?.isStreamed ? checkChat(chat.choiceCount) : undefined,
    readOtherType: chat?.isStreamed ? otherTypeReader(chat, signal) : undefined,
    passUnread: keepBodyUnread(signal, chat && checkChat(chat.choiceCount)),
    errorResponse,
  });
  try {
    const { data, meta } = await enter(() => execute(context, sent, handle));
    return attachDetails(data.response, {
      // Parsed only if an integration reads it.
      get meta() {
        return meta();
      },
      idempotencyKey,
      bodyErrors: data.bodyErrors,
    });
  } catch (error) {
    return errorResponse.returnOrThrow(error, request, route, idempotencyKey);
  }
}

/** Whether the body is sent as JSON. */
function hasJson({ headers }: FetchRequest, config: Config): boolean {
  const all = [...config.headers, ...headers];
  const [, type = 'application/json'] = all.findLast(([name]) => name === 'content-type') ?? [];
  return isJson(type ?? undefined);
}

/** @throws {@link ConfigurationError} if the body could not be sent again, although that may be necessary. */
function checkBody({ isStreamed }: FetchRequest, { call }: Route): void {
  if (!isStreamed || !call.paid) return;
  throw new ConfigurationError(
    'gateway.fetch: the body of a paid request must not be a stream, which could not be sent again. Pass text or bytes. Nothing was sent.',
  );
}

/**
 * The idempotency key of a request: the caller's, or a new random one where a method of the client would send one.
 *
 * @throws {@link ConfigurationError} if the caller's key is invalid.
 */
function chooseKey({ key }: FetchRequest, { endpoint, call }: Route): string | undefined {
  const needsKey = endpoint?.sendsKey || call.safety === 'keyed';
  const idempotencyKey = key?.[1] ?? (needsKey ? newIdempotencyKey() : undefined);
  checkValue('idempotencyKey', idempotencyKey, headerText);
  return idempotencyKey;
}

/**
 * Reads the body of a request into memory. Rejects if the signal aborts, or if the body does not end within
 * `totalTimeout`.
 */
async function readBody(
  { method, url, created, source, signal }: FetchRequest,
  clock: Clock,
  { totalTimeout }: CallLimits,
): Promise<RequestBody> {
  if (!(source instanceof Object)) return source;
  const read = async () => {
    try {
      return await source.arrayBuffer();
    } catch (cause) {
      throw invalidRequest(cause);
    }
  };
  const limit = totalTimeout === Infinity ? {} : { clock, ms: totalTimeout };
  const buffer = await runWithTimeLimit(read, { signal, errors, ...limit });
  // Firefox has no `request.body`, so an empty body counts as none.
  if (buffer.byteLength === 0) return undefined;
  const bytes = new Uint8Array(buffer);
  // The constructor has not seen this body, which a GET must not have.
  if (source !== created) createRequest(url, { method, body: bytes }, false);
  return bytes;
}

const errors = {
  ...notSent,
  timeout: (ms: number) =>
    new RequestTimeoutError(
      `${timeoutSummary('unsent', ms, 'totalTimeout')}, because its body did not end.`,
      { outcome: 'not-sent' },
    ),
};

interface SuccessOptions {
  /** Whether the specification has the request, so that its response has a body: a JSON document or an event stream. */
  readonly hasKnownBody: boolean;
  /** Passes a response on with its body unread. */
  readonly passUnread: ResponseHandler<Response>;
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
function passOn(
  options: SuccessOptions,
): ResponseHandler<{ readonly response: Response; readonly bodyErrors: BodyErrors }> {
  const { hasKnownBody, passUnread, readChat } = options;
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
      response: isRead ? await withReadBody(received, options) : await passUnread(received),
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
