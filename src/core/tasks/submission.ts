import type { Receipt, TaskKind } from '../../schemas/task.ts';
import { fingerprint } from '../call/fingerprint.ts';
import type { RequestPromise } from '../call/request-promise.ts';
import { checkRequestOptions } from '../call/api-call.ts';
import type { RequestOptions } from '../call/api-call.ts';
import type { SubmittedTask, Task } from './task.ts';
import type { Submit, TaskClient } from './task-client.ts';

/** A submit that is described but not sent: a row of a batch. */
export class Submission<Kind extends TaskKind = TaskKind> {
  readonly kind: Kind;
  // Private at run time too, so that printing a submission shows neither the prompt nor, through the client, the API key.
  readonly #client: TaskClient<Kind>;
  readonly #submit: Submit;
  readonly #options: RequestOptions;

  /** @internal */
  constructor(client: TaskClient<Kind>, submit: Submit, options: RequestOptions = {}) {
    this.kind = client.kind;
    this.#client = client;
    // A copy, because the caller may reuse the params object for the next row.
    this.#submit = { ...submit, params: { ...submit.params } };
    this.#options = options;
  }

  /** Sends the submit, like `submit()` of its namespace. */
  send(options?: RequestOptions): RequestPromise<SubmittedTask<Kind>> {
    return this.#client.submit(this.#submit, { ...this.#options, ...options });
  }

  /** @internal Checks the submit and returns what identifies it across processes; params only if they may be stored. */
  async details(storeParams: boolean): Promise<SubmissionDetails> {
    const { template: path, params, check } = this.#submit;
    check();
    checkRequestOptions(this.#options);
    const hash = await submitFingerprint(path, params);
    const { idempotencyKey } = this.#options;
    return { path, hash, idempotencyKey, params: storeParams ? params : undefined };
  }

  /** @internal The handle of the task that an earlier process created with this submit. */
  task(receipt: Receipt): Task<Kind> {
    return this.#client.task(receipt);
  }
}

/** What identifies a submit across processes. */
export interface SubmissionDetails {
  readonly path: string;
  /** See {@link submitFingerprint}. */
  readonly hash: string;
  readonly params: { readonly model: string } | undefined;
  /** The key that the caller chose, if any. */
  readonly idempotencyKey: string | undefined;
}

/** Fingerprint of a submit: two submits with the same fingerprint send the same request. */
export function submitFingerprint(path: string, params: object): Promise<string> {
  return fingerprint(path, JSON.stringify(params));
}
