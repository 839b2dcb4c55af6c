import type { ClientContext } from '../client/call/context.ts';
import type { RequestOptions } from '../client/call/request-options.ts';
import type { RequestPromise } from '../client/call/request.ts';
import { oneOf } from '../client/config/validation.ts';
import { Submission } from '../client/tasks/submission.ts';
import { generate, describeSubmit, submitTask } from '../client/tasks/submit.ts';
import type { GenerateOptions, SubmitRequest } from '../client/tasks/submit.ts';
import type { TaskScope } from '../client/tasks/task-scope.ts';
import type { SubmittedTask } from '../client/tasks/task.ts';
import { readTask } from '../client/tasks/wait.ts';
import { endpoints, pollPaths } from '../wire/endpoints/index.ts';
import type { ImageInput } from '../wire/types/media/images.ts';
import type { SucceededGeneration } from '../wire/types/tasks/task.ts';
import { TaskNamespace } from './task-namespace.ts';

/** Selects the documented path for submit requests. */
export interface ImageRoute {
  /**
   * `tasks` sends the request to POST /v1/images/tasks, `generations` to POST /v1/images/generations.
   * @defaultValue `'tasks'`
   */
  route?: 'tasks' | 'generations' | undefined;
}

/** Generates and edits images. */
export class Images extends TaskNamespace<'image'> {
  readonly #scope: TaskScope<'image'>;

  /** @internal */
  constructor(context: ClientContext) {
    const scope: TaskScope<'image'> = {
      context,
      kind: 'image',
      read: readTask('image'),
      pollTemplates: pollPaths(endpoints.imagePolls, context.config.options.paths?.imageTask),
      optionRules: { route: oneOf(...Object.keys(endpoints.images)) },
    };
    super(scope);
    this.#scope = scope;
  }

  /**
   * Submits an image task and returns its handle. Each call uses one idempotency key for all attempts, so retries never
   * charge twice.
   *
   * @throws {@link ConfigurationError} if the params violate a rule of the specification.
   * @throws {@link APIError} if the service rejects the request: 400, 401, 402, 403, 429, 503.
   * @throws {@link ConnectionError} if no complete response was received; `outcome` and `idempotencyKey` explain what
   * to do next.
   *
   * @example
   * ```ts
   * const task = await gateway.images.submit({ model: 'prism-image', prompt: 'A harbor' });
   * await store(JSON.stringify(task)); // any process can resume the task from this receipt
   * const { urls } = await task.wait();
   * ```
   */
  submit(
    params: ImageInput,
    options?: RequestOptions & ImageRoute,
  ): RequestPromise<SubmittedTask<'image'>> {
    return submitTask(this.#scope, () => describe(params, options), options);
  }

  /**
   * Describes a submission without sending it, for use with `gateway.batch`.
   *
   * @example
   * ```ts
   * const prompts = ['A harbor', 'A lighthouse'];
   * for await (const row of gateway.batch(prompts, (prompt) =>
   *   gateway.images.submission({ model: 'prism-image', prompt }),
   * )) {
   *   console.log(row.status);
   * }
   * ```
   */
  submission(params: ImageInput, options?: RequestOptions & ImageRoute): Submission<'image'> {
    return new Submission(this.#scope, () => describe(params, options), options);
  }

  /**
   * Submits an image task and waits for the finished images.
   *
   * @throws the same errors as {@link Images.submit} and {@link Task.wait}. Every error that occurs after the task was
   * submitted carries `task`.
   *
   * @example
   * ```ts
   * const { urls } = await gateway.images.generate({ model: 'prism-image', prompt: 'A harbor' });
   * console.log(urls[0]);
   * ```
   */
  generate(
    params: ImageInput,
    options?: GenerateOptions<'image'> & ImageRoute,
  ): RequestPromise<SucceededGeneration<'image'>> {
    return generate(this.#scope, () => describe(params, options), options);
  }
}

function describe(
  given: ImageInput,
  options: (RequestOptions & ImageRoute) | undefined,
): SubmitRequest {
  return describeSubmit(endpoints.images[options?.route ?? 'tasks'], given, options);
}
