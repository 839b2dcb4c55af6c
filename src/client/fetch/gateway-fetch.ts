import { toFetchError } from '../../errors/call.ts';
import { toUsd } from '../../paid/amounts.ts';
import { limitsOf, loadTime } from '../call/api-request.ts';
import type { ClientContext } from '../call/context.ts';
import { fallbackRules } from '../call/request-options.ts';
import { throwToCaller } from '../config/caller.ts';
import { monotonicNow } from '../config/clock.ts';
import type { Config } from '../config/config.ts';
import { checkOptions } from '../config/validation.ts';
import { Part } from '../http/part.ts';
import type { OpenTask } from './describe-call.ts';
import { readFetchArguments } from './fetch-arguments.ts';
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
    const given = readFetchArguments(config.baseURL, input, init ?? {});
    const { signal } = given;
    const timeout = loadTime(limitsOf(config, monotonicNow(config.clock)));
    return fetching.use(config, ({ sendFetch }) => sendFetch(context, openTask, options, given), {
      signal,
      timeout,
    });
  };
  return async (input, init) =>
    send(input, init).catch((error: unknown) => throwToCaller(toFetchError(error)));
}

/** What integrations use of a client besides its public members. Nothing in it leads to the API key. */
export interface IntegrationContext extends Pick<
  Config,
  'clock' | 'fetch' | 'headerPrefix' | 'log' | 'maxRetryDelay' | 'random' | 'requestIdHeader'
> {
  /** What the ledger reserves for requests whose charge is not known, in USD. */
  readonly reservedUsd: number;
  /** Creates a `fetch` with options of the methods. */
  readonly fetchWith: (options: FetchOptions) => typeof globalThis.fetch;
}

/** Returns what integrations use of a client. */
export function integrationContext(
  { config, shared }: ClientContext,
  fetchWith: IntegrationContext['fetchWith'],
): IntegrationContext {
  const { clock, fetch, headerPrefix, log, maxRetryDelay, random, requestIdHeader } = config;
  const own = { clock, fetch, headerPrefix, log, maxRetryDelay, random, requestIdHeader };
  return { ...own, reservedUsd: toUsd(shared.ledger.books.reserved), fetchWith };
}
