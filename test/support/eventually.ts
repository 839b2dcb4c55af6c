import { vi } from 'vitest';

/**
 * Waits until an assertion passes. The limit is generous because a busy machine can take ten times as long as a quiet
 * one; it is below the limit of a test, so that the test fails with the error of the assertion.
 */
export function eventually(assertion: () => void): Promise<void> {
  return vi.waitFor(assertion, { timeout: 50_000, interval: 5 });
}
