import { ConfigurationError } from '../../errors/configuration.ts';
import type { ClientContext } from '../call/context.ts';
import { execute } from '../call/execute.ts';
import { newIdempotencyKey } from '../call/idempotency-key.ts';
import { fallbackOf } from '../call/request/fallback-option.ts';
import type { RequestOptions } from '../call/request/request-options.ts';
import { keepBodyUnread } from '../call/unread-body.ts';
import { captureContext } from '../config/caller-context.ts';
import { checkValue, headerText } from '../config/validation.ts';
import { checkChat } from './check-chat.ts';
import { describeCall } from './describe-call.ts';
import type { OpenTask } from './describe-call.ts';
import type { FetchRequest } from './fetch-request.ts';
import { attachDetails } from './fetched-response.ts';
import { readResponse } from './read-response.ts';
import { RejectedResponse } from './rejected-response.ts';
import { toResponse } from './rejection.ts';
import { findRoute } from './routes.ts';
import type { Route } from './routes.ts';

/** The options of the methods that no part of a request can express. */
export type FetchOptions = Pick<RequestOptions, 'fallback'>;

/** Sends a request as the client's method for the same route would. */
export async function sendFetch(
  context: ClientContext,
  openTask: OpenTask,
  fetchOptions: FetchOptions,
  request: FetchRequest,
): Promise<Response> {
  const { config } = context;
  // The body is read before the call starts.
  const enter = captureContext(config);
  const route = findRoute(request.method, request.pathname, config);
  const idempotencyKey = checkRequest(request, route);
  const body = await request.readBody();
  const { call, chat } = describeCall(request, route, body, idempotencyKey, openTask);

  const { headers, signal } = request;
  const rejected = new RejectedResponse();
  const prepared = {
    call: { ...call, observer: rejected },
    options: { headers, idempotencyKey, signal },
    fallback: call.model === undefined ? undefined : fallbackOf(call.model, fetchOptions),
  };
  const check = chat && checkChat(chat.choiceCount);
  const isKnownRoute = route.endpoint !== undefined;
  const handle = readResponse(rejected, isKnownRoute, keepBodyUnread(signal, check));
  try {
    const { data, meta } = await enter(() => execute(context, prepared, handle));
    return attachDetails(data.response, {
      // Parsed only if an integration reads it.
      get meta() {
        return meta();
      },
      idempotencyKey,
      bodyErrors: data.bodyErrors,
    });
  } catch (error) {
    const rejection = rejected.behind(error);
    if (rejection) return toResponse(rejection, request, { route, idempotencyKey });
    rejected.drop();
    throw error;
  }
}

/**
 * Checks a request before its body is read. Returns its idempotency key.
 *
 * @throws {@link ConfigurationError} if it could not be sent again, or its key is invalid.
 */
function checkRequest(
  { isStreamed, key }: FetchRequest,
  { endpoint, call }: Route,
): string | undefined {
  if (isStreamed && call.paid) {
    throw new ConfigurationError(
      'gateway.fetch: the body of a paid request must not be a stream, which could not be sent again. Pass text or bytes. Nothing was sent.',
    );
  }
  const needsKey = endpoint?.sendsKey || call.safety === 'keyed';
  const idempotencyKey = key?.[1] ?? (needsKey ? newIdempotencyKey() : undefined);
  checkValue('idempotencyKey', idempotencyKey, headerText);
  return idempotencyKey;
}
