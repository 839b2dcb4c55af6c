import ky, { isForceRetryError, isNetworkError } from 'ky';
import type { AfterResponseHook, BeforeRequestHook } from 'ky';

import { ConfigurationError } from '../../errors/configuration.ts';
import { HookError } from '../../errors/hook.ts';
import { isRecord, textOf } from '../../schemas/type-guards.ts';
import type { Config } from '../config/config.ts';
import { blobBody } from '../config/environment.ts';
import type { Hooks } from '../config/options.ts';
import { objectWithFields } from '../config/validation.ts';
import type { Rule } from '../config/validation.ts';
import { isEventStream, withBody } from './response-body.ts';
import { createFetchTransport, fetchOptions } from './transport.ts';
import type { HttpRequest, Transport } from './transport.ts';

const functions: Rule = [
  (value) => Array.isArray(value) && value.every((hook) => typeof hook === 'function'),
  'an array of functions',
];

/** The rule of the option `hooks`. */
export const hooksRule: Rule = /* @__PURE__ */ objectWithFields({
  beforeRequest: functions,
  afterResponse: functions,
});

/** The transport of a client: without hooks there is nothing for ky to do. */
export function createTransport({ fetch, options: { hooks = {} } }: Config): Transport {
  const { beforeRequest = [], afterResponse = [] } = hooks;
  return beforeRequest.length + afterResponse.length > 0
    ? createKyTransport(fetch, beforeRequest, afterResponse)
    : createFetchTransport(fetch);
}

/**
 * A transport that sends through ky, which builds the `Request` and runs the hooks. ky's own retries, timeout and status
 * errors are off. Its errors contain the request with the API key, so none of them leaves this file.
 *
 * ky passes each `afterResponse` hook a copy of the response. A copy of a stream reads ahead, and loses what it has read
 * if the connection breaks, so hooks receive a stream's response without its body.
 */
function createKyTransport(
  fetch: typeof globalThis.fetch,
  beforeRequest: readonly BeforeRequestHook[],
  afterResponse: readonly AfterResponseHook[],
): Transport {
  const instance = ky.create({ retry: 0, timeout: false, throwHttpErrors: false });

  return async (request, { retryCount, onSend, onResponse }) => {
    const { url, body, signal } = request;
    /** The stream of the response, which hooks do not receive. */
    let stream: Response | undefined;
    const receive = (response: Response): Response => {
      onResponse(response);
      if (!isEventStream(response)) return response;
      stream = response;
      return withBody(response, null);
    };
    const send: typeof fetch = async (input) => {
      // The call may have ended while a hook was running.
      signal.throwIfAborted();
      if (input instanceof Request && input.bodyUsed) {
        throw new HookError('hooks.beforeRequest has read the body of the request, not of a clone');
      }
      // A hook can return a request that lacks these options.
      const final = new Request(input, { ...fetchOptions(), signal });
      checkRequest(final, request);
      onSend();
      return receive(await fetch(final));
    };
    try {
      const response = await instance(url, {
        ...fetchOptions(),
        ...request,
        body: blobBody(body),
        fetch: send,
        hooks: {
          beforeRequest: beforeRequest.map((hook) => async (state) => {
            const result = await runHook('beforeRequest', () => hook(state));
            return result instanceof Response ? receive(result) : result;
          }),
          afterResponse: afterResponse.map(
            (hook) => (state) =>
              runHook('afterResponse', async () => {
                const result = await hook({ ...state, retryCount });
                // A hook that returns its copy replaces nothing, and may have read it.
                return result === state.response ? undefined : result;
              }),
          ),
        },
      });
      // Hooks that return no body of their own keep the stream.
      if (stream === undefined || response.body !== null) return response;
      const original = stream;
      stream = undefined;
      return original;
    } catch (error) {
      if (isForceRetryError(error)) {
        throw new HookError(
          'hooks.afterResponse returned ky.retry(), but only the client decides about retries',
        );
      }
      throw isNetworkError(error) ? error.cause : error;
    } finally {
      stream?.body?.cancel().catch(() => undefined);
    }
  };
}

async function runHook<Result>(
  name: keyof Hooks,
  hook: () => Result | Promise<Result>,
): Promise<Result> {
  let result: Result;
  try {
    result = await hook();
  } catch (cause) {
    const reason = textOf(isRecord(cause) ? cause.message : cause);
    throw new HookError(`hooks.${name} threw an error${reason ? `: ${reason}` : ''}`, { cause });
  }
  if (result instanceof Response && result.bodyUsed) {
    throw new HookError(`hooks.${name} returned a response whose body it has read`);
  }
  return result;
}

/**
 * Checks the request that hooks have changed or replaced.
 *
 * @throws {@link ConfigurationError} if it would take the API key to another server, or lose the idempotency key that
 * makes its retries safe.
 */
function checkRequest(
  { url, headers }: Request,
  original: Pick<HttpRequest, 'url' | 'headers'>,
): void {
  if (new URL(url).origin !== new URL(original.url).origin) {
    throw new ConfigurationError('hooks.beforeRequest must not change the origin.');
  }
  for (const name of ['x-idempotency-key', 'idempotency-key']) {
    const key = original.headers[name];
    if (key !== undefined && headers.get(name) !== key) {
      throw new ConfigurationError(`hooks.beforeRequest must not change or remove ${name}.`);
    }
  }
}
