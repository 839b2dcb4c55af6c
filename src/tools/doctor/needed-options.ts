/**
 * Which options the client needs for a service. Checks find out facts, and pass them to `needed`, which decides for
 * every option whether a diagnosis recommends it, and whether the rest of the diagnosis uses it.
 */
import { ConfigurationError, PermissionDeniedError, TaskWaitTimeoutError } from 'polygate';
import type { PolygateOptions, ResponseMeta } from 'polygate';

import { codeIs } from '../../wire/codes.ts';
import { endpoints } from '../../wire/endpoints/index.ts';
import { isMissing, statusOf } from './run/failure.ts';

/** What to set, and why. */
export interface Needed {
  readonly advice: string;
  /** The option with its value; undefined if the diagnosis does not know the value, or is not certain. */
  readonly option?: PolygateOptions | undefined;
  /**
   * Whether the rest of the diagnosis uses the option. It does if later checks would otherwise misread responses, or
   * poll a path that does not exist. It does not use a header that only returns request ids, or another base URL, where
   * the API key may not belong. Options for retries make no difference: the diagnosis sends each paid request once.
   */
  readonly isAdopted?: boolean;
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
    const isDisabled = PermissionDeniedError.is(error) && codeIs(error.code, 'api-key');
    if (statusOf(error) !== 401 && !isDisabled) return undefined;
    return {
      advice:
        'Check that the key belongs to this service, is complete, and is enabled and not expired.',
    };
  },

  /** `reachable` has searched for the gateway at other addresses, because it is not at the base URL. */
  baseURL: (found: string | undefined): Certain | undefined =>
    found === undefined ? undefined : setBaseURL(found),

  /** `reachable` was redirected: only to the same host is it certainly the same service. */
  baseURLOfRedirect(baseURL: string, target: URL | undefined): Needed {
    const isSameHost =
      target?.hostname === new URL(baseURL).hostname && target.protocol === 'https:';
    const { path } = endpoints.public.status;
    if (!isSameHost || !target.pathname.endsWith(path)) {
      return {
        advice:
          'On a public network, sign in to it first. Otherwise, set baseURL to the address of the API, if you trust it.',
      };
    }
    return setBaseURL(target.origin + target.pathname.slice(0, -path.length));
  },

  /** Responses have documented headers with a prefix that the client does not read. */
  headerPrefix({ isRead, prefix }: VendorHeaders): Certain | undefined {
    if (isRead || prefix === undefined) return undefined;
    const advice = 'Set headerPrefix. Without it, spend and budget count nothing.';
    return { advice, option: { headerPrefix: prefix }, isAdopted: true };
  },

  /** Another header accepts the ids of the caller, or is the only one that returns an id. */
  requestIdHeader({
    isRead,
    hasId,
    accepted,
    returned,
  }: {
    /** Whether the client reads the id that it has sent. */
    readonly isRead: boolean;
    /** Whether the client reads any id. */
    readonly hasId: boolean;
    /** The header in which the service accepts an id of the caller; undefined if none is known. */
    readonly accepted: string | undefined;
    /** A header that returns an id; undefined if none is known. */
    readonly returned: string | undefined;
  }): Certain | undefined {
    if (isRead) return undefined;
    const requestIdHeader = accepted ?? (hasId ? undefined : returned);
    if (requestIdHeader === undefined) return undefined;
    const isAdopted = accepted !== undefined;
    const purpose = isAdopted
      ? 'your request ids reach the logs of the service'
      : 'errors contain the id that support needs';
    const advice = `Set requestIdHeader, so that ${purpose}.`;
    return { advice, option: { requestIdHeader }, isAdopted };
  },

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

  /** `image-task` has polled its task, first at `assumed`, and found it. */
  triedPollPath: ({ assumed, found }: Record<'assumed' | 'found', string>): Certain | undefined =>
    found === assumed ? undefined : pathOption('imageTask', found, pollsFirst),

  /** The submit of `image-task` has named the path of its task, and no other one returns it. */
  namedPollPath: (template: string | undefined): Needed =>
    template === undefined
      ? {
          advice:
            'Ask the operator for a poll path that contains the task id, and set paths.imageTask to it.',
        }
      : pathOption('imageTask', template, 'does not find a task by its receipt'),

  /** Waiting for a task that `image-task` has submitted has failed: with these statuses, polls do not find it. */
  unknownPollPath: (error: unknown): Needed | undefined =>
    isMissing(statusOf(error))
      ? { advice: 'Set paths.imageTask to the poll path that the operator of the service names.' }
      : undefined,

  /** Waiting for the task of `image-task` has failed. */
  waitTimeout: (error: unknown): Needed | undefined =>
    TaskWaitTimeoutError.is(error)
      ? {
          advice:
            'If all tasks take this long, raise waitTimeout. A status that the client does not know counts as running.',
        }
      : undefined,

  /** `replay` has sent an image over the default route. */
  imageRoute: (status: number | undefined): Needed | undefined =>
    isMissing(status)
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

  /** Always open: no free check shows whether voices are replayed. */
  retryAmbiguousVoices: (): Needed => ({
    advice: 'If your service guarantees it, set retryAmbiguous.voices.',
  }),

  /** `replay` has received a task for a reused key. */
  noRetries: ({ isSame }: { readonly isSame: boolean }): Certain | undefined =>
    isSame
      ? undefined
      : {
          advice:
            'Report it to the operator: the specification guarantees idempotent replay. Until then, turn retries off.',
          option: { maxRetries: 0 },
        },
};

