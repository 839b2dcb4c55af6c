import { createError } from '../../errors/message.ts';
import { TaskFailedError } from '../../errors/tasks.ts';
import type { TaskHandle } from '../../wire/types/tasks/task-handle.ts';
import type { Generation } from '../../wire/types/tasks/task.ts';
import { noReason } from '../http/failure.ts';
import { sentence, singleLine } from '../http/json.ts';

/** The error of a task that has failed, given its last record. */
export function taskFailedError(task: TaskHandle, generation: Generation): TaskFailedError {
  const { id, idempotencyKey } = task;
  const reason = sentence(singleLine(generation.error?.message ?? noReason));
  const summary = `Task ${id} failed: ${reason}`;
  const programAdvice =
    'Your balance shows whether it was refunded. To try again, use a new idempotency key.';
  const details = { task, idempotencyKey, generation };
  return createError(TaskFailedError, { summary, programAdvice }, details);
}
