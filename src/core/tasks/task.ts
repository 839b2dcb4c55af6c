import type { APIError } from '../../errors/api.ts';
import { TaskFailedError, TaskWaitTimeoutError } from '../../errors/tasks.ts';
import type { ResponseMeta } from '../../schemas/meta.ts';
import { unchecked } from '../../schemas/schema.ts';
import type { TaskHandle, TaskUpdate, WaitOptions } from '../../schemas/task-handle.ts';
import type { Generation, Receipt, SucceededGeneration, TaskKind } from '../../schemas/task.ts';
import type { ApiCall } from '../call/api-call.ts';
import { throwToCaller } from '../call/caller-stack.ts';
import type { ClientContext } from '../call/context.ts';
import { startCall } from '../call/endpoint.ts';
import { execute } from '../call/execute.ts';
import { checkRequestOptions, noBodyRules } from '../call/request-options.ts';
import type { CheckedOptions, PollHeaders, RequestOptions } from '../call/request-options.ts';
import type { RequestPromise } from '../call/request-promise.ts';
import { readJson } from '../call/response.ts';
import { checkOptions } from '../config/validation.ts';
import type { Rules } from '../config/validation.ts';
import { noReason } from '../http/error-body.ts';
import { sentence, singleLine } from '../http/json.ts';
import { fillPath } from '../http/path.ts';
import { readGeneration } from './generation.ts';
import { isUnknownPath } from './poll-path.ts';
import {
  lastUpdate,
  mergePollHeaders,
  toPollResult,
  updatesOf,
  waitCallbackRules,
} from './poll.ts';
import type { PollResult, PollTarget } from './poll.ts';

/** The tasks of one namespace: how they are polled, and with which client. */
export interface TaskScope<Kind extends TaskKind> {
  readonly context: ClientContext;
  readonly kind: Kind;
  /** Templates of the poll path, in the order in which they are tried. Assumptions A1 and A2. */
  readonly pollTemplates: readonly [string, ...string[]];
  /** The rules of options that only this namespace accepts. */
  readonly optionRules: Rules;
}

/**
 * What is known about a task when its handle is created. The headers are those of the submission, which its polls carry
 * too.
 */
export interface TaskDetails<Kind extends TaskKind> extends Partial<PollHeaders> {
  id: string;
  idempotencyKey?: string | undefined;
  chargeUsd?: number | undefined;
  submittedAt?: string | undefined;
  /** Metadata of the submission's response. */
  meta?: ResponseMeta | undefined;
  latest?: PollResult<Generation<Kind>> | undefined;
  /** The poll path that the submission's response named. */
  pollPath?: string | undefined;
}

/** A submitted task: wait for it, follow its updates, or store its receipt. It is not a promise. */
export class Task<Kind extends TaskKind = TaskKind> implements TaskHandle<Kind> {
  /** Task id. */
  readonly id: string;
  /** What the task generates. */
  readonly kind: Kind;
  /** The idempotency key of the submission; undefined if only the id is known. */
  readonly idempotencyKey: string | undefined;
  /** The charge of the submission in USD, if known. */
  readonly chargeUsd: number | undefined;
  /** Metadata of the submission's response; undefined for a resumed task. */
  readonly meta: ResponseMeta | undefined;
  readonly #scope: TaskScope<Kind>;
  readonly #details: TaskDetails<Kind>;
  /** The poll that has found the task, and no other. */
  #knownPollCalls: readonly [ApiCall] | undefined;

  /** @internal */
  constructor(scope: TaskScope<Kind>, details: TaskDetails<Kind>) {
    this.#scope = scope;
    this.id = details.id;
    this.kind = scope.kind;
    this.idempotencyKey = details.idempotencyKey;
    this.chargeUsd = details.chargeUsd;
    this.meta = details.meta;
    this.#details = details;
  }

  /** Whether the idempotency key matched an existing task, so that no new one was paid for. */
  get replayed(): boolean {
    return this.meta?.idempotentReplay ?? false;
  }

  /** The last known state of the task; undefined before the first poll of a resumed task. */
  get latest(): Generation<Kind> | undefined {
    return this.#details.latest?.data;
  }

  /**
   * Waits until the task succeeds. Keeps polling through outages until `waitTimeout`.
   * Specification: What the service does, 9.
   *
   * @throws {@link TaskFailedError} when the task fails.
   * @throws {@link TaskWaitTimeoutError} at `waitTimeout`; the task continues.
   * @throws {@link AbortedError} when the signal aborts; the task continues.
   * @throws {@link ResponseValidationError} when the task has succeeded without a result.
   * @throws {@link APIError} when the service rejects polls: any 4xx except 408 and 429, or three consecutive 404s.
   */
  async wait(options: WaitOptions<TaskUpdate<Kind>> = {}): Promise<SucceededGeneration<Kind>> {
    checkOptions(options, waitCallbackRules);
    return this.waitForResult(options).catch(throwToCaller);
  }

