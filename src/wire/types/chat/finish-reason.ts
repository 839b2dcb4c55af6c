/** The words for a choice that has not finished, in lower case and without punctuation. */
const unfinished = /^(null|none|undefined|unspecified|inprogress)?$/;

/** The words for a choice that the service has failed to finish. */
const failed = /^((network|server|internal)?error|failed|failure)$/;

/** Whether a finish reason is one of these words, which services spell in their own ways. */
function isReason(reason: unknown, words: RegExp): boolean {
  if (typeof reason !== 'string') return false;
  const word = reason.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, '');
  return words.test(word.replace(/^finishreason/, ''));
}

/** Whether a finish reason means that the choice has finished, for a known reason or not. */
export function isFinished(reason: unknown): boolean {
  return Boolean(reason) && !isReason(reason, unfinished);
}

/** Whether a finish reason means that the choice has finished, and not because the service failed. */
export function isSuccessful(reason: unknown): boolean {
  return isFinished(reason) && !isReason(reason, failed);
}

/** What a finish reason means: one of the documented values, or that the service failed. */
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
