import { APIError } from '../../errors/api.ts';
import { ConfigurationError } from '../../errors/configuration.ts';
import type { ResponseMeta } from '../../schemas/meta.ts';
import type { TaskHandle } from '../../schemas/task-handle.ts';
import type { TaskKind } from '../../schemas/task.ts';
import type { ApiCall } from '../call/api-call.ts';
import { throwToCaller } from '../call/caller-stack.ts';
import type { ClientContext } from '../call/context.ts';
import type { CallErrors } from '../call/errors.ts';
import { execute } from '../call/execute.ts';
import { newIdempotencyKey } from '../call/idempotency-key.ts';
import { readText } from '../call/response.ts';
import type { ResponseHandler } from '../call/response.ts';
import { keepBodyUnread } from '../call/unread-body.ts';
import { checkValue, headerText } from '../config/validation.ts';
import { parseJson } from '../http/json.ts';
import { isEventStream, withBody } from '../http/response-body.ts';
import { readFetchRequest } from './fetch-request.ts';
import { describeBody, findRoute } from './routes.ts';
import { createStreamCheck } from './stream-check.ts';

/** Returns the handle of a task. */
type OpenTask = (kind: TaskKind, id: string) => TaskHandle;

/** What the client knows about a response that `gateway.fetch` has returned. */
export interface Fetched {
  readonly meta: ResponseMeta;
  readonly idempotencyKey: string | undefined;
  /** Creates the errors for a response that turns out to be invalid. */
  readonly errors?: CallErrors | undefined;
  /** The error that a method of the client would have thrown. */
  readonly error?: APIError;
}

/** The responses that `gateway.fetch` has returned, for integrations that need more than `fetch` can tell. */
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
  const request = await readFetchRequest(config.baseURL, input, init);
  const { method, template, path, headers, key, body, signal } = request;
  const { kind, price, documented, ...route } = findRoute(method, template, config);
  if (request.isStreamed && route.paid) {
    throw new ConfigurationError('gateway.fetch: a paid request cannot have a stream as its body.');
  }
  const idempotencyKey = key?.[1] ?? (route.safety === 'keyed' ? newIdempotencyKey() : undefined);
  checkValue('idempotencyKey', idempotencyKey, headerText);
  const { model, choiceCount, estimateUsd } = describeBody(price, parseBody(body));
  /** The last error response, with its body unread. */
  let rejected: Response | undefined;
  const call: ApiCall = {
    // An unknown route keeps the header that the caller has chosen.
    idempotencyHeader: documented ? 'x-idempotency-key' : key?.[0],
    ...route,
    method,
    template,
    path,
    body,
    model,
    estimateUsd,
    findTask: (meta, id = meta?.taskId) => (kind && id ? openTask(kind, id) : undefined),
    observer: {
      onResponse(response) {
        rejected?.body?.cancel().catch(() => undefined);
        rejected = response.ok ? undefined : response.clone();
      },
    },
  };
  const holdsSlot = call.usesSlot && config.concurrency !== false;
  const isChat = call.timeout !== undefined;
  const passOn = keepBodyUnread(
    holdsSlot,
    signal,
    isChat ? createStreamCheck(choiceCount) : undefined,
  );
  let errors: CallErrors | undefined;
  const handle: ResponseHandler<Response> = async (received) => {
    ({ errors } = received);
    return documented && received.response.body !== null && !isEventStream(received.response)
      ? withBody(received.response, await readText(received))
      : passOn(received);
  };
  try {
    const options = { headers, idempotencyKey, signal };
    const { data, meta } = await execute(context, call, options, handle);
    fetched.set(data, { meta: meta(), idempotencyKey, errors });
    return data;
  } catch (error) {
    // Without a response, such as when no slot became free, the error itself is the result.
    if (error instanceof APIError && rejected?.status === error.status) {
      fetched.set(rejected, { meta: error.meta, idempotencyKey, error });
      return rejected;
    }
    rejected?.body?.cancel().catch(() => undefined);
    throw error;
  }
}

/** A body that may be JSON. */
function parseBody(body: string | Uint8Array | undefined): unknown {
  if (body === undefined) return undefined;
  return parseJson(typeof body === 'string' ? body : new TextDecoder().decode(body));
}
