import type { TaskStatus } from './task.ts';

/** The known status words. */
const statusWords: readonly (readonly [TaskStatus, RegExp])[] = [
  ['queued', /^(submitted|queued|pending|not_start)$/i],
  ['running', /^(in_progress|processing|running)$/i],
  ['succeeded', /^(success|succeeded|succeed|completed?|done|finished)$/i],
  ['failed', /^(fail|failed|failure|error|cancell?ed|expired|rejected|aborted)$/i],
];

/** The status that a word of the service stands for; undefined for an unknown word, which counts as `running`. */
export function taskStatusOf(word: string): TaskStatus | undefined {
  return statusWords.find(([, words]) => words.test(word))?.[0];
}
