import type { PolygateOptions } from 'polygate';

import type { Diagnosis } from './diagnosis.ts';

/** An option that the client needs for this service, and why. */
export interface Needed {
  readonly advice: string;
  readonly option: PolygateOptions;
}

/** Every option that a diagnosis can recommend, by what a check has found. */
export const needed = {
  /** `reachable` has found the gateway elsewhere. */
  baseURL: (baseURL: string): Needed => ({ advice: 'Set baseURL.', option: { baseURL } }),

  /** `header-prefix` or a charge has found documented headers with another prefix. */
  headerPrefix: (headerPrefix: string, consequence = ''): Needed => ({
    advice: `Set headerPrefix.${consequence}`,
    option: { headerPrefix },
  }),

  /** `header-prefix` has found a request id in another header. */
  requestIdHeader: (requestIdHeader: string, acceptsCallerId: boolean): Needed => ({
    advice: acceptsCallerId
      ? 'Set requestIdHeader, so that your request ids reach the logs of the service.'
      : 'Set requestIdHeader, so that errors contain the id that support asks for.',
    option: { requestIdHeader },
  }),

  /** `poll-paths` or `image-task` has found tasks at another path. */
  pollPath: (name: 'imageTask' | 'videoTask', path: string, consequence: string): Needed => ({
    advice: `Set paths.${name}. Without it, the client ${consequence}.`,
    option: { paths: { [name]: path } },
  }),

  /** `chat` has shown that a reused key is replayed. */
  retryAmbiguousChat: (): Needed => ({
    advice:
      'Unless it is set already, set retryAmbiguous.chat, so that the client recovers from lost responses. Ask the operator for a guarantee first.',
    option: { retryAmbiguous: { chat: true } },
  }),

  /** `replay` has shown that a reused key creates a second task. */
  noRetries: (): Needed => ({
    advice:
      'Report it to the operator: the specification guarantees idempotent replay. Until then, turn retries off.',
    option: { maxRetries: 0 },
  }),
};

/**
 * The options that a diagnosis recommends, merged into one object: `new Polygate({ ...yours, ...optionsOf(diagnosis) })`.
 * If yours have `paths` or `retryAmbiguous`, merge these, too.
 */
export function optionsOf({ checks }: Pick<Diagnosis, 'checks'>): PolygateOptions {
  const merged: PolygateOptions = {};
  for (const { option = {} } of checks) {
    const { paths, retryAmbiguous, ...others } = option;
    Object.assign(merged, others);
    if (paths) merged.paths = { ...merged.paths, ...paths };
    if (retryAmbiguous) merged.retryAmbiguous = { ...merged.retryAmbiguous, ...retryAmbiguous };
  }
  return merged;
}
