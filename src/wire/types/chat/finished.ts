/** The words for a choice that has not finished, in lower case and without punctuation. */
const unfinished = /^(null|none|undefined|unspecified|inprogress)?$/;

/** The words for a choice that the service has failed to finish. */
export const failed = /^((network|server|internal)?error|failed|failure)$/;

/** Whether a finish reason is one of these words, which services spell in their own ways. */
export function isReason(reason: unknown, words: RegExp): boolean {
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
