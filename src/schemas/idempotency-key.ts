/** `!` to `~` covers all visible ASCII characters and excludes the space. */
const visibleAscii = /^[!-~]{1,200}$/;

/** The required format, as used in error messages. */
export const idempotencyKeyFormat = '1 to 200 visible ASCII characters without spaces';

/**
 * Checks an idempotency key and returns the problem, or undefined. The specification states the rule for materials; the
 * client applies it to generation keys as well. The message never quotes the key. Specification: Limits.
 */
export function idempotencyKeyProblem(key: unknown): string | undefined {
  if (typeof key === 'string' && visibleAscii.test(key)) return undefined;
  return `idempotencyKey: must be ${idempotencyKeyFormat}`;
}
