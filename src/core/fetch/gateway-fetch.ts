import { createChatCompletion } from '../../endpoints/chat.ts';
import { APIError } from '../../errors/api.ts';
import { ConfigurationError } from '../../errors/configuration.ts';
import { ResponseValidationError } from '../../errors/response-validation.ts';
import type { StreamError } from '../../errors/stream.ts';
import type { ResponseMeta } from '../../types/meta.ts';
import type { TaskHandle } from '../../types/tasks/task-handle.ts';
import type { TaskKind } from '../../types/tasks/task.ts';
import type { ApiCall } from '../call/api-call.ts';
import { throwToCaller } from '../call/caller-stack.ts';
import type { ClientContext } from '../call/context.ts';
import { execute } from '../call/execute.ts';
import { fallbackOf } from '../call/failure/fallback.ts';
import { fallbackRules, newIdempotencyKey } from '../call/request-options.ts';
import type { RequestOptions } from '../call/request-options.ts';
import type { ResponseHandler } from '../call/response.ts';
import { keepBodyUnread } from '../call/unread-body.ts';
import { captureContext } from '../config/caller-context.ts';
import { checkOptions, checkValue, headerText } from '../config/validation.ts';
import { describeNonJson } from '../http/error-body.ts';
import { parseJson } from '../http/json.ts';
import { keepMeta } from '../http/kept-meta.ts';
import { createResponse, isEventStream, readBodyText, withBody } from '../http/response-body.ts';
import { checkChat } from './check-chat.ts';
import { readFetchRequest } from './fetch-request.ts';
import { describeBody, findRoute } from './routes.ts';

/** Returns the handle of a task that a response named. */
type OpenTask = (
  kind: TaskKind,
  details: { id: string; idempotencyKey: string | undefined; meta: ResponseMeta },
) => TaskHandle;

/** What the client knows about a response that `gateway.fetch` has returned. */
export interface FetchedResponse {
  readonly meta: ResponseMeta;
  readonly idempotencyKey: string | undefined;
  /** The error that a method of the client would have thrown. */
  readonly error?: APIError | ResponseValidationError;
  /** None if there is `error`. */
  readonly bodyErrors?: BodyErrors | undefined;
}

/** Creates the client's errors for a body that its reader cannot use. */
interface BodyErrors {
  invalidResponse(problem: string, body: unknown): ResponseValidationError;
  invalidStream(problem: string): StreamError;
  /** For an event that reports an error. */
  streamErrorEvent(data: string): StreamError;
}

const responses = new WeakMap<Response, FetchedResponse>();

/** For integrations that need more than a `Response` contains; undefined if `gateway.fetch` has not returned it. */
export function fetchedResponse(response: Response): FetchedResponse | undefined {
  return responses.get(response);
}

/**
 * Creates the `fetch` of a client, which treats each request as the client's method for the same route would. Only an
 * integration sets `options`: the public `fetch` passes bodies on as they are.
 */
export function createGatewayFetch(
  context: ClientContext,
  openTask: OpenTask,
  options: FetchOptions = {},
): typeof fetch {
  return async (input, init) =>
    sendFetch(context, openTask, options, input, init).catch(throwToCaller);
}

/** The options of the methods that no part of a request can express. */
export type FetchOptions = Pick<RequestOptions, 'fallback'>;

