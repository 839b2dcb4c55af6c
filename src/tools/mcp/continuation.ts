import {
  AbortedError,
  APIError,
  BudgetExceededError,
  ConfigurationError,
  PaymentRequiredError,
} from 'polygate';

import { UsageError } from '../cli/arguments.ts';

/** How to continue while only the key of a task is known. */
export const repeatCall = 'repeat this call with the same arguments';

/** How to continue with a task. An id that cannot be printed cannot be passed to a tool. */
export function continueTask(id: string, clean: (text: string) => string): string {
  return id !== '' && clean(id) === id ? `call get_task with task_id ${id}` : repeatCall;
}

/** How to continue after an error for which nothing else is known. */
export function continueAfter(error: unknown): string {
  if (BudgetExceededError.is(error)) {
    return 'choose something cheaper, or have the user start the server with higher limits';
  }
  if (PaymentRequiredError.is(error)) {
    return `have the user top up the balance or the quota of the API key, then ${repeatCall}`;
  }
  if (error instanceof UsageError) return `have the user correct this, then ${repeatCall}`;
  if (ConfigurationError.is(error)) return 'correct the arguments, and call the tool again';
  if (APIError.is(error) && !AbortedError.is(error)) {
    const { status } = error;
    if (status === 401 || status === 403) {
      return `have the user check the API key and what it may use, then ${repeatCall}`;
    }
    if ([400, 404, 413, 422].includes(status)) {
      return 'correct the arguments, and call the tool again';
    }
  }
  return repeatCall;
}
