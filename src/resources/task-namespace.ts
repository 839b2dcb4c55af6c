import type { RequestOptions } from '../client/call/request-options.ts';
import type { RequestPromise } from '../client/call/request.ts';
import { Submission } from '../client/tasks/submission.ts';
import { describeChecked } from '../client/tasks/submit.ts';
import type { TaskDetails, TaskScope } from '../client/tasks/task-scope.ts';
import { openTask, Task } from '../client/tasks/task.ts';
import { ConfigurationError } from '../errors/base.ts';
import { isSubmit, findEndpoint } from '../wire/endpoints/index.ts';
import type { TaskUpdate, WaitOptions } from '../wire/types/tasks/task-handle.ts';
import type {
  Generation,
  Receipt,
  SucceededGeneration,
  TaskKind,
} from '../wire/types/tasks/task.ts';

/** Methods for submitted tasks, common to images, videos and audio. */
export class TaskNamespace<Kind extends TaskKind> {
  /** What its tasks generate. The tasks of music and speech have one kind, but are different media. */
  readonly media: TaskKind | 'music' | 'speech';
  // Private at run time as well, because the API key is reachable through it.
  readonly #scope: TaskScope<Kind>;

  /** @internal */
  constructor(scope: TaskScope<Kind>, media: TaskKind | 'music' | 'speech' = scope.kind) {
    this.media = media;
    this.#scope = scope;
  }

  /** @internal A mark for Vue, whose proxies cannot read private members. */
  get __v_skip(): true {
    return true;
  }

  /**
   * Polls a task once.
   *
   * @throws {@link NotFoundError} if the task does not exist or belongs to another user.
   */
  retrieve(id: string, options?: RequestOptions): RequestPromise<Generation<Kind>> {
    // Not `this.task(id)`, which throws if the id is invalid: the promise has to reject.
    return new Task(this.#scope, { id }).retrieve(options);
  }

  /**
   * Waits until a task has succeeded. Accepts a handle, an id or a receipt.
   *
   * @throws the same errors as {@link Task.wait}.
   *
   * @example
   * ```ts
   * const { urls } = await gateway.videos.wait('task_1', { waitTimeout: 600_000 });
   * ```
   */
  wait(
    task: string | Receipt<Kind> | Task<Kind>,
    options?: WaitOptions<TaskUpdate<Kind>>,
  ): Promise<SucceededGeneration<Kind>> {
    // Not async: every waiting task would keep one more promise.
    try {
      return (task instanceof Task ? task : this.task(task)).wait(options);
    } catch (error) {
      return Promise.reject(error);
    }
  }

  /** @internal Recreates a submission from a journal, without checking its params again. */
  restore(path: string, params: { model: string }, fallback?: readonly string[]): Submission<Kind> {
    const endpoint = findEndpoint('POST', path);
    if (!isSubmit(endpoint))
      throw new ConfigurationError(`path: no tasks are submitted to ${path}.`);
    return new Submission(this.#scope, () => describeChecked(endpoint, params), { fallback });
  }

  /** @internal The handle of a task that a response named. Its id can be any text. */
  submitted(details: TaskDetails): Task<Kind> {
    return new Task(this.#scope, details);
  }

  /**
   * Returns the handle of a task from its id or receipt. Sends no request.
   *
   * @throws {@link ConfigurationError} if the id or the receipt is invalid.
   */
  task(idOrReceipt: string | Receipt<Kind>): Task<Kind> {
    return openTask(this.#scope, idOrReceipt);
  }
}
