import type { Receipt, TaskKind } from '../../schemas/task.ts';
import { checkRequestOptions } from '../call/request-options.ts';
import type { RequestOptions } from '../call/request-options.ts';
import type { RequestPromise } from '../call/request-promise.ts';
import { fingerprint } from './fingerprint.ts';
import { submitTask } from './submit.ts';
import type { SubmitRequest } from './submit.ts';
import { openTask } from './task.ts';
import type { SubmittedTask, Task, TaskScope } from './task.ts';

/** A submit request that is described but not sent: one row of a batch. Created by the `submission` methods. */
export class Submission<Kind extends TaskKind = TaskKind> {
  /** Type-level only. A compiler error about params in place of a submission quotes this name. */
  declare readonly 'created by images.submission(), videos.submission(), audio.music.submission() or audio.speech.submission()': true;
  /** What the task will generate. */
  readonly kind: Kind;
  // Private at run time, because they contain prompts and give access to the API key.
  readonly #scope: TaskScope<Kind>;
  readonly #request: SubmitRequest;
  readonly #options: RequestOptions;

  /** @internal */
  constructor(scope: TaskScope<Kind>, request: SubmitRequest, options: RequestOptions = {}) {
    this.kind = scope.kind;
    this.#scope = scope;
    // A copy, because the caller may reuse the object for the next row.
    this.#request = { ...request, params: { ...request.params } };
    this.#options = options;
  }

  /** Id of the model. */
  get model(): string {
    return this.#request.params.model;
  }

  /** Sends the request, like the namespace's `submit` method. */
  send(options?: RequestOptions): RequestPromise<SubmittedTask<Kind>> {
    return submitTask(this.#scope, this.#request, { ...this.#options, ...options });
  }

  /**
   * @internal Checks the submission and returns what identifies it across processes; params only if they may be stored.
   */
  async details(storeParams: boolean): Promise<SubmissionDetails> {
    const { template: path, params, check } = this.#request;
    check();
    checkRequestOptions(this.#options);
    const hash = await submitFingerprint(path, params);
    const { idempotencyKey } = this.#options;
    return { path, hash, idempotencyKey, params: storeParams ? params : undefined };
  }

  /** @internal The handle of the task that an earlier process created with this submission. */
  task(receipt: Receipt): Task<Kind> {
    return openTask(this.#scope, receipt);
  }
}

/** What identifies a submission across processes. */
export interface SubmissionDetails {
  readonly path: string;
  /** See {@link submitFingerprint}. */
  readonly hash: string;
  readonly params: { readonly model: string } | undefined;
  /** The key that the caller chose, if any. */
  readonly idempotencyKey: string | undefined;
}

/** Fingerprint of a submission: two submissions with the same fingerprint send the same request. */
export function submitFingerprint(path: string, params: object): Promise<string> {
  return fingerprint(path, JSON.stringify(params));
}
