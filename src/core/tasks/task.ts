import type { APIError } from '../../errors/api.ts';
import { TaskFailedError, TaskWaitTimeoutError } from '../../errors/tasks.ts';
import type { ResponseMeta } from '../../schemas/meta.ts';
import { unchecked } from '../../schemas/schema.ts';
import type { TaskHandle, TaskUpdate, WaitOptions } from '../../schemas/task-handle.ts';
import type { Generation, Receipt, SucceededGeneration, TaskKind } from '../../schemas/task.ts';
import type { ApiCall } from '../call/api-call.ts';
import { throwToCaller } from '../call/caller-stack.ts';
import type { ClientContext } from '../call/context.ts';
import { attempt, executeRaw } from '../call/endpoint.ts';
import { abortedError } from '../call/errors.ts';
import { execute } from '../call/execute.ts';
import { checkRequestOptions, noBodyRules } from '../call/request-options.ts';
import type { CheckedOptions, PollHeaders, RequestOptions } from '../call/request-options.ts';
import { RequestPromise } from '../call/request-promise.ts';
import { readJson } from '../call/response.ts';
import type { ApiResponse } from '../call/response.ts';
import { checkOptions } from '../config/validation.ts';
import type { Rules } from '../config/validation.ts';
import { noReason } from '../http/error-body.ts';
import { sentence, singleLine } from '../http/json.ts';
import { parseRetryAfter } from '../http/retry-after.ts';
import { isFinished, readGeneration } from './generation.ts';
import { candidatePollPaths, isUnknownPath } from './poll-path.ts';
import type { PollPath, PollPaths } from './poll-path.ts';
import { lastUpdate, mergePollHeaders, poll, waitCallbackRules, waitRules } from './poll.ts';
import type { PollResult, PollTarget } from './poll.ts';

/** The interval that the specification recommends for tasks: every 2 to 5 seconds. */
const taskPollTiming = { pollInterval: 2_000, maxPollInterval: 5_000 };

/** The tasks of one namespace: how they are polled, and with which client. */
export interface TaskScope<Kind extends TaskKind> {
  readonly context: ClientContext;
  readonly kind: Kind;
  /** Templates of the poll path, in the order in which they are tried. Assumptions A1 and A2. */
  readonly pollTemplates: readonly [string, ...string[]];
  /** The rules of options that only this namespace accepts. */
  readonly optionRules: Rules;
}

/** What is known about a task when its handle is created. */
export interface TaskDetails<Kind extends TaskKind> {
  id: string;
  idempotencyKey?: string | undefined;
  chargeUsd?: number | undefined;
  submittedAt?: string | undefined;
  /** Metadata of the submission's response. */
  meta?: ResponseMeta | undefined;
  latest?: Generation<Kind> | undefined;
  /** The poll path that the submission's response named. */
  pollPath?: string | undefined;
  retryAfterMs?: number | undefined;
  /** Headers of the submission, which its polls carry too. */
  pollHeaders?: PollHeaders | undefined;
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
  readonly #submittedAt: string | undefined;
  #latest: (PollResult<Generation<Kind>> & { at: number }) | undefined;
  readonly #namedPollPath: string | undefined;
  readonly #pollHeaders: PollHeaders | undefined;
  /** The path at which a poll has found the task. */
  #workingPollPath: PollPath | undefined;

  /** @internal */
  constructor(scope: TaskScope<Kind>, details: TaskDetails<Kind>) {
    this.#scope = scope;
    this.id = details.id;
    this.kind = scope.kind;
    this.idempotencyKey = details.idempotencyKey;
    this.chargeUsd = details.chargeUsd;
    this.meta = details.meta;
    this.#submittedAt = details.submittedAt;
    this.#namedPollPath = details.pollPath;
    this.#pollHeaders = details.pollHeaders;
    if (details.latest !== undefined) this.#remember(details.latest, details.retryAfterMs);
  }

  /** Whether the idempotency key matched an existing task, so that no new one was paid for. */
  get replayed(): boolean {
    return this.meta?.idempotentReplay ?? false;
  }

