import { estimate, priceOf } from '../core/limits/estimate.ts';
import type { KnownPrices } from '../core/limits/estimate.ts';
import { checkParams } from '../core/call/params.ts';
import type { RequestPromise } from '../core/call/request-promise.ts';
import type { RequestOptions } from '../core/call/request-options.ts';
import type { ClientContext } from '../core/call/context.ts';
import { Submission } from '../core/tasks/submission.ts';
import type { SubmittedTask, TaskScope } from '../core/tasks/task.ts';
import { generate, submitTask } from '../core/tasks/submit.ts';
import type { GenerateOptions, SubmitRequest } from '../core/tasks/submit.ts';
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
  constructor(context: ClientContext) {
    const scope: TaskScope<'audio'> = {
      context,
      kind: 'audio',
      pollPaths: ['/v1/audio/tasks/{id}'],
    };
    super(scope);
    this.music = new AudioKind(scope, musicParamsProblem, (_, prices) => priceOf(prices, 1));
    this.speech = new AudioKind(scope, speechParamsProblem, ({ text, input }, prices) =>
      estimate.speech(prices, text || input || ''),
    );
  }
}

/** What some params are going to cost, USD. */
type Estimate<Params> = (params: Params, prices: KnownPrices) => number | undefined;

/** One of the two things that POST /audio/tasks makes. */
export class AudioKind<Params extends { model: string }> {
  readonly #scope: TaskScope<'audio'>;
  readonly #problemOf: (params: unknown) => string | undefined;
  readonly #estimateUsd: Estimate<Params>;

  /** @internal */
  constructor(
    scope: TaskScope<'audio'>,
    problemOf: (params: unknown) => string | undefined,
    estimateUsd: Estimate<Params>,
  ) {
    this.#scope = scope;
    this.#problemOf = problemOf;
    this.#estimateUsd = estimateUsd;
  }

  /**
   * Submits a task and gives back its handle. One idempotency key a call: however often it is sent, it is paid once.
   *
   * @throws {@link ConfigurationError} when the params break a rule of the specification.
   * @throws {@link APIError} when the service refuses: 400, 401, 402, 403, 429, 503.
   * @throws {@link ConnectionError} when no answer came; `outcome` and `idempotencyKey` say how to go on.
   */
  submit(params: Params, options?: RequestOptions): RequestPromise<SubmittedTask<'audio'>> {
    return submitTask(this.#scope, this.#describe(params), options);
  }

  /**
   * Describes a submit without sending it, for `gateway.batch`.
   */
  submission(params: Params, options?: RequestOptions): Submission<'audio'> {
    return new Submission(this.#scope, this.#describe(params), options);
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
    return generate(this.#scope, this.#describe(params), options);
  }

  #describe(params: Params): SubmitRequest {
    const check = () => checkParams(params, this.#problemOf);
    const estimateUsd = (prices: KnownPrices) => this.#estimateUsd(params, prices);
    return { template: '/v1/audio/tasks', params, check, estimateUsd };
  }
}
