import { vi } from 'vitest';

/**
 * Waits until an assertion passes, and returns what it returns. The limit is generous because a busy machine can take ten
 * times as long as a quiet one; it is below the limit of a test, so that the test fails with the error of the assertion.
 */
export function eventually<Result>(
  assertion: () => Result | Promise<Result>,
  timeout = 50_000,
): Promise<Result> {
  return vi.waitFor(assertion, { timeout, interval: 5 });
}
