import ky, { isForceRetryError } from 'ky';
import type { AfterResponseHook, BeforeRequestHook } from 'ky';

import { ConfigurationError } from '../../errors/base.ts';
import { HookError } from '../../errors/call.ts';
import { textOf } from '../../wire/types/type-guards.ts';
import { captureContext } from '../config/caller.ts';
import type { Config } from '../config/config.ts';
import { blobBody } from '../config/environment.ts';
import type { Hooks } from '../config/options.ts';
import { singleLine } from './json.ts';
import { isEventStream, withBody } from './response-body.ts';
import type { HttpRequest, Transport } from './transport.ts';

/**
 * A transport that sends through ky, which builds the `Request` and runs the hooks. ky's own retries, timeout and status
 * errors are off. Its `NetworkError` contains the request with the API key, so only its messages are ever read.
 *
 * ky passes each `afterResponse` hook a copy of the response. A copy of a stream reads ahead, and loses what it has read
 * if the connection breaks, so hooks receive a stream's response without its body.
 */
export function createKyTransport(
  config: Config,
  beforeRequest: readonly BeforeRequestHook[],
  afterResponse: readonly AfterResponseHook[],
): Transport {
  const { fetch } = config;
  const instance = ky.create({ retry: 0, timeout: false, throwHttpErrors: false });

  return async (url, request, { retryCount, onSend, budget, onResponse }) => {
    // ky calls hooks and `fetch` later, when the span of the call may no longer be active.
    const enter = captureContext(config);
    const { body, signal, redirect, cache } = request;
    let received: Response | undefined;
    /** The response as hooks see it. */
    let shown: Response | undefined;
    let result: Response | undefined;
    const receive = (response: Response): Response => {
      onResponse(response);
      budget?.pauseTurn();
      received = response;
      shown = isEventStream(response) ? withBody(response, null) : response;
      return shown;
    };
    const send: typeof fetch = async (input) => {
      // The call may have ended while a hook was running.
      signal.throwIfAborted();
      if (input instanceof Request && (input.bodyUsed || input.body?.locked)) {
        throw new HookError(
          'hooks.beforeRequest has read the body of the request, so it cannot be sent. Read request.clone() instead',
        );
      }
      // A hook can return a request that lacks these options.
      const checked = new Request(input, { signal, redirect, ...(cache && { cache }) });
      checkRequest(checked, url, request);
      await budget?.takeTurn(signal);
      onSend(checked.headers);
      return receive(await enter(() => fetch(checked)));
    };
    budget?.pauseTurn();
    try {
      const final = await instance(url, {
        ...request,
        body: blobBody(body),
        fetch: send,
        hooks: {
          beforeRequest: beforeRequest.map((hook) => async (state) => {
            const returned = await enter(() => runHook('beforeRequest', hook, state));
            return returned instanceof Response ? receive(returned) : returned;
          }),
          afterResponse: afterResponse.map(
            (hook) => (state) =>
              enter(() => runHook('afterResponse', hook, { ...state, retryCount })),
          ),
        },
      });
      if (received === undefined) return final;
      // The copy of a stream has no body, so a response made from it replaces nothing.
      const isReplaced = final !== shown && (final.body !== null || received === shown);
      // A response to which the service sent no body, such as a 204, cannot get one.
      result = isReplaced && received.body !== null ? withBody(received, final.body) : received;
      return result;
    } catch (error) {
      throw isForceRetryError(error)
        ? new HookError('hooks.afterResponse returned ky.retry(): only the client retries')
        : error;
    } finally {
      if (received !== result) received?.body?.cancel().catch(() => undefined);
    }
  };
}

async function runHook<State extends object, Result>(
  name: keyof Hooks,
  hook: (state: State) => Result | Promise<Result>,
  state: State,
): Promise<Result | undefined> {
  let returned: Result;
  try {
    returned = await hook(state);
  } catch (cause) {
    const reason = singleLine(textOf(cause instanceof Error ? cause.message : cause) ?? '');
    throw new HookError(`hooks.${name} threw an error${reason && `: ${reason}`}`, { cause });
  }
  // A hook that returns its copy replaces nothing, and may have read it.
  if ('response' in state && returned === state.response) return undefined;
  if (returned instanceof Response && returned.bodyUsed) {
    throw new HookError(
      `hooks.${name} returned a response whose body has already been read. Read response.clone() instead`,
    );
  }
  return returned;
}

/**
 * Checks the request that hooks have changed or replaced.
 *
 * @throws {@link ConfigurationError} if it would take the API key to another server, or lose the idempotency key that
 * makes its retries safe.
 */
function checkRequest(
  { url, headers }: Request,
  originalURL: string,
  original: Pick<HttpRequest, 'headers'>,
): void {
  if (new URL(url).origin !== new URL(originalURL).origin) {
    throw new ConfigurationError('hooks.beforeRequest must not change the origin.');
  }
  for (const name of ['x-idempotency-key', 'idempotency-key']) {
    const key = original.headers[name];
    if (key !== undefined && headers.get(name) !== key) {
      throw new ConfigurationError(`hooks.beforeRequest must not change or remove ${name}.`);
    }
  }
}
