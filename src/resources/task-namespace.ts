import type { RequestPromise } from '../core/call/request-promise.ts';
import type { RequestOptions } from '../core/call/api-call.ts';
import type { Submission } from '../core/tasks/submission.ts';
import type { Task } from '../core/tasks/task.ts';
import type { TaskClient } from '../core/tasks/task-client.ts';
import type { TaskUpdate, WaitOptions } from '../schemas/task-handle.ts';
import type { Generation, Receipt, TaskKind } from '../schemas/task.ts';

/** What images, videos and audio have in common: tasks that were submitted before. */
export class TaskNamespace<Kind extends TaskKind> {
  // Private at run time as well: from here the way leads to the API key.
  readonly #tasks: TaskClient<Kind>;

  /** @internal */
  constructor(tasks: TaskClient<Kind>) {
    this.#tasks = tasks;
  }

  /**
   * Asks for a task once. Specification: GET /images/tasks/\{taskId\}, GET /audio/tasks/\{task_id\}; for videos
   * assumption A1.
   *
   * @throws {@link NotFoundError} when there is no such task, or it is somebody else's.
   */
  retrieve(id: string, options?: RequestOptions): RequestPromise<Generation<Kind>> {
    return this.#tasks.retrieve(id, options);
  }

  /**
   * Waits for a task, given as a handle, an id or a receipt.
   *
   * @throws as {@link Task.wait}.
   */
  wait(
    task: string | Receipt<Kind> | Task<Kind>,
    options?: WaitOptions<TaskUpdate<Kind>>,
  ): Promise<Generation<Kind>> {
    return this.#tasks.wait(task, options);
  }

  /** @internal A submission as a journal has kept it: it was checked when it was written. */
  restore(template: string, params: { model: string }): Submission<Kind> {
    const unknown = () => undefined;
    return this.#tasks.submission({ template, params, check: unknown, quote: unknown });
  }

  /**
   * The handle of a task that was submitted before, by its id or its receipt; nothing is sent.
   *
   * @throws {@link ConfigurationError} when the id or the receipt cannot be right.
   */
  task(idOrReceipt: string | Receipt<Kind>): Task<Kind> {
    return this.#tasks.task(idOrReceipt);
  }
}