const setBaseURL = (baseURL: string): Certain => ({ advice: 'Set baseURL.', option: { baseURL } });

const pollsFirst = 'sends failing polls first';

function pathOption(name: FoundPath['name'], found: string, consequence: string): Certain {
  return {
    advice: `Set paths.${name}. Without it, the client ${consequence}.`,
    option: { paths: { [name]: found } },
    isAdopted: true,
  };
}

/** The documented headers that start with the vendor prefix. */
const vendorHeader =
  /^(.+-)(charge-usd|wallet|balance-usd|balance-cny|readiness-score|readiness-status|concurrency-(?:limit|remaining|source)|task-id|idempotent-replay)$/;

/** Headers whose names are too specific to appear in an unrelated service. */
const distinctive = /^(charge-usd|balance-usd|readiness-score|concurrency-limit)$/;

/** What responses show about the documented headers. */
interface VendorHeaders {
  /** Whether the client has read any of them. */
  readonly isRead: boolean;
  /** The prefix with which responses send them; undefined if they send none. */
  readonly prefix: string | undefined;
}

/** Looks for the documented headers in responses. */
export const vendorHeadersOf = (metas: readonly ResponseMeta[]): VendorHeaders => ({
  isRead: metas.some(
    ({ chargeUsd, wallet, balanceUsd, readiness, concurrency, taskId }) =>
      (chargeUsd ?? wallet ?? balanceUsd ?? readiness ?? concurrency.limit ?? taskId) !== undefined,
  ),
  prefix: findPrefix(metas),
});

function findPrefix(metas: readonly ResponseMeta[]): string | undefined {
  const suffixes = new Map<string, Set<string>>();
  for (const { headers } of metas) {
    headers.forEach((_, name) => {
      const [, prefix, suffix] = vendorHeader.exec(name) ?? [];
      if (prefix === undefined || suffix === undefined) return;
      suffixes.set(prefix, (suffixes.get(prefix) ?? new Set()).add(suffix));
    });
  }
  const [best] = [...suffixes]
    .filter(([, found]) => found.size > 1 || [...found].some((name) => distinctive.test(name)))
    .toSorted(([, one], [, other]) => other.size - one.size);
  return best?.[0];
}
