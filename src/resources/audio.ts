import { checkParams } from '../core/params.ts';
import type { RequestPromise } from '../core/request-promise.ts';
import type { RequestOptions } from '../core/request.ts';
import type { Sender } from '../core/send.ts';
import type { SubmittedTask, Task } from '../core/task.ts';
import { TaskClient } from '../core/tasks.ts';
import type { GenerateOptions, Submit } from '../core/tasks.ts';
import { musicParamsProblem, speechParamsProblem } from '../schemas/audio.ts';
import type { MusicParams, SpeechParams } from '../schemas/audio.ts';
import type { TaskUpdate, WaitOptions } from '../schemas/task-handle.ts';
import type { Generation, Receipt } from '../schemas/task.ts';

/** Makes music and speech. Specification: Audio. */
export class Audio {
  /** Music from a description, with or without lyrics. */
  readonly music: AudioKind<MusicParams>;
  /** Speech from text. */
  readonly speech: AudioKind<SpeechParams>;
  readonly #tasks: TaskClient<'audio'>;

  /** @internal */
  constructor(sender: Sender) {
    this.#tasks = new TaskClient(sender, { kind: 'audio', paths: ['/v1/audio/tasks/{id}'] });
    this.music = new AudioKind(this.#tasks, musicParamsProblem);
    this.speech = new AudioKind(this.#tasks, speechParamsProblem);
  }

  /** Asks for a music or speech task once. Specification: GET /audio/tasks/\{task_id\}. */
  retrieve(id: string, options?: RequestOptions): RequestPromise<Generation<'audio'>> {
    return this.#tasks.retrieveById(id, options);
  }

  /** Waits for a task, given as a handle, an id or a receipt. */
  wait(
    task: string | Receipt<'audio'> | Task<'audio'>,
    options?: WaitOptions<TaskUpdate<'audio'>>,
  ): Promise<Generation<'audio'>> {
    return this.#tasks.wait(task, options);
  }

  /** The handle of a task that was submitted before; nothing is sent. */
  task(idOrReceipt: string | Receipt<'audio'>): Task<'audio'> {
    return this.#tasks.task(idOrReceipt);
  }
}

/** One of the two things that POST /audio/tasks makes. */
export class AudioKind<Params extends { model: string }> {
  readonly #tasks: TaskClient<'audio'>;
  readonly #problemOf: (params: unknown) => string | undefined;

  /** @internal */
  constructor(tasks: TaskClient<'audio'>, problemOf: (params: unknown) => string | undefined) {
    this.#tasks = tasks;
    this.#problemOf = problemOf;
  }

  /**
   * Submits a task and gives back its handle. One idempotency key a call: however often it is sent, it is paid once.
   *
   * @throws {@link ConfigurationError} when the params break a rule of the specification.
   * @throws {@link APIError} when the service refuses: 400, 401, 402, 403, 429, 503.
   * @throws {@link ConnectionError} when no answer came; `outcome` and `idempotencyKey` say how to go on.
   */
  submit(params: Params, options?: RequestOptions): RequestPromise<SubmittedTask<'audio'>> {
    return this.#tasks.submit(this.#describe(params), options);
  }

  /**
   * Submits a task and waits for the finished audio.
   *
   * @throws as {@link AudioKind.submit}, and as {@link Task.wait}; every error after the submit carries `task`.
   */
  generate(
    params: Params,
    options?: GenerateOptions<'audio'>,
  ): RequestPromise<Generation<'audio'>> {
    return this.#tasks.generate(this.#describe(params), options);
  }

  #describe(params: Params): Submit {
    const check = () => checkParams(params, this.#problemOf);
    return { template: '/v1/audio/tasks', params, check };
  }
}
