import { TaskFailedError } from '../../errors/tasks.ts';
import type { TaskHandle } from '../../types/tasks/task-handle.ts';
import type { Generation } from '../../types/tasks/task.ts';
import { noReason } from '../http/error-body.ts';
import { sentence, singleLine } from '../http/json.ts';

/** What a program can do about a task that has failed. */
export const failedTaskAdvice =
  'Your balance shows whether it was refunded. To try again, use a new idempotency key.';

/** The error of a task that has failed, given its last record. */
export function taskFailedError(task: TaskHandle, generation: Generation): TaskFailedError {
  const { id, idempotencyKey } = task;
  const reason = sentence(singleLine(generation.error?.message ?? noReason));
  const message = `Task ${id} failed: ${reason} ${failedTaskAdvice}`;
  return new TaskFailedError(message, { task, idempotencyKey, generation });
}
