/** Which options the client needs for a service: every option that a diagnosis recommends is decided here. */
import { ConfigurationError, PermissionDeniedError } from 'polygate';
import type { PolygateOptions, ResponseMeta } from 'polygate';

import type { Diagnosis } from './diagnosis.ts';
import { statusOf } from './run/failure.ts';
import { findVendorPrefix, readsVendorHeaders } from './vendor-headers.ts';

/** What to set, and why. */
export interface Needed {
  readonly advice: string;
  /** The option with its value; undefined if the diagnosis does not know the value, or is not certain. */
  readonly option?: PolygateOptions | undefined;
}

/** A need whose value is known. */
type Certain = Needed & { readonly option: PolygateOptions };

/** The poll path that a check has found. */
export interface FoundPath {
  readonly name: 'imageTask' | 'videoTask';
  /** The first path that the client polls. */
  readonly assumed: string;
  readonly isAssumedMissing: boolean;
  /** Undefined if none was found. */
  readonly found: string | undefined;
  /** Whether the client polls it if the first one fails. */
  readonly isTried: boolean;
}

/** For each option: whether what a check has found shows that it is needed. Returns undefined if it does not. */
export const needed = {
  /** `authentication` has failed with an error. */
  apiKey(error: unknown): Needed | undefined {
    if (ConfigurationError.is(error)) return { advice: 'Pass apiKey, or set POLYGATE_API_KEY.' };
    const isDisabled = PermissionDeniedError.is(error) && error.code === 'api_key_disabled';
    if (statusOf(error) !== 401 && !isDisabled) return undefined;
    return {
      advice:
        'Check that the key belongs to this service, is complete, and is enabled and not expired.',
    };
  },

  /** `reachable` has found the gateway elsewhere. */
  baseURL: (baseURL: string): Certain => ({ advice: 'Set baseURL.', option: { baseURL } }),

  /** `reachable` was redirected: only to the same host is it certainly the same service. */
  baseURLOfRedirect(baseURL: string, target: URL | undefined): Needed {
    const isSameHost =
      target?.hostname === new URL(baseURL).hostname && target.protocol === 'https:';
    if (!isSameHost || !target.pathname.endsWith('/v1/status')) {
      return {
        advice:
          'On a public network, sign in to it first. Otherwise, set baseURL to the address of the API, if you trust it.',
      };
    }
    return needed.baseURL(target.origin + target.pathname.replace(/\/v1\/status$/, ''));
  },

  /** Responses have documented headers with a prefix that the client does not read. */
  headerPrefix(metas: readonly ResponseMeta[], consequence = ''): Certain | undefined {
    const headerPrefix = readsVendorHeaders(metas) ? undefined : findVendorPrefix(metas);
    return headerPrefix === undefined
      ? undefined
      : { advice: `Set headerPrefix.${consequence}`, option: { headerPrefix } };
  },

  /** `header-prefix` has found a request id in another header. */
  requestIdHeader: (requestIdHeader: string, acceptsCallerId: boolean): Certain => ({
    advice: acceptsCallerId
      ? 'Set requestIdHeader, so that your request ids reach the logs of the service.'
      : 'Set requestIdHeader, so that errors contain the id that support needs.',
    option: { requestIdHeader },
  }),

  /** `poll-paths` has searched for the path of tasks. */
  pollPath({ name, assumed, isAssumedMissing, found, isTried }: FoundPath): Needed | undefined {
    const kind = name === 'videoTask' ? 'a video' : 'an image';
    if (found === undefined) {
      return { advice: `If waiting for ${kind} fails with a 404, set paths.${name}.` };
    }
    if (found === assumed) return undefined;
    if (!isAssumedMissing) {
      return { advice: `Run doctor again. If waiting for a task fails, set paths.${name}.` };
    }
    return pathOption(name, found, isTried ? pollsFirst : 'does not find its tasks');
  },

  /** `image-task` has found its task only where the client polls after another path. */
  triedPollPath: (found: string): Certain => pathOption('imageTask', found, pollsFirst),

  /** No poll path returns a task that `image-task` has paid for. */
  unknownPollPath: (): Needed => ({
    advice: 'Set paths.imageTask to the poll path that the operator of the service names.',
  }),

  /** The task of `image-task` has not ended in time. */
  waitTimeout: (): Needed => ({
    advice:
      'If all tasks take this long, raise waitTimeout. A status that the client does not know counts as running.',
  }),

  /** `replay` has sent an image over the default route. */
  imageRoute: (status: number | undefined): Needed | undefined =>
    status === 404 || status === 405
      ? { advice: "Pass { route: 'generations' } to the methods of gateway.images." }
      : undefined,

  /** `chat` has sent a chat with a reused key. */
  retryAmbiguousChat: ({ idempotentReplay }: ResponseMeta): Certain | undefined =>
    idempotentReplay
      ? {
          advice:
            'Unless it is set already, set retryAmbiguous.chat, so that the client recovers from lost responses. Ask the operator for a guarantee first.',
          option: { retryAmbiguous: { chat: true } },
        }
      : undefined,

  /** No free check shows whether voices are replayed. */
  retryAmbiguousVoices: (): Needed => ({
    advice: 'If your service guarantees it, set retryAmbiguous.voices.',
  }),

  /** `replay` has received another task for a reused key. */
  noRetries: {
    advice:
      'Report it to the operator: the specification guarantees idempotent replay. Until then, turn retries off.',
    option: { maxRetries: 0 },
  } satisfies Certain,
};

const pollsFirst = 'sends failing polls first';

function pathOption(name: FoundPath['name'], found: string, consequence: string): Certain {
  return {
    advice: `Set paths.${name}. Without it, the client ${consequence}.`,
    option: { paths: { [name]: found } },
  };
}

/**
 * The options that a diagnosis recommends, merged into one object:
 * `new Polygate({ ...yours, ...optionsOf(diagnosis) })`. If yours have `paths` or `retryAmbiguous`, merge them.
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
