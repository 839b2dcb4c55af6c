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
import { videoParamsProblem } from '../wire/types/media/videos.ts';
import type { VideoInput } from '../wire/types/media/videos.ts';
import type { SucceededGeneration } from '../wire/types/tasks/task.ts';
import { TaskNamespace } from './task-namespace.ts';

/** Selects the documented path for submit requests. */
export interface VideoRoute {
  /**
   * Path to send the request to, relative to `/v1/`.
   * @defaultValue `'videos'`
   */
  route?: 'videos' | 'video/generations' | 'videos/generations' | undefined;
}

/** Generates videos from text, images, videos and materials. */
export class Videos extends TaskNamespace<'video'> {
  readonly #scope: TaskScope<'video'>;

  /** @internal */
  constructor(context: ClientContext) {
    const scope: TaskScope<'video'> = {
      context,
      kind: 'video',
      read: readTask('video'),
      pollTemplates: pollPaths(endpoints.videoPolls, context.config.options.paths?.videoTask),
      optionRules: { route: oneOf(...Object.keys(endpoints.videos)) },
    };
    super(scope);
    this.#scope = scope;
  }

  /**
   * Submits a video task and returns its handle. Each call uses one idempotency key for all attempts, so retries never
   * charge twice.
   *
   * @throws {@link ConfigurationError} if the params violate a rule of the specification.
   * @throws {@link APIError} if the service rejects the request: 400, 401, 402, 403, 429, 503.
   * @throws {@link ConnectionError} if no complete response was received; `outcome` and `idempotencyKey` explain what
   * to do next.
   *
   * @example
   * ```ts
   * const task = await gateway.videos.submit({ model: 'tide-video', prompt: 'A wave', duration: 5 });
   * await store(JSON.stringify(task)); // any process can resume the task from this receipt
   * const { urls } = await task.wait();
   * ```
   */
  submit(
    params: VideoInput,
    options?: RequestOptions & VideoRoute,
  ): RequestPromise<SubmittedTask<'video'>> {
    return submitTask(this.#scope, () => describe(params, options), options);
  }

  /**
   * Describes a submission without sending it, for use with `gateway.batch`.
   *
   * @example
   * ```ts
   * const prompts = ['A wave', 'A storm'];
   * for await (const row of gateway.batch(prompts, (prompt) =>
   *   gateway.videos.submission({ model: 'tide-video', prompt }),
   * )) {
   *   console.log(row.status);
   * }
   * ```
   */
  submission(params: VideoInput, options?: RequestOptions & VideoRoute): Submission<'video'> {
    return new Submission(this.#scope, () => describe(params, options), options);
  }

  /**
   * Submits a video task and waits for the finished video.
   *
   * @throws the same errors as {@link Videos.submit} and {@link Task.wait}. Every error that occurs after the task was
   * submitted carries `task`.
   *
   * @example
   * ```ts
   * const { urls } = await gateway.videos.generate(
   *   { model: 'tide-video', prompt: 'A wave', duration: 5 },
   *   { onUpdate: ({ progress }) => console.log(progress) },
   * );
   * ```
   */
  generate(
    params: VideoInput,
    options?: GenerateOptions<'video'> & VideoRoute,
  ): RequestPromise<SucceededGeneration<'video'>> {
    return generate(this.#scope, () => describe(params, options), options);
  }
}

function describe(
  given: VideoInput,
  options: (RequestOptions & VideoRoute) | undefined,
): SubmitRequest {
  const endpoint = endpoints.videos[options?.route ?? 'videos'];
  return describeSubmit(endpoint, given, options, videoParamsProblem);
}
