import type { ClientContext } from '../client/call/context.ts';
import type { FindProblem } from '../client/call/params.ts';
import type { RequestOptions } from '../client/call/request-options.ts';
import type { RequestPromise } from '../client/call/request.ts';
import { Submission } from '../client/tasks/submission.ts';
import { generate, describeSubmit, submitTask } from '../client/tasks/submit.ts';
import type { GenerateOptions, SubmitRequest } from '../client/tasks/submit.ts';
import type { TaskScope } from '../client/tasks/task-scope.ts';
import type { SubmittedTask } from '../client/tasks/task.ts';
import { readTask } from '../client/tasks/wait.ts';
import { endpoints, pollPaths } from '../wire/endpoints/index.ts';
import { musicParamsProblem, speechParamsProblem } from '../wire/types/media/audio.ts';
import type { MusicParams, SpeechInput } from '../wire/types/media/audio.ts';
import type { SucceededGeneration } from '../wire/types/tasks/task.ts';
import { TaskNamespace } from './task-namespace.ts';

/** Generates music and speech. */
export class Audio extends TaskNamespace<'audio'> {
  /** Music generation from a prompt, with or without lyrics. */
  readonly music: AudioKind<MusicParams>;
  /** Speech synthesis from text. */
  readonly speech: AudioKind<SpeechInput>;

  /** @internal */
  constructor(context: ClientContext) {
    const scope: TaskScope<'audio'> = {
      context,
      kind: 'audio',
      read: readTask('audio'),
      pollTemplates: pollPaths(endpoints.audioPolls),
      optionRules: {},
    };
    super(scope);
    this.music = new AudioKind(scope, 'music', musicParamsProblem);
    this.speech = new AudioKind(scope, 'speech', speechParamsProblem);
  }
}

/** Generates audio of one kind: music or speech. */
export class AudioKind<Params extends { model: string }> extends TaskNamespace<'audio'> {
  readonly #scope: TaskScope<'audio'>;
  readonly #describe: (params: Params, options: RequestOptions | undefined) => SubmitRequest;

  /** @internal */
  constructor(scope: TaskScope<'audio'>, media: 'music' | 'speech', problemOf: FindProblem) {
    super(scope, media);
    this.#scope = scope;
    this.#describe = (params, options) =>
      describeSubmit(endpoints.audio.tasks, params, options, problemOf);
  }

  /**
   * Submits a task and returns its handle. Each call uses one idempotency key for all attempts, so retries never charge
   * twice.
   *
   * @throws {@link ConfigurationError} if the params violate a rule of the specification.
   * @throws {@link APIError} if the service rejects the request: 400, 401, 402, 403, 429, 503.
   * @throws {@link ConnectionError} if no complete response was received; `outcome` and `idempotencyKey` explain what
   * to do next.
   *
   * @example
   * ```ts
   * const task = await gateway.audio.speech.submit({
   *   model: 'echo-speech',
   *   text: 'Land in sight',
   *   voice_id: 'calm-narrator',
   * });
   * const { urls } = await task.wait();
   * ```
   */
  submit(params: Params, options?: RequestOptions): RequestPromise<SubmittedTask<'audio'>> {
    return submitTask(this.#scope, () => this.#describe(params, options), options);
  }

  /**
   * Describes a submission without sending it, for use with `gateway.batch`.
   *
   * @example
   * ```ts
   * const lines = ['Land in sight', 'All hands on deck'];
   * for await (const row of gateway.batch(lines, (text) =>
   *   gateway.audio.speech.submission({ model: 'echo-speech', text, voice_id: 'calm-narrator' }),
   * )) {
   *   console.log(row.status);
   * }
   * ```
   */
  submission(params: Params, options?: RequestOptions): Submission<'audio'> {
    return new Submission(this.#scope, () => this.#describe(params, options), options);
  }

  /**
   * Submits a task and waits for the finished audio.
   *
   * @throws the same errors as {@link AudioKind.submit} and {@link Task.wait}. Every error that occurs after the task
   * was submitted carries `task`.
   *
   * @example
   * ```ts
   * const music = await gateway.audio.music.generate({ model: 'anthem-music', prompt: 'A shanty' });
   * const speech = await gateway.audio.speech.generate({
   *   model: 'echo-speech',
   *   text: 'Land in sight',
   *   voice_id: 'calm-narrator',
   * });
   * ```
   */
  generate(
    params: Params,
    options?: GenerateOptions<'audio'>,
  ): RequestPromise<SucceededGeneration<'audio'>> {
    return generate(this.#scope, () => this.#describe(params, options), options);
  }
}
