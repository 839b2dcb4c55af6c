import type { Polygate, PolygateOptions } from '../../../src/index.ts';
import { caught, clientOf, scripted, virtualClock } from '../support.ts';
import type { Caught, Reply } from '../support.ts';

/** A client whose requests get these replies, in virtual time. */
export function scriptedClient(
  replies: readonly [Reply, ...Reply[]],
  options: PolygateOptions = {},
) {
  const { fetch, sent } = scripted(...replies);
  const clock = virtualClock();
  const gateway = clientOf(fetch, { clock, ...options });
  /** Waits for a promise while the time passes. */
  const settle = <Result>(promise: Promise<Result>): Promise<Result> => clock.settle(promise);
  const fail = (promise: Promise<unknown>): Promise<Caught> => settle(caught(promise));
  return { gateway, sent, clock, settle, fail };
}

/** The options of a POST with a JSON body. */
export function post(body: unknown, headers: Record<string, string> = {}): RequestInit {
  return {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  };
}

export const chatPath = '/v1/chat/completions';
export const imagePath = '/v1/images/tasks';

/** Sends a chat through `gateway.fetch`. */
export function fetchChat(
  gateway: Polygate,
  params: object,
  init: RequestInit = {},
): Promise<Response> {
  return gateway.fetch(chatPath, { ...post(params), ...init });
}

/** Every `code` and `errno` in the causes of an error. */
export function networkCodesOf(error: unknown): unknown[] {
  if (!(error instanceof Error)) return [];
  const { code, errno, cause }: Error & { code?: unknown; errno?: unknown } = error;
  return [code, errno, ...networkCodesOf(cause)].filter((value) => value !== undefined);
}
