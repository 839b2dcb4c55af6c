import { estimate, priceOf } from '../core/limits/estimate.ts';
import type { KnownPrices } from '../core/limits/estimate.ts';
import { checkParams } from '../core/call/params.ts';
import type { RequestPromise } from '../core/call/request-promise.ts';
import type { RequestOptions } from '../core/call/api-call.ts';
import type { Sender } from '../core/call/sender.ts';
import type { Submission } from '../core/tasks/submission.ts';
import type { SubmittedTask } from '../core/tasks/task.ts';
import { TaskClient } from '../core/tasks/task-client.ts';
import type { GenerateOptions, Submit } from '../core/tasks/task-client.ts';
import { musicParamsProblem, speechParamsProblem } from '../schemas/audio.ts';
import type { MusicParams, SpeechParams } from '../schemas/audio.ts';
import type { Generation } from '../schemas/task.ts';
import { TaskNamespace } from './task-namespace.ts';

/** Makes music and speech. Specification: Audio. */
export class Audio extends TaskNamespace<'audio'> {
  /** Music from a description, with or without lyrics. */
  readonly music: AudioKind<MusicParams>;
  /** Speech from text. */
  readonly speech: AudioKind<SpeechParams>;

  /** @internal */
  constructor(sender: Sender) {
    const tasks = new TaskClient(sender, { kind: 'audio', paths: ['/v1/audio/tasks/{id}'] });
    super(tasks);
    this.music = new AudioKind(tasks, musicParamsProblem, (_, prices) => priceOf(prices, 1));
    this.speech = new AudioKind(tasks, speechParamsProblem, ({ text, input }, prices) =>
      estimate.speech(prices, text || input || ''),
    );
  }
}

/** What some params are going to cost, USD. */
type Quote<Params> = (params: Params, prices: KnownPrices) => number | undefined;

/** One of the two things that POST /audio/tasks makes. */
export class AudioKind<Params extends { model: string }> {
  readonly #tasks: TaskClient<'audio'>;
  readonly #problemOf: (params: unknown) => string | undefined;
  readonly #quote: Quote<Params>;

  /** @internal */
  constructor(
    tasks: TaskClient<'audio'>,
    problemOf: (params: unknown) => string | undefined,
    quote: Quote<Params>,
  ) {
    this.#tasks = tasks;
    this.#problemOf = problemOf;
    this.#quote = quote;
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
   * Describes a submit without sending it, for `gateway.batch`.
   */
  submission(params: Params, options?: RequestOptions): Submission<'audio'> {
    return this.#tasks.submission(this.#describe(params), options);
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
    const quote = (prices: KnownPrices) => this.#quote(params, prices);
    return { template: '/v1/audio/tasks', params, check, quote };
  }
}
