import { AbortedError } from '../../errors/aborted.ts';
import { TaskFailedError, TaskWaitTimeoutError } from '../../errors/tasks.ts';
import type { ResponseMeta } from '../../schemas/meta.ts';
import type { TaskHandle, TaskUpdate, WaitOptions } from '../../schemas/task-handle.ts';
import type { Generation, Receipt, TaskKind } from '../../schemas/task.ts';
import { unchecked } from '../../schemas/schema.ts';
import { isFinished } from './generation.ts';
import { lastUpdate, poll } from './poll.ts';
import type { PollContext } from './poll.ts';
import type { RequestPromise } from '../call/request-promise.ts';
import type { RequestOptions } from '../call/api-call.ts';
import type { TaskClient } from './task-client.ts';

/** The specification's interval for tasks: every 2 to 5 seconds. */
export const taskPollTiming = { pollInterval: 2_000, maxPollInterval: 5_000 };

/** What is known of a task when its handle is made. */
export interface TaskDetails<Kind extends TaskKind> {
  id: string;
  idempotencyKey?: string | undefined;
  chargeUsd?: number | undefined;
  submittedAt?: string | undefined;
  /** Headers of the submit's answer. */
  meta?: ResponseMeta | undefined;
  latest?: Generation<Kind> | undefined;
  /** Where the submit's answer says to ask. */
  pollPath?: string | undefined;
  retryAfterMs?: number | undefined;
}

/** A submitted task: wait for it, follow it, or write down its receipt. It is not a promise. */
export class Task<Kind extends TaskKind = TaskKind> implements TaskHandle<Kind> {
  readonly id: string;
  readonly kind: Kind;
  /** The key that the task was submitted with; absent when only the id is known. */
  readonly idempotencyKey: string | undefined;
  /** What the submit cost, USD, when known. */
  readonly chargeUsd: number | undefined;
  /** Headers of the submit's answer; absent on a resumed task. */
  readonly meta: ResponseMeta | undefined;
  readonly #client: TaskClient<Kind>;
  readonly #facts: TaskDetails<Kind>;
  #latest: { value: Generation<Kind>; at: number; retryAfterMs?: number | undefined } | undefined;

  /** @internal */
  constructor(client: TaskClient<Kind>, facts: TaskDetails<Kind>) {
    this.#client = client;
    this.id = facts.id;
    this.kind = client.kind;
    this.idempotencyKey = facts.idempotencyKey;
    this.chargeUsd = facts.chargeUsd;
    this.meta = facts.meta;
    this.#facts = facts;
    if (facts.latest !== undefined) this.remember(facts.latest, facts.retryAfterMs);
  }

  /** Whether the idempotency key found this task instead of paying for a new one. */
  get replayed(): boolean {
    return this.meta?.idempotentReplay ?? false;
  }

  /** The task as last seen; undefined before the first poll of a task that was resumed. */
  get latest(): Generation<Kind> | undefined {
    return this.#latest?.value;
  }

  /**
   * Waits until the task has succeeded. Outages are ridden out until `waitTimeout`.
   * Specification: What the service does, 9.
   *
   * @throws {@link TaskFailedError} when the task has failed.
   * @throws {@link TaskWaitTimeoutError} when `waitTimeout` is over; the task goes on.
   * @throws {@link AbortedError} when the signal aborts; the task goes on.
   * @throws {@link ResponseValidationError} when the task has succeeded without a result.
   * @throws {@link APIError} when the service refuses to tell: 401, 403, another 4xx, or 404 three times in a row.
   */
  async wait(options: WaitOptions<TaskUpdate<Kind>> = {}): Promise<Generation<Kind>> {
    const last = await lastUpdate(this.updates(options), options, this.#client.sender);
    if (last?.status === 'succeeded') return last;
    throw this.#failed(last);
  }

  /**
   * Every poll until the task is over, the last one included; a failed task ends it without an error. A poll that
   * failed is an update with `pollError`, and does not end it.
   *
   * @throws as {@link Task.wait}, but for failed tasks.
   */
  async *updates(
    options: Omit<WaitOptions<TaskUpdate<Kind>>, 'onUpdate'> = {},
  ): AsyncGenerator<TaskUpdate<Kind>, void, undefined> {
    const { sender } = this.#client;
    const { id, kind } = this;
    const context: PollContext<Generation<Kind>> = {
      sender,
      signal: options.signal,
      known: this.#latest,
      isFinished: isFinished,
      read: (once) => this.#read(once),
      onAbort: (cause) => this.#aborted(cause),
      onTimeout: (ms) => this.#timedOut(ms),
      placeholder: { id, kind, status: 'running', rawStatus: '', urls: [], raw: unchecked({}) },
    };
    yield* poll(context, options, taskPollTiming);
  }

  /** One poll. */
  retrieve(options?: RequestOptions): RequestPromise<Generation<Kind>> {
    return this.#client.retrieve(this, options);
  }

  /** The receipt: plain JSON without the API key or the prompt, for `gateway.resume`. */
  toJSON(): Receipt<Kind> {
    const { id, kind, idempotencyKey, chargeUsd } = this;
    return { v: 1, kind, id, idempotencyKey, chargeUsd, submittedAt: this.#facts.submittedAt };
  }

  /** @internal Where the submit's answer said to ask. */
  get pollPath(): string | undefined {
    return this.#facts.pollPath;
  }

  /** @internal Takes note of a poll. */
  remember(value: Generation<Kind>, retryAfterMs: number | undefined): void {
    this.#latest = { value, at: this.#client.sender.config.clock.now(), retryAfterMs };
  }

  async #read(options: RequestOptions) {
    const value = await this.#client.retrieve(this, options);
    return { value, retryAfterMs: this.#latest?.retryAfterMs };
  }

  #failed(generation: Generation<Kind> | undefined): TaskFailedError {
    const reason = generation?.error?.message ?? 'no reason given';
    return new TaskFailedError(`Task ${this.id} failed: ${reason}`, {
      ...this.#details(),
      generation,
    });
  }

  #timedOut(ms: number): TaskWaitTimeoutError {
    const state =
      this.latest === undefined ? 'never seen' : this.latest.rawStatus || this.latest.status;
    return new TaskWaitTimeoutError(
      `Task ${this.id} is not over after ${ms} ms (${state}). The task goes on: ` +
        'error.task waits for it again.',
      { ...this.#details(), generation: this.latest },
    );
  }

  #aborted(cause: unknown): AbortedError {
    return new AbortedError(
      `The wait for task ${this.id} was aborted. The task goes on: error.task waits for it again.`,
      { ...this.#details(), cause },
    );
  }

  #details() {
    return { task: this, idempotencyKey: this.idempotencyKey };
  }
}

/** A task that this process has submitted: what the submit's answer told is there. */
export class SubmittedTask<Kind extends TaskKind = TaskKind> extends Task<Kind> {
  declare readonly idempotencyKey: string;
  declare readonly meta: ResponseMeta;
  readonly #answer: Generation<Kind>;

  /** @internal */
  constructor(
    client: TaskClient<Kind>,
    facts: TaskDetails<Kind> & {
      idempotencyKey: string;
      meta: ResponseMeta;
      latest: Generation<Kind>;
    },
  ) {
    super(client, facts);
    this.#answer = facts.latest;
  }

  /** The task as last seen. */
  override get latest(): Generation<Kind> {
    return super.latest ?? this.#answer;
  }
}
