import { RequestPromise } from '../core/call/request-promise.ts';
import type { RequestOptions } from '../core/call/request-options.ts';
import { Submission } from '../core/tasks/submission.ts';
import { Task, openTask } from '../core/tasks/task.ts';
import type { TaskScope } from '../core/tasks/task.ts';
import type { TaskUpdate, WaitOptions } from '../schemas/task-handle.ts';
import type { Generation, Receipt, TaskKind } from '../schemas/task.ts';

/** What images, videos and audio have in common: tasks that were submitted before. */
export class TaskNamespace<Kind extends TaskKind> {
  // Private at run time as well: from here the way leads to the API key.
  readonly #scope: TaskScope<Kind>;

  /** @internal */
  constructor(scope: TaskScope<Kind>) {
    this.#scope = scope;
  }

  /**
   * Asks for a task once. Specification: GET /images/tasks/\{taskId\}, GET /audio/tasks/\{task_id\}; for videos
   * assumption A1.
   *
   * @throws {@link NotFoundError} when there is no such task, or it is somebody else's.
   */
  retrieve(id: string, options?: RequestOptions): RequestPromise<Generation<Kind>> {
    return new RequestPromise({
      parsed: async () => this.task(id).pollOnce(options),
      raw: async () => this.task(id).pollRaw(options),
    });
  }

  /**
   * Waits for a task, given as a handle, an id or a receipt.
   *
   * @throws as {@link Task.wait}.
   */
  async wait(
    task: string | Receipt<Kind> | Task<Kind>,
    options?: WaitOptions<TaskUpdate<Kind>>,
  ): Promise<Generation<Kind>> {
    return (task instanceof Task ? task : this.task(task)).wait(options);
  }

  /** @internal A submission as a journal has kept it: it was checked when it was written. */
  restore(template: string, params: { model: string }): Submission<Kind> {
    const skip = () => undefined;
    return new Submission(this.#scope, { template, params, check: skip, estimateUsd: skip });
  }

  /**
   * The handle of a task that was submitted before, by its id or its receipt; nothing is sent.
   *
   * @throws {@link ConfigurationError} when the id or the receipt cannot be right.
   */
  task(idOrReceipt: string | Receipt<Kind>): Task<Kind> {
    return openTask(this.#scope, idOrReceipt);
  }
}
