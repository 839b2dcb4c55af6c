import { omitUndefined } from '../../wire/types/schema.ts';
import type { Receipt, TaskKind } from '../../wire/types/tasks/task.ts';
import type { AttemptObserver } from '../call/api-request.ts';
import {
  checkRequestOptions,
  copyOptions,
  fixed,
  fixedRules,
  submissionOptions,
} from '../call/request-options.ts';
import type { RequestOptions, SubmissionDetails } from '../call/request-options.ts';
import type { RequestPromise } from '../call/request.ts';
import { runNow } from '../call/request.ts';
import type { KnownPrices } from '../limits/prices.ts';
import { pollHeadersOf } from './polled-record.ts';
import { submitTask } from './submit.ts';
import type { SubmitRequest } from './submit.ts';
import type { TaskScope } from './task-scope.ts';
import { openTask } from './task.ts';
import type { SubmittedTask, Task } from './task.ts';

/** A submit request that is described but not sent: one row of a batch. Created by the `submission` methods. */
export class Submission<Kind extends TaskKind = TaskKind> {
  /** Type-level only. A compiler error about params instead of a submission quotes this name. */
  declare readonly 'created by images.submission(), videos.submission(), audio.music.submission() or audio.speech.submission()': true;
  /** What the task will generate. */
  readonly kind: Kind;
  // Private at run time, because they contain prompts and give access to the API key.
  readonly #scope: TaskScope<Kind>;
  readonly #request: () => SubmitRequest;
  readonly #options: RequestOptions;

  /** @internal */
  constructor(scope: TaskScope<Kind>, describe: () => SubmitRequest, options?: RequestOptions) {
    this.kind = scope.kind;
    this.#scope = scope;
    // Serialized and copied now, because the caller may reuse both objects for the next row.
    this.#request = runNow(describe);
    this.#options = copyOptions(options);
  }

  /** @internal A mark for Vue, whose proxies cannot read private members. */
  get __v_skip(): true {
    return true;
  }

  /** Id of the model. */
  get model(): string {
    return this.#request().model;
  }

  /**
   * Sends the request, like the namespace's `submit` method. These options replace those of the submission. Its body, path
   * and models are fixed, so `extraBody`, `route` and `fallback` can be passed only to `submission`.
   */
  send(
    options?: Omit<RequestOptions, 'extraBody' | 'fallback' | 'fallbackOn'>,
  ): RequestPromise<SubmittedTask<Kind>>;
  /** @internal A batch observes the attempts. */
  send(
    options: RequestOptions | undefined,
    observer: AttemptObserver,
  ): RequestPromise<SubmittedTask<Kind>>;
  send(options?: RequestOptions, observer?: AttemptObserver): RequestPromise<SubmittedTask<Kind>> {
    const describe = () => {
      checkRequestOptions(options, fixedRules, { route: fixed });
      return { ...this.#request(), observer };
    };
    return submitTask(this.#scope, describe, {
      ...this.#options,
      ...omitUndefined({ ...options }),
    });
  }

  /** @internal All models to which the request may be sent. */
  get models(): readonly string[] {
    return [this.model, ...(this.#options.fallback ?? [])];
  }

  /** @internal Estimates the price in USD from the prices of the model; undefined if they are not known. */
  estimateUsd(prices: KnownPrices): number | undefined {
    return this.#request().estimateUsd(prices);
  }

  /** @internal Checks the submission and returns what identifies it across processes. */
  async details(): Promise<SubmissionDetails> {
    const {
      endpoint: { path },
      model,
      body,
    } = this.#request();
    return { path, body, ...submissionOptions(model, this.#options, this.#scope.optionRules) };
  }

  /** @internal Whether a function decides about the fallback, which another process cannot call. */
  get hasFallbackOn(): boolean {
    return this.#options.fallbackOn !== undefined;
  }

  /** @internal The handle of the task that an earlier process created with this submission. */
  task(receipt: Receipt): Task<Kind> {
    return openTask(this.#scope, receipt, pollHeadersOf(this.#options));
  }
}
