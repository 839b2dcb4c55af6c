import { estimate } from '../core/limits/estimate.ts';
import { checkParams } from '../core/call/params.ts';
import type { RequestPromise } from '../core/call/request-promise.ts';
import type { RequestOptions } from '../core/call/request-options.ts';
import { checkValue, oneOf } from '../core/config/validation.ts';
import type { ClientContext } from '../core/call/context.ts';
import { Submission } from '../core/tasks/submission.ts';
import type { SubmittedTask, TaskScope } from '../core/tasks/task.ts';
import { generate, submitTask } from '../core/tasks/submit.ts';
import type { GenerateOptions, SubmitRequest } from '../core/tasks/submit.ts';
import type { ImageParams } from '../schemas/images.ts';
import type { Generation } from '../schemas/task.ts';
import { TaskNamespace } from './task-namespace.ts';

/** Which of the two documented paths a submit posts to. */
export interface ImageRoute {
  /**
   * `tasks` is POST /v1/images/tasks, `generations` is POST /v1/images/generations.
   * @defaultValue `'tasks'`
   */
  route?: 'tasks' | 'generations' | undefined;
}

/** Draws images. Specification: Image generation. */
export class Images extends TaskNamespace<'image'> {
  readonly #scope: TaskScope<'image'>;

  /** @internal */
  constructor(context: ClientContext) {
    const { imageTaskPath } = context.config;
    const scope: TaskScope<'image'> = {
      context,
      kind: 'image',
      pollPaths: [imageTaskPath, '/v1/images/generations/{id}'],
    };
    super(scope);
    this.#scope = scope;
  }

  /**
   * Submits an image task and gives back its handle. One idempotency key a call: however often it is sent, it is paid
   * once.
   *
   * @throws {@link ConfigurationError} when the params break a rule of the specification.
   * @throws {@link APIError} when the service refuses: 400, 401, 402, 403, 429, 503.
   * @throws {@link ConnectionError} when no answer came; `outcome` and `idempotencyKey` say how to go on.
   */
  submit(
    params: ImageParams,
    options: RequestOptions & ImageRoute = {},
  ): RequestPromise<SubmittedTask<'image'>> {
    return submitTask(this.#scope, describe(params, options), options);
  }

  /**
   * Describes a submit without sending it, for `gateway.batch`.
   */
  submission(params: ImageParams, options: RequestOptions & ImageRoute = {}): Submission<'image'> {
    return new Submission(this.#scope, describe(params, options), options);
  }

  /**
   * Submits an image task and waits for the finished images.
   *
   * @throws as {@link Images.submit}, and as {@link Task.wait}; every error after the submit carries `task`.
   */
  generate(
    params: ImageParams,
    options: GenerateOptions<'image'> & ImageRoute = {},
  ): RequestPromise<Generation<'image'>> {
    return generate(this.#scope, describe(params, options), options);
  }
}

function describe(params: ImageParams, { route = 'tasks' }: ImageRoute): SubmitRequest {
  return {
    template: `/v1/images/${route}`,
    params,
    check: () => {
      checkValue('route', route, oneOf('tasks', 'generations'));
      checkParams(params);
    },
    estimateUsd: (prices) => {
      const { size, resolution, num_images, n } = params;
      // Which class a size in pixels belongs to, the service alone knows.
      const known = resolution !== undefined || size === undefined;
      return known
        ? estimate.image(prices, { resolution, count: num_images ?? n ?? 1 })
        : undefined;
    },
  };
}
