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
  ['error', /^((network|server|internal)?error|failed|failure)$/],
];

/** The words for a choice that has not finished. */
const unfinished = /^(null|none|undefined|unspecified|inprogress)?$/;

/**
 * The meaning of a finish reason, which services name in words of their own, such as `MAX_TOKENS` for `length`.
 * Undefined if it is unknown, or if there is none. Completions and chunks keep the raw value; what the client decides
 * uses this.
 */
export function finishMeaning(reason: unknown): FinishMeaning | undefined {
  if (typeof reason !== 'string') return undefined;
  const word = wordOf(reason);
  return meanings.find(([, pattern]) => pattern.test(word))?.[0];
}

/** Whether a finish reason means that the choice has finished, for a known reason or not. */
export function isFinished(reason: unknown): boolean {
  return typeof reason === 'string' ? !unfinished.test(wordOf(reason)) : Boolean(reason);
}

function wordOf(reason: string): string {
  const word = reason.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, '');
  return word.replace(/^finishreason/, '');
}
