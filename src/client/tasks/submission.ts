import { ConfigurationError } from '../../errors/base.ts';
import { omitUndefined, unchecked } from '../../wire/types/schema.ts';
import type { Receipt, TaskKind } from '../../wire/types/tasks/task.ts';
import type { AttemptObserver } from '../call/api-request.ts';
import {
  fallbackOf,
  checkRequestOptions,
  fallbackRules,
  copyOptions,
  fixed,
  fixedRules,
} from '../call/request-options.ts';
import type { RequestOptions } from '../call/request-options.ts';
import type { RequestPromise } from '../call/request.ts';
import { runNow } from '../call/request.ts';
import { toHex } from '../http/request-headers.ts';
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

  /**
   * @internal Checks the submission and returns what identifies it across processes; params only if they may be stored.
   */
  async details(storeParams: boolean): Promise<SubmissionDetails> {
    const {
      endpoint: { path },
      model,
      body,
    } = this.#request();
    const { optionRules } = this.#scope;
    const checked = checkRequestOptions(this.#options, fallbackRules, optionRules);
    const { idempotencyKey, signal, fallback = [] } = checked;
    fallbackOf(model, checked);
    const hash = await requestHash(path, body, fallback);
    const details = { path, hash, idempotencyKey, signal };
    if (!storeParams) return details;
    const params = unchecked<{ model: string }>(JSON.parse(body));
    return { ...details, params, ...(fallback.length > 0 && { fallback }) };
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

/** What identifies a submission across processes. */
export interface SubmissionDetails {
  readonly path: string;
  /** Fingerprint of path, body and fallback: two submissions with the same one send the same requests. */
  readonly hash: string;
  readonly params?: { readonly model: string } | undefined;
  /** The other models, if there are any and the params may be stored. */
  readonly fallback?: readonly string[] | undefined;
  /** The key that the caller chose, if any. */
  readonly idempotencyKey: string | undefined;
  /** The caller's signal for this submission only. */
  readonly signal: AbortSignal | undefined;
}

/**
 * The SHA-256 hash of the given texts, in hexadecimal digits.
 *
 * @throws {@link ConfigurationError} on pages served over plain http and in some mobile apps, which have no
 * `crypto.subtle`.
 */
export async function fingerprint(...texts: string[]): Promise<string> {
  const { crypto }: { crypto?: Partial<Crypto> } = globalThis;
  const subtle = crypto?.subtle;
  if (subtle === undefined) {
    throw new ConfigurationError(
      'crypto.subtle: is missing. Browsers have it only on https and localhost.',
    );
  }
  const bytes = new TextEncoder().encode(JSON.stringify(texts));
  return toHex(new Uint8Array(await subtle.digest('SHA-256', bytes)));
}

/** The fingerprint of a request to one or more models, by which a later process recognizes it. */
export function requestHash(
  path: string,
  body: string,
  fallback: readonly string[] = [],
): Promise<string> {
  // Without a fallback, as in journals of earlier versions.
  return fallback.length > 0
    ? fingerprint(path, body, JSON.stringify(fallback))
    : fingerprint(path, body);
}

/**
 * The idempotency key of a row: the same in every process that works on it. Other params are another request, so where
 * a row may be submitted with others, `identity` ends with their fingerprint.
 */
export async function rowKey(...identity: string[]): Promise<string> {
  return `pg-${await fingerprint(...identity)}`;
}
