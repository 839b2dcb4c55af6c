import type { ClientContext } from '../core/call/context.ts';
import type { FindProblem } from '../core/call/params.ts';
import type { RequestOptions } from '../core/call/request-options.ts';
import type { RequestPromise } from '../core/call/request-promise.ts';
import { readJson } from '../core/call/response.ts';
import { readGeneration } from '../core/tasks/generation.ts';
import { Submission } from '../core/tasks/submission.ts';
import { describeSubmit, generate, submitTask } from '../core/tasks/submit.ts';
import type { GenerateOptions, SubmitRequest } from '../core/tasks/submit.ts';
import type { TaskScope } from '../core/tasks/task-scope.ts';
import type { SubmittedTask } from '../core/tasks/task.ts';
import { pollAudioTask, submitAudioTask } from '../endpoints/audio.ts';
import { musicParamsProblem, speechParamsProblem } from '../types/media/audio.ts';
import type { MusicParams, SpeechInputParams, SpeechParams } from '../types/media/audio.ts';
import type { SucceededGeneration } from '../types/tasks/task.ts';
import { TaskNamespace } from './task-namespace.ts';

/** Music generation and speech synthesis. */
export class Audio extends TaskNamespace<'audio'> {
  /** Music generation from a prompt, with or without lyrics. */
  readonly music: AudioKind<MusicParams>;
  /** Speech synthesis from text. */
  readonly speech: AudioKind<SpeechInputParams | SpeechParams>;

  /** @internal */
  constructor(context: ClientContext) {
    const scope: TaskScope<'audio'> = {
      context,
      kind: 'audio',
      read: readJson(readGeneration('audio')),
      pollTemplates: [pollAudioTask.path],
      optionRules: {},
    };
    super(scope);
    this.music = new AudioKind(scope, musicParamsProblem);
    this.speech = new AudioKind(scope, speechParamsProblem);
  }
}

/** Returns how to estimate the price of a request, from what the params are now. */
/** Music or speech tasks. */
export class AudioKind<Params extends { model: string }> {
  readonly #scope: TaskScope<'audio'>;
  readonly #describe: (params: Params, options: RequestOptions | undefined) => SubmitRequest;

  /** @internal */
  constructor(scope: TaskScope<'audio'>, problemOf: FindProblem) {
    this.#scope = scope;
    this.#describe = (params, options) =>
      describeSubmit(submitAudioTask, params, options, problemOf);
  }

  /**
   * Submits a task and returns its handle. Each call uses one idempotency key for all attempts, so retries never charge
   * twice.
   *
   * @throws {@link ConfigurationError} if the params violate a rule of the specification.
   * @throws {@link APIError} if the service rejects the request: 400, 401, 402, 403, 429, 503.
   * @throws {@link ConnectionError} if no complete response was received; `outcome` and `idempotencyKey` explain what
   * to do next.
   */
  submit(params: Params, options?: RequestOptions): RequestPromise<SubmittedTask<'audio'>> {
    return submitTask(this.#scope, () => this.#describe(params, options), options);
  }

  /** Describes a submission without sending it, for use with `gateway.batch`. */
  submission(params: Params, options?: RequestOptions): Submission<'audio'> {
    return new Submission(this.#scope, () => this.#describe(params, options), options);
  }

  /**
   * Submits a task and waits for the finished audio.
   *
   * @throws the same errors as {@link AudioKind.submit} and {@link Task.wait}. Every error that occurs after the task
   * was submitted carries `task`.
   */
  generate(
    params: Params,
    options?: GenerateOptions<'audio'>,
  ): RequestPromise<SucceededGeneration<'audio'>> {
    return generate(this.#scope, () => this.#describe(params, options), options);
  }
}
