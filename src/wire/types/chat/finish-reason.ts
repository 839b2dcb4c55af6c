import { failed, isReason } from './finished.ts';

/** @hidden What a finish reason means: one of the documented values, or that the service failed. */
export type FinishMeaning = 'stop' | 'length' | 'tool_calls' | 'content_filter' | 'error';

/** The words for each meaning, in lower case and without punctuation. */
const meanings: readonly (readonly [FinishMeaning, RegExp])[] = [
  ['stop', /^(stop|stopsequence|eos|eostoken|end|endturn|completed?|finished)$/],
  [
    'length',
    /^(length|(max|maximum)(output|completion|new)?(tokens?|length)|(token|error)limit|modellength|(model)?context(window|length)exceeded)$/,
  ],
  ['tool_calls', /^(tool|function)(calls?|use)$/],
  [
    'content_filter',
    /^(content(filter|filtered|filtering|policy)|(image)?(safety|recitation|prohibitedcontent)|blocked|blocklist|spii|sensitive|guardrailintervened|refusal|errortoxic)$/,
  ],
  ['error', failed],
];

/**
 * The meaning of a finish reason, which services name in words of their own, such as `MAX_TOKENS` for `length`.
 * Undefined if it is unknown, or if there is none. Completions and chunks keep the raw value; what the client decides
 * uses this.
 */
export function finishMeaning(reason: unknown): FinishMeaning | undefined {
  return meanings.find(([, words]) => isReason(reason, words))?.[0];
}
