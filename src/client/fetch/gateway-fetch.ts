import { toFetchError } from '../../errors/call.ts';
import { limitsOf, loadTime } from '../call/api-request.ts';
import type { ClientContext } from '../call/context.ts';
import { fallbackRules } from '../call/request-options.ts';
import { throwToCaller } from '../config/caller.ts';
import { monotonicNow } from '../config/clock.ts';
import { checkOptions } from '../config/validation.ts';
import { Part } from '../http/part.ts';
import type { OpenTask } from './describe-call.ts';
import { readFetchRequest } from './fetch-request.ts';
import type { FetchOptions } from './send-fetch.ts';

export const fetching = /* @__PURE__ */ new Part(() => import('./send-fetch.ts'));

/**
 * Creates the `fetch` of a client, which treats each request as the client's method for the same route would. Only an
 * integration sets `options`: the public `fetch` passes bodies on as they are.
 */
export function createGatewayFetch(
  context: ClientContext,
  openTask: OpenTask,
  options: FetchOptions = {},
): typeof fetch {
  const send: typeof fetch = async (input, init) => {
    checkOptions({ fallback: options.fallback }, fallbackRules);
    const { config } = context;
    // Now, because the caller may reuse its objects.
    const request = readFetchRequest(config.baseURL, input, init ?? {});
    const { signal } = request;
    const timeout = loadTime(limitsOf(config, monotonicNow(config.clock)));
    return fetching.use(config, ({ sendFetch }) => sendFetch(context, openTask, options, request), {
      signal,
      timeout,
    });
  };
  return async (input, init) =>
    send(input, init).catch((error: unknown) => throwToCaller(toFetchError(error)));
}
