/** `!` to `~`: every visible ASCII character, and no space. */
const visibleAscii = /^[!-~]{1,200}$/;

/** What an idempotency key must be. */
export const idempotencyKeyFormat = '1 to 200 visible ASCII characters without spaces';

/**
 * What is wrong with an idempotency key, or undefined. The specification gives the rule for
 * materials; generation keys are held to it as well. The message never quotes the key.
 * Specification: Limits.
 */
export function idempotencyKeyProblem(key: unknown): string | undefined {
  if (typeof key === 'string' && visibleAscii.test(key)) return undefined;
  return `idempotencyKey: must be ${idempotencyKeyFormat}`;
}
