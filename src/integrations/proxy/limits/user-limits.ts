import { ConfigurationError } from '../../../errors/base.ts';
import {
  checkOptions,
  nonNegativeInteger,
  nonNegativeNumber,
  oneOf,
  positiveInteger,
} from '../../../internal/validation.ts';
import type { Rule } from '../../../internal/validation.ts';
import type { StoredLimits } from '../store/store.ts';

/** The length of a window: one of these names, or a number of ms, at most ten years of 365 days. */
export type LimitWindow = '1h' | '1d' | '30d' | 'forever' | number;

/** What a user may spend and send. A limit that is not set does not apply. */
export interface UserLimits {
  /**
   * The most that the user's requests may cost in a window, in USD. Before a paid request is forwarded, its estimated
   * price is reserved.
   */
  usd?: number | undefined;
  /**
   * The length of a window. Windows are fixed: each one begins at a multiple of its length since 1970, in UTC. So `'1d'`
   * begins at midnight, and `'30d'` on any day of a month. With `'forever'`, a limit applies to all requests of a user,
   * and a custom number of ms is at most ten years. If a user's requests have windows of different lengths, each length
   * is counted separately.
   *
   * @defaultValue '1d'
   */
  window?: LimitWindow | undefined;
  /** The most POSTs in a window, including replays, but not those that were refused. */
  requests?: number | undefined;
  /** The most POSTs in flight. A stream is in flight until it ends or its page leaves. */
  concurrent?: number | undefined;
  /**
   * What is reserved for a chat, whose price is known only afterwards, in USD. A chat that costs more can exceed `usd`
   * by the difference.
   *
   * @defaultValue 0.05
   */
  chatUsd?: number | undefined;
  /**
   * Whether tasks without a listed price are refused with a 403 while `usd` is set, or reserve `chatUsd`.
   *
   * @defaultValue the option `unpriced` of the proxy
   */
  unpriced?: 'refuse' | 'allow' | undefined;
}

/** The limits of one request, with their defaults. */
export interface ResolvedLimits extends StoredLimits {
  readonly chatUsd: number;
  readonly allowsUnpriced: boolean;
}

const windowsMs: Readonly<Record<string, number>> = {
  '1h': 3_600_000,
  '1d': 86_400_000,
  '30d': 2_592_000_000,
  // The latest time of a date, so that the end of the window is one.
  forever: 8_640_000_000_000_000,
};

/** The length of a window that is not set, in ms. */
export const defaultWindowMs = 86_400_000;

/** The highest number of ms. Longer windows are probably meant to have no end. */
const maxWindowMs = 315_360_000_000;

/** Whether a window never ends. */
export const isEndless = (windowMs: number | undefined) => windowMs === windowsMs.forever;

export const unpricedRule: Rule = oneOf('refuse', 'allow');

const rules: { readonly [Name in keyof Required<UserLimits>]: Rule } = {
  usd: finite(nonNegativeNumber),
  window: [
    (value) => windowOf(value) !== undefined,
    `'1h', '1d', '30d', 'forever', or a positive integer number of milliseconds up to ${maxWindowMs} (ten years)`,
  ],
  requests: nonNegativeInteger,
  concurrent: positiveInteger,
  chatUsd: [
    (value) => typeof value === 'number' && value > 0 && value < Infinity,
    'a number of USD above 0',
  ],
  unpriced: unpricedRule,
};

/**
 * Checks limits and adds their defaults.
 *
 * @throws `ConfigurationError` that names the limit.
 */
export function resolveLimits(limits: UserLimits, unpriced: 'refuse' | 'allow'): ResolvedLimits {
  try {
    checkOptions(limits, rules);
  } catch (error) {
    if (error instanceof ConfigurationError) {
      throw new ConfigurationError(`limits.${error.message}`);
    }
    throw error;
  }
  const { usd, requests, concurrent, chatUsd = 0.05, window } = limits;
  const allowsUnpriced = (limits.unpriced ?? unpriced) === 'allow';
  return {
    usd,
    requests,
    concurrent,
    chatUsd,
    allowsUnpriced,
    windowMs: windowOf(window ?? '1d') ?? NaN,
  };
}

function windowOf(window: unknown): number | undefined {
  if (typeof window === 'string') {
    return Object.hasOwn(windowsMs, window) ? windowsMs[window] : undefined;
  }
  const isLength = typeof window === 'number' && Number.isInteger(window) && window > 0;
  return isLength && window <= maxWindowMs ? window : undefined;
}

function finite([isValid, description]: Rule): Rule {
  return [(value, name) => isValid(value, name) && value !== Infinity, description];
}
