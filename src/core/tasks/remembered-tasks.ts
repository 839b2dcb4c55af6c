import type { TaskHandle } from '../../types/tasks/task-handle.ts';
import type { Generation } from '../../types/tasks/task.ts';

const tasks = new WeakMap<Generation, TaskHandle>();

/** Remembers the task of a generation that is returned, so that a download can poll with the headers of the submission. */
export function rememberTask(generation: Generation, task: TaskHandle): void {
  tasks.set(generation, task);
}

/** The task of a generation that this client has returned. */
export function taskOfResult(generation: Generation): TaskHandle | undefined {
  return tasks.get(generation);
}
