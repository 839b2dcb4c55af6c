import { canRetry } from '../../../shared/problem.ts';
import type { Problem } from '../../../shared/problem.ts';

/** The button of a failed job. */
interface NextStep {
  label: string;
  /** What the button does to the wallet. */
  hint: string;
}

/**
 * What the user can do about a failed job. Undefined if the same request would fail again, and if the task itself failed:
 * its key gets the same failed task.
 */
export function nextStep(
  problem: Problem,
  isInterrupted: boolean,
  hasTask: boolean,
): NextStep | undefined {
  if (!isInterrupted || !canRetry(problem)) return undefined;
  if (hasTask) {
    return {
      label: 'Resume',
      hint: 'The task was accepted: waiting for its result costs nothing.',
    };
  }
  return {
    label: 'Try again',
    hint: 'Trying again uses the same idempotency key, so it is charged at most once.',
  };
}
