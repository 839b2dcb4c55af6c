import { APIError } from '../../errors/api.ts';
import { ConfigurationError } from '../../errors/configuration.ts';
import { ResponseValidationError } from '../../errors/response-validation.ts';
import type { ResponseMeta } from '../../schemas/meta.ts';
import type { TaskHandle } from '../../schemas/task-handle.ts';
import type { TaskKind } from '../../schemas/task.ts';
import type { ApiCall } from '../call/api-call.ts';
import { throwToCaller } from '../call/caller-stack.ts';
import type { ClientContext } from '../call/context.ts';
import type { CallErrors } from '../call/errors.ts';
import { execute } from '../call/execute.ts';
import { newIdempotencyKey } from '../call/idempotency-key.ts';
import type { ResponseHandler } from '../call/response.ts';
import { keepBodyUnread } from '../call/unread-body.ts';
import { captureContext } from '../config/caller-context.ts';
import { checkValue, headerText } from '../config/validation.ts';
import { describeNonJson } from '../http/error-body.ts';
import { parseJson } from '../http/json.ts';
import { isEventStream, readBodyText, withBody } from '../http/response-body.ts';
import { checkedReader } from './checked-reader.ts';
import { readFetchRequest } from './fetch-request.ts';
import { describeBody, findRoute } from './routes.ts';

/** Returns the handle of a task. */
type OpenTask = (kind: TaskKind, id: string) => TaskHandle;

/** What the client knows about a response that `gateway.fetch` has returned. */
export interface Fetched {
  readonly meta: ResponseMeta;
  readonly idempotencyKey: string | undefined;
  /** Creates the errors for a response that turns out to be invalid. */
  readonly errors?: CallErrors | undefined;
  /** The error that a method of the client would have thrown. */
  readonly error?: APIError | ResponseValidationError;
}

/** The responses that `gateway.fetch` has returned, for integrations that need more than a `Response` contains. */
export const fetched = new WeakMap<Response, Fetched>();

/** Creates the `fetch` of a client, which treats each request as the client's method for the same route would. */
export function createGatewayFetch(context: ClientContext, openTask: OpenTask): typeof fetch {
  return async (input, init) => sendFetch(context, openTask, input, init).catch(throwToCaller);
}

async function sendFetch(
  context: ClientContext,
  openTask: OpenTask,
  input: RequestInfo | URL,
  init: RequestInit | undefined,
): Promise<Response> {
  const { config } = context;
  // The body is read before the call starts.
  const enter = captureContext(config);
  const request = readFetchRequest(config.baseURL, input, init ?? {});
  const { method, template, path, headers, key, signal } = request;
  const { kind, price, documented, hasKey, isChat, ...route } = findRoute(method, template, config);
  if (request.isStreamed && route.paid) {
    throw new ConfigurationError('gateway.fetch: a paid request cannot have a stream as its body.');
  }
  const needsKey = hasKey || route.safety === 'keyed';
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
  const call: ApiCall = {
    // An unknown route keeps the header that the caller has chosen.
    idempotencyHeader: documented ? 'x-idempotency-key' : key?.[0],
    ...route,
    ...described,
    ...(isChat && isStream && { headers: { accept: 'text/event-stream' } }),
    method,
    template,
    path,
    body,
    findTask: (meta, id = meta?.taskId) => (kind && id ? openTask(kind, id) : undefined),
    observer: { onSend: () => reject(), onRejection: (response) => reject(response.clone()) },
  };
  const holdsSlot = call.usesSlot && config.concurrency !== false;
  const passOn = keepBodyUnread(holdsSlot, signal, isChat ? checkedReader(choiceCount) : undefined);
  let errors: CallErrors | undefined;
  const handle: ResponseHandler<Response> = async (received) => {
    const { response, meta } = received;
    ({ errors } = received);
    if (!documented || response.body === null || isEventStream(response)) return passOn(received);
    let text: string;
    try {
      text = await readBodyText(response, config.maxResponseBytes, received.signal);
    } catch (error) {
      throw received.errors.unreadableBody(meta(), error, config.maxResponseBytes);
    }
    // As a method does: JSON that was cut off is requested again if that is safe.
    if (route.safety !== 'once' && parseJson(text) === undefined) {
      reject(withBody(response, text));
      throw received.errors.invalidResponse(meta(), describeNonJson(text), text);
    }
    received.span?.end({ data: parseJson(text), meta });
    return withBody(response, text);
  };
  try {
    const options = { headers, idempotencyKey, signal };
    const { data, meta } = await enter(() => execute(context, call, options, handle));
    fetched.set(data, {
      // Parsed only if an integration reads it.
      get meta() {
        return meta();
      },
      idempotencyKey,
      errors,
    });
    return data;
  } catch (error) {
    // Without a response, such as when no slot became free, the error itself is the result.
    const hasResponse = error instanceof APIError || error instanceof ResponseValidationError;
    if (hasResponse && rejected?.status === error.meta.status) {
      fetched.set(rejected, { meta: error.meta, idempotencyKey, error });
      return rejected;
    }
    reject();
    throw error;
  }
}

/** A body that may be JSON. */
function parseBody(body: string | Uint8Array | undefined): unknown {
  if (body === undefined) return undefined;
  return parseJson(typeof body === 'string' ? body : new TextDecoder().decode(body));
}
