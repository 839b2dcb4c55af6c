import type { TaskHandle } from '../../wire/types/tasks/task-handle.ts';
import type { Generation } from '../../wire/types/tasks/task.ts';

const tasks = new WeakMap<Generation, TaskHandle>();

/** Remembers the task of a record, so that a download of its results can poll with the headers of the submission. */
export function rememberTask(generation: Generation, task: TaskHandle): void {
  tasks.set(generation, task);
}

/** The task of a record, or of its copy in an update; undefined if this process did not receive it. */
export function rememberedTask(generation: Generation): TaskHandle | undefined {
  return tasks.get(generation);
}