  /** @internal Waits with options that are checked. Options of other calls have no effect. */
  async waitForResult(options: WaitOptions<TaskUpdate<Kind>>): Promise<SucceededGeneration<Kind>> {
    const last = await lastUpdate(this.#target(), options);
    taskOf.set(last, this);
    if (last.status === 'succeeded') return last;
    const reason = sentence(singleLine(last.error?.message ?? noReason));
    throw new TaskFailedError(
      `Task ${this.id} failed: ${reason} Your balance shows whether it was refunded. To try again, use a new idempotency key.`,
      { task: this, idempotencyKey: this.idempotencyKey, generation: last },
    );
  }

  /**
   * Yields the result of every poll until the task has ended, including the last one. A failed task ends the updates
   * without an error. A failed poll is an update with `pollError`, and polling continues.
   *
   * @throws the same errors as {@link Task.wait}, except `TaskFailedError`.
   */
  updates(
    options: Omit<WaitOptions<TaskUpdate<Kind>>, 'onUpdate'> = {},
  ): AsyncGenerator<TaskUpdate<Kind>, void, undefined> {
    return updatesOf(this.#target(), options);
  }

  /** Polls once. */
  retrieve(options: RequestOptions = {}): RequestPromise<Generation<Kind>> {
    const prepare = () => ({
      call: this.#pollCalls()[0],
      options: {
        ...checkRequestOptions(options, noBodyRules),
        ...mergePollHeaders(this.#details, options),
      },
    });
    return startCall(this.#scope.context, prepare, ({ options: checked }) =>
      this.#pollOnce(checked),
    );
  }

  /** The receipt for `gateway.resume`: plain JSON without the API key or the prompt. */
  toJSON(): Receipt<Kind> {
    const { id, kind, idempotencyKey, chargeUsd } = this;
    return { v: 1, kind, id, idempotencyKey, chargeUsd, submittedAt: this.#details.submittedAt };
  }

  /** Polls each candidate path until one exists, and remembers the path and the result. */
  async #pollOnce(options: CheckedOptions) {
    const { context, kind } = this.#scope;
    let firstError: APIError | undefined;
    for (const call of this.#pollCalls()) {
      try {
        const read = readJson(readGeneration(kind, this.id));
        const result = await execute(context, call, options, read);
        const latest = toPollResult(result, context);
        this.#details.latest = latest;
        this.#knownPollCalls = [call];
        taskOf.set(result.data, this);
        if (call.path !== this.#details.pollPath) {
          context.shared.pollTemplates.set(kind, call.template);
        }
        return { ...result, ...latest };
      } catch (error) {
        if (!isUnknownPath(error)) throw error;
        firstError ??= error;
      }
    }
    throw firstError;
  }

  /**
   * The polls at every path at which the task may be found, best first: the one that the service named, the template
   * that worked for another task, then the assumed templates. Assumptions A1 and A2.
   */
  #pollCalls(): readonly [ApiCall, ...ApiCall[]] {
    if (this.#knownPollCalls) return this.#knownPollCalls;
    const { context, kind, pollTemplates } = this.#scope;
    const { id, pollPath } = this.#details;
    const best = context.shared.pollTemplates.get(kind) ?? pollTemplates[0];
    const call = (template: string, path = fillPath(template, { id })): ApiCall => ({
      method: 'GET',
      template,
      path,
      safety: 'safe',
      findTask: () => this,
    });
    const templates = new Set([best, ...pollTemplates]);
    if (pollPath === undefined) templates.delete(best);
    return [call(best, pollPath), ...Array.from(templates, (template) => call(template))];
  }

  #target(): PollTarget<Generation<Kind>> {
    const { id, kind, idempotencyKey } = this;
    const details = { task: this, idempotencyKey };
    return {
      context: this.#scope.context,
      known: this.#details.latest,
      headers: this.#details,
      advice: () => `Task ${id} is not lost: continue with error.task.wait().`,
      details,
      finalStatus: /^(succeeded|failed)$/,
      pollInterval: 2_000,
      read: (options) => this.#pollOnce(options),
      timeoutError: (message, generation) =>
        new TaskWaitTimeoutError(message, { ...details, generation }),
      initial: { id, kind, status: 'running', rawStatus: '', urls: [], raw: unchecked({}) },
    };
  }
}

/** The tasks of the generations that were returned, so that a download can poll with the headers of the submission. */
export const taskOf = new WeakMap<object, Task>();

/** A task that this process submitted, so that its key, metadata and first state are known. */
export interface SubmittedTask<Kind extends TaskKind = TaskKind> extends Task<Kind> {
  readonly idempotencyKey: string;
  readonly meta: ResponseMeta;
  /** The last known state of the task. */
  readonly latest: Generation<Kind>;
}