  /** The last known state of the task; undefined before the first poll of a resumed task. */
  get latest(): Generation<Kind> | undefined {
    return this.#latest?.value;
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
  wait(options: WaitOptions<TaskUpdate<Kind>> = {}): Promise<SucceededGeneration<Kind>> {
    return this.#waitForResult(options).catch(throwToCaller);
  }

  async #waitForResult(options: WaitOptions<TaskUpdate<Kind>>): Promise<SucceededGeneration<Kind>> {
    checkOptions(options, waitRules, waitCallbackRules);
    const { onUpdate, ...pollOptions } = options;
    const last = await lastUpdate(this.updates(pollOptions), onUpdate, this.#scope.context);
    if (last) tasks.set(last, this);
    if (last?.status === 'succeeded') return last;
    throw this.#failed(last);
  }

  /**
   * Yields the result of every poll until the task has ended, including the last one. A failed task ends the updates
   * without an error. A failed poll is an update with `pollError`, and polling continues.
   *
   * @throws the same errors as {@link Task.wait}, except `TaskFailedError`.
   */
  async *updates(
    options: Omit<WaitOptions<TaskUpdate<Kind>>, 'onUpdate'> = {},
  ): AsyncGenerator<TaskUpdate<Kind>, void, undefined> {
    const { id, kind } = this;
    const target: PollTarget<Generation<Kind>> = {
      context: this.#scope.context,
      known: this.#latest,
      headers: this.#pollHeaders,
      isFinished,
      read: (pollOptions) => this.#readOnce(pollOptions),
      onAbort: (cause) => this.#aborted(cause),
      onTimeout: (ms) => this.#timedOut(ms),
      placeholder: { id, kind, status: 'running', rawStatus: '', urls: [], raw: unchecked({}) },
    };
    try {
      yield* poll(target, options, taskPollTiming);
    } catch (error) {
      throwToCaller(error);
    }
  }

  /** Polls once. */
  retrieve(options?: RequestOptions): RequestPromise<Generation<Kind>> {
    const checked = attempt(() => ({
      ...checkRequestOptions(options, noBodyRules),
      ...mergePollHeaders(this.#pollHeaders, { ...options }),
    }));
    return new RequestPromise({
      parsed: async () => this.#pollOnce(checked()),
      raw: async () => this.#pollRaw(checked()),
    });
  }

  /** The receipt for `gateway.resume`: plain JSON without the API key or the prompt. */
  toJSON(): Receipt<Kind> {
    const { id, kind, idempotencyKey, chargeUsd } = this;
    return { v: 1, kind, id, idempotencyKey, chargeUsd, submittedAt: this.#submittedAt };
  }

  /** Polls each candidate path until one exists, and remembers the path and the result. */
  async #pollOnce(options: CheckedOptions): Promise<ApiResponse<Generation<Kind>>> {
    const { context, kind } = this.#scope;
    let firstError: APIError | undefined;
    for (const path of this.#pollPaths()) {
      try {
        const read = readJson(readGeneration(kind, this.id));
        const result = await execute(context, this.#pollCall(path), options, read);
        const { headers } = result.meta;
        this.#remember(result.data, parseRetryAfter(headers, context.config.clock.now()));
        this.#workingPollPath = path;
        tasks.set(result.data, this);
        if (path.template !== undefined) context.shared.pollTemplates.set(kind, path.template);
        return result;
      } catch (error) {
        if (!isUnknownPath(error)) throw error;
        firstError ??= error;
      }
    }
    throw firstError;
  }

  /** Polls without reading the body. */
  async #pollRaw(options: CheckedOptions): Promise<Response> {
    return executeRaw(this.#scope.context, { call: this.#pollCall(this.#pollPaths()[0]), options });
  }

  #pollPaths(): PollPaths {
    if (this.#workingPollPath !== undefined) return [this.#workingPollPath];
    const { context, kind, pollTemplates } = this.#scope;
    const workingTemplate = context.shared.pollTemplates.get(kind);
    return candidatePollPaths(this.id, this.#namedPollPath, pollTemplates, workingTemplate);
  }

  #pollCall({ path, template = this.#scope.pollTemplates[0] }: PollPath): ApiCall {
    return { method: 'GET', template, path, safety: 'safe', findTask: () => this };
  }

  async #readOnce(options: CheckedOptions): Promise<PollResult<Generation<Kind>>> {
    const { data: value } = await this.#pollOnce(options);
    return { value, retryAfterMs: this.#latest?.retryAfterMs };
  }

  #remember(value: Generation<Kind>, retryAfterMs: number | undefined): void {
    this.#latest = { value, at: this.#scope.context.config.clock.now(), retryAfterMs };
  }

  #failed(generation: Generation<Kind> | undefined): TaskFailedError {
    const reason = sentence(singleLine(generation?.error?.message ?? noReason));
    return new TaskFailedError(
      `Task ${this.id} failed: ${reason} Check your balance to see whether it was refunded. To try again, submit with a new idempotency key.`,
      { ...this.#details(), generation },
    );
  }

  #timedOut(ms: number): TaskWaitTimeoutError {
    const { latest } = this;
    const state = latest === undefined ? 'status unknown' : latest.rawStatus || latest.status;
    return new TaskWaitTimeoutError(
      `Task ${this.id} did not end within ${ms} ms (${state}). It is not lost: continue with error.task.wait().`,
      { ...this.#details(), generation: latest },
    );
  }

  #aborted(cause: unknown) {
    return abortedError(
      cause,
      this.#details(),
      `The wait for task ${this.id} was aborted. The task continues: wait for it again with error.task.wait().`,
    );
  }

  #details() {
    return { task: this, idempotencyKey: this.idempotencyKey };
  }
}

/** The tasks of the generations that were returned, so that a download can poll with the headers of the submission. */
const tasks = new WeakMap<object, Task>();

/** The task that returned a generation in this process. */
export function taskOf(generation: object): Task | undefined {
  return tasks.get(generation);
}

/** A task that this process submitted, so that its key, metadata and first state are known. */
export class SubmittedTask<Kind extends TaskKind = TaskKind> extends Task<Kind> {
  declare readonly idempotencyKey: string;
  declare readonly meta: ResponseMeta;
  readonly #submitted: Generation<Kind>;

  /** @internal */
  constructor(
    scope: TaskScope<Kind>,
    details: TaskDetails<Kind> & {
      idempotencyKey: string;
      meta: ResponseMeta;
      latest: Generation<Kind>;
    },
  ) {
    super(scope, details);
    this.#submitted = details.latest;
  }

  /** The last known state of the task. */
  override get latest(): Generation<Kind> {
    return super.latest ?? this.#submitted;
  }
}
