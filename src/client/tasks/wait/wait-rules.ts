import { pollHeaderRules } from '../../call/request-options.ts';
import { functionValue, nonNegativeMs, signalRule } from '../../config/validation.ts';
import type { Rules } from '../../config/validation.ts';

/** The rules of the options of a wait without a callback. */
export const waitRules = {
  ...pollHeaderRules,
  signal: signalRule,
  pollInterval: nonNegativeMs,
  maxPollInterval: nonNegativeMs,
  waitTimeout: nonNegativeMs,
} satisfies Rules;

/** The rules of the options of a wait with `onUpdate`. */
export const waitCallbackRules = { ...waitRules, onUpdate: functionValue } satisfies Rules;
