import type { ClientContext } from '../core/call/context.ts';
import type { RequestOptions } from '../core/call/request-options.ts';
import type { RequestPromise } from '../core/call/request-promise.ts';
import { readJson } from '../core/call/response.ts';
import { oneOf } from '../core/config/validation.ts';
import { requestPrice } from '../core/limits/request-price.ts';
import { readGeneration } from '../core/tasks/generation.ts';
import { Submission } from '../core/tasks/submission.ts';
import { describeSubmit, generate, submitTask } from '../core/tasks/submit.ts';
import type { GenerateOptions, SubmitRequest } from '../core/tasks/submit.ts';
import type { SubmittedTask, TaskScope } from '../core/tasks/task.ts';
import type { SucceededGeneration } from '../schemas/task.ts';
import { videoParamsProblem } from '../schemas/videos.ts';
import type { VideoContentParams, VideoParams } from '../schemas/videos.ts';
import { TaskNamespace } from './task-namespace.ts';

/** The documented paths for submit requests, relative to `/v1/`. */
const routes = ['videos', 'video/generations', 'videos/generations'] as const;

/** Selects the documented path for submit requests. */
export interface VideoRoute {
  /**
   * Path to send the request to, relative to `/v1/`.
   * @defaultValue `'videos'`
   */
  route?: (typeof routes)[number] | undefined;
}

/** Video generation. Specification: Video generation. */
export class Videos extends TaskNamespace<'video'> {
  readonly #scope: TaskScope<'video'>;

  /** @internal */
  constructor(context: ClientContext) {
    const { videoTask = '/v1/videos/{id}' } = context.config.options.paths ?? {};
    const scope: TaskScope<'video'> = {
      context,
      kind: 'video',
      read: readJson(readGeneration('video')),
      pollTemplates: [videoTask, '/v1/video/generations/{id}', '/v1/videos/generations/{id}'],
      optionRules: { route: oneOf(...routes) },
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
   */
  submit(
    params: VideoContentParams | VideoParams,
    options?: RequestOptions & VideoRoute,
  ): RequestPromise<SubmittedTask<'video'>> {
    return submitTask(this.#scope, () => describe(params, options), options);
  }

  /** Describes a submission without sending it, for use with `gateway.batch`. */
  submission(
    params: VideoContentParams | VideoParams,
    options?: RequestOptions & VideoRoute,
  ): Submission<'video'> {
    return new Submission(this.#scope, () => describe(params, options), options);
  }

  /**
   * Submits a video task and waits for the finished video.
   *
   * @throws the same errors as {@link Videos.submit} and {@link Task.wait}. Every error that occurs after the task was
   * submitted carries `task`.
   */
  generate(
    params: VideoContentParams | VideoParams,
    options?: GenerateOptions<'video'> & VideoRoute,
  ): RequestPromise<SucceededGeneration<'video'>> {
    return generate(this.#scope, () => describe(params, options), options);
  }
}

function describe(
  given: VideoContentParams | VideoParams,
  options: (RequestOptions & VideoRoute) | undefined,
): SubmitRequest {
  const template = `/v1/${options?.route ?? 'videos'}`;
  return describeSubmit(template, given, options, requestPrice.video, videoParamsProblem);
}