async function sendFetch(
  context: ClientContext,
  openTask: OpenTask,
  fetchOptions: FetchOptions,
  input: RequestInfo | URL,
  init: RequestInit | undefined,
): Promise<Response> {
  checkOptions(fetchOptions, fallbackRules);
  const { config } = context;
  // The body is read before the call starts.
  const enter = captureContext(config);
  const request = readFetchRequest(config.baseURL, input, init ?? {});
  const { method, template, path, headers, key, signal } = request;
  const { endpoint, call: route } = findRoute(method, template, config);
  const { kind, price, sendsKey } = endpoint ?? {};
  const isChat = endpoint === createChatCompletion;
  if (request.isStreamed && route.paid) {
    throw new ConfigurationError(
      'gateway.fetch: the body of a paid request must not be a stream, which could not be sent again. Pass text or bytes. Nothing was sent.',
    );
  }
  const needsKey = sendsKey || route.safety === 'keyed';
  const idempotencyKey = key?.[1] ?? (needsKey ? newIdempotencyKey() : undefined);
  checkValue('idempotencyKey', idempotencyKey, headerText);
  const body = await request.readBody();
  const { isStream, choiceCount, ...described } = describeBody(price, parseBody(body));
  /** The response to the last attempt if it is no success, with its body unread. */
  let rejected: Response | undefined;
  const reject = (response?: Response) => {
    rejected?.body?.cancel().catch(() => undefined);
    rejected = response;
  };
  const fallback = fallbackOf(described.model ?? '', fetchOptions);
  const call: ApiCall = {
    // An unknown route keeps the header that the caller has chosen.
    ...route,
    ...(endpoint === undefined && { idempotencyHeader: key?.[0] }),
    ...described,
    ...(isChat && isStream && { headers: { accept: 'text/event-stream' } }),
    path,
    body,
    findTask: (meta, id = meta?.taskId) =>
      kind && id && meta ? openTask(kind, { id, idempotencyKey, meta: keepMeta(meta) }) : undefined,
    observer: { onSend: () => reject(), onRejection: (response) => reject(response.clone()) },
  };
  const holdsSlot = call.usesSlot && config.concurrency !== false;
  const passOn = keepBodyUnread(holdsSlot, signal, isChat ? checkChat(choiceCount) : undefined);
  let bodyErrors: BodyErrors | undefined;
  const handle: ResponseHandler<Response> = async (received) => {
    const { response, meta, errors } = received;
    bodyErrors = {
      invalidResponse: (problem, content) => errors.invalidResponse(meta(), problem, content),
      invalidStream: (problem) => errors.invalidStream(problem),
      streamErrorEvent: (data) => errors.streamErrorEvent(data),
    };
    if (!endpoint || response.body === null || isEventStream(response)) return passOn(received);
    let text: string;
    try {
      text = await readBodyText(response, config.maxResponseBytes, received.signal);
    } catch (error) {
      throw errors.unreadableBody(meta(), error, config.maxResponseBytes);
    }
    // As a method does: JSON that was cut off is requested again if that is safe.
    if (route.safety !== 'once' && parseJson(text) === undefined) {
      reject(withBody(response, text));
      throw errors.invalidResponse(meta(), describeNonJson(text), text);
    }
    received.span?.end({ data: parseJson(text), meta });
    return withBody(response, text);
  };
  try {
    const options = { headers, idempotencyKey, signal };
    const prepared = { call, options, fallback };
    const { data, meta } = await enter(() => execute(context, prepared, handle));
    responses.set(data, {
      // Parsed only if an integration reads it.
      get meta() {
        return meta();
      },
      idempotencyKey,
      bodyErrors,
    });
    return data;
  } catch (error) {
    // Without a response, such as when no slot became free, the error itself is the result.
    const hasResponse = error instanceof APIError || error instanceof ResponseValidationError;
    if (hasResponse && rejected?.status === error.meta.status) {
      const isRepeatable = route.safety === 'safe' || (route.safety === 'keyed' && key);
      const response =
        error.outcome === 'unknown' && !isRepeatable ? withoutRetry(rejected) : rejected;
      responses.set(response, { meta: error.meta, idempotencyKey, error });
      return response;
    }
    reject();
    throw error;
  }
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

/** A body that may be JSON. */
function parseBody(body: string | Uint8Array | undefined): unknown {
  if (body === undefined) return undefined;
  return parseJson(typeof body === 'string' ? body : new TextDecoder().decode(body));
}
