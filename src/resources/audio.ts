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

/** Music generation and speech synthesis. Specification: Audio. */
export class Audio extends TaskNamespace<'audio'> {
  /** Music generation from a prompt, with or without lyrics. */
  readonly music: AudioKind<MusicParams>;
  /** Speech synthesis from text. */
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

/** Estimates the price of a request in USD; undefined if it is not known. */
type EstimatePrice<Params> = (params: Params, prices: KnownPrices) => number | undefined;

/** Music or speech tasks, both submitted to POST /audio/tasks. */
export class AudioKind<Params extends { model: string }> {
  readonly #tasks: TaskClient<'audio'>;
  readonly #problemOf: (params: unknown) => string | undefined;
  readonly #quote: EstimatePrice<Params>;

  /** @internal */
  constructor(
    tasks: TaskClient<'audio'>,
    problemOf: (params: unknown) => string | undefined,
    quote: EstimatePrice<Params>,
  ) {
    this.#tasks = tasks;
    this.#problemOf = problemOf;
    this.#quote = quote;
  }

  /**
   * Submits a task and returns its handle. Each call uses one idempotency key for all attempts, so retries never charge
   * twice.
   *
   * @throws {@link ConfigurationError} if the params violate a rule of the specification.
   * @throws {@link APIError} if the service rejects the request: 400, 401, 402, 403, 429, 503.
   * @throws {@link ConnectionError} if no response was received; `outcome` and `idempotencyKey` explain what to do
   * next.
   */
  submit(params: Params, options?: RequestOptions): RequestPromise<SubmittedTask<'audio'>> {
    return this.#tasks.submit(this.#describe(params), options);
  }

  /** Describes a submit without sending it, for use with `gateway.batch`. */
  submission(params: Params, options?: RequestOptions): Submission<'audio'> {
    return this.#tasks.submission(this.#describe(params), options);
  }

  /**
   * Submits a task and waits for the finished audio.
   *
   * @throws the same errors as {@link AudioKind.submit} and {@link Task.wait}. Every error after the submit carries
   * `task`.
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
