import type { Receipt, TaskKind } from '../../schemas/task.ts';
import { fingerprint } from '../call/fingerprint.ts';
import type { RequestPromise } from '../call/request-promise.ts';
import { checkRequestOptions } from '../call/api-call.ts';
import type { RequestOptions } from '../call/api-call.ts';
import type { SubmittedTask, Task } from './task.ts';
import type { Submit, TaskClient } from './task-client.ts';

/** A submit that was described and not sent: a row of a batch. */
export class Submission<Kind extends TaskKind = TaskKind> {
  readonly kind: Kind;
  // Private at run time: prompts stand there, and the way to the API key leads through here.
  readonly #client: TaskClient<Kind>;
  readonly #submit: Submit;
  readonly #options: RequestOptions;

  /** @internal */
  constructor(client: TaskClient<Kind>, submit: Submit, options: RequestOptions = {}) {
    this.kind = client.kind;
    this.#client = client;
    // A copy: the caller may fill the same object for the next row.
    this.#submit = { ...submit, params: { ...submit.params } };
    this.#options = options;
  }

  /** Sends it, as the namespace's `submit` does. */
  send(options?: RequestOptions): RequestPromise<SubmittedTask<Kind>> {
    return this.#client.submit(this.#submit, { ...this.#options, ...options });
  }

  /** @internal What a journal may know of it; params where they may be stored. */
  async facts(storeParams: boolean) {
    const { template: path, params, check } = this.#submit;
    check();
    checkRequestOptions(this.#options);
    const hash = await fingerprint(path, JSON.stringify(params));
    const { idempotencyKey } = this.#options;
    return { path, hash, idempotencyKey, params: storeParams ? params : undefined };
  }

  /** @internal The handle of its task, which an earlier process has submitted. */
  task(receipt: Receipt): Task<Kind> {
    return this.#client.task(receipt);
  }
}
