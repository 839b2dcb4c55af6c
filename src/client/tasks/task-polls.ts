import { ConfigurationError } from '../../errors/base.ts';
import { AbortedError } from '../../errors/call.ts';
import { createError } from '../../errors/message.ts';
import { APIError } from '../../errors/responses.ts';
import { TaskWaitTimeoutError, TaskFailedError } from '../../errors/tasks.ts';
import { codeIs } from '../../wire/codes.ts';
import { unchecked } from '../../wire/types/schema.ts';
import type { TaskHandle } from '../../wire/types/tasks/task-handle.ts';
import type { Generation, SucceededGeneration, TaskKind } from '../../wire/types/tasks/task.ts';
import type { TelemetryWait } from '../../wire/types/telemetry.ts';
import type { ApiRequest } from '../call/api-request.ts';
import { limitsOf } from '../call/api-request.ts';
import { continueTaskAdvice } from '../call/compose-error.ts';
import type { ClientContext } from '../call/context.ts';
import { execute } from '../call/execute.ts';
import type { PollHeaders } from '../call/request-options.ts';
import type { ApiResponse } from '../call/response.ts';
import { monotonicNow } from '../config/clock.ts';
import { noReason } from '../http/error-body.ts';
import { singleLine, sentence } from '../http/json.ts';
import { fillPath, isSafePathValue } from '../http/path.ts';
import { LatestRecord } from './polled-record.ts';
import type { PollResult, PollOptions, PollTarget } from './polled-record.ts';
import type { TaskDetails, TaskScope } from './task-scope.ts';
import { waits } from './wait.ts';

/** The delay before the first poll of a task in ms that the specification recommends. */
export const taskPollInterval = 2_000;

const isFinal = (status: string): boolean => status === 'succeeded' || status === 'failed';

/** Polls one task. Has few fields, because ten thousand waiting tasks keep one each. */
export class TaskPolls<Kind extends TaskKind> implements PollTarget<
  Generation<Kind>,
  SucceededGeneration<Kind>
> {
  readonly task: TaskHandle<Kind>;
  readonly scope: TaskScope<Kind>;
  readonly details: TaskDetails;
  readonly latest: LatestRecord<Generation<Kind>>;
  /** The poll that has found the task. */
  #found: ApiRequest | undefined;

  constructor(
    task: TaskHandle<Kind>,
    scope: TaskScope<Kind>,
    details: TaskDetails,
    known: PollResult<Generation<Kind>> | undefined,
  ) {
    this.task = task;
    this.scope = scope;
    this.details = details;
    this.latest = new LatestRecord(isFinal, known);
    if (known) this.remember(known.data);
  }

  get context(): ClientContext {
    return this.scope.context;
  }

  get operation(): TelemetryWait {
    const { kind, id } = this.task;
    return { type: 'wait', kind, id };
  }

  get pollInterval(): number {
    return taskPollInterval;
  }

  get pollHeaders(): PollHeaders | undefined {
    return this.details.pollHeaders;
  }

  initial(): Generation<Kind> {
    const { id, kind } = this.task;
    return { id, kind, status: 'running', rawStatus: '', urls: [], raw: unchecked({}) };
  }

  remember(generation: Generation<Kind>): void {
    taskOfRecord.set(generation, this.task);
  }

  toResult(last: Generation<Kind>): SucceededGeneration<Kind> {
    if (last.status === 'succeeded') return last;
    throw taskFailedError(this.task, last);
  }

  get errors(): PollTarget<Generation<Kind>, unknown>['errors'] {
    const { task, latest } = this;
    const { id, idempotencyKey } = task;
    const details = { task, idempotencyKey };
    const withAdvice = (summary: string) => ({ summary, programAdvice: continueTaskAdvice(id) });
    return {
      details,
      aborted: (problem, cause) =>
        createError(AbortedError, withAdvice(problem), { ...details, cause }),
      timeout(problem) {
        const generation = latest.value;
        return createError(TaskWaitTimeoutError, withAdvice(problem), { ...details, generation });
      },
    };
  }

  /** Polls the path at which the task was found before, or else each path until one exists. */
  poll(options: PollOptions): Promise<ApiResponse<Generation<Kind>>> {
    return this.#found ? this.#send(this.#found, options) : this.#find(options);
  }

  /** The polls are one to the caller, so they share its time. */
  async #find(options: PollOptions): Promise<ApiResponse<Generation<Kind>>> {
    const { config } = this.context;
    const { deadline } = limitsOf(config, monotonicNow(config.clock), options);
    const { waitDeadline = Infinity, timeout = config.timeout } = options;
    let firstError: unknown;
    for (const call of this.#calls()) {
      const remainingMs = waitDeadline - monotonicNow(config.clock);
      if (firstError && remainingMs <= 0) break;
      try {
        const limits = { deadline, timeout: Math.min(timeout, remainingMs) };
        return await this.#send(call, { ...options, ...limits });
      } catch (error) {
        if (!isUnknownPath(error)) throw error;
        firstError ??= error;
      }
    }
    throw firstError;
  }

  async #send(request: ApiRequest, options: PollOptions): Promise<ApiResponse<Generation<Kind>>> {
    const { context, kind, read } = this.scope;
    const response = await execute(context, { ...request, options, parts: [waits] }, read);
    this.remember(response.data);
    this.#found = request;
    if (request.path !== this.details.pollPath) {
      context.shared.pollTemplates.set(kind, request.template);
    }
    return response;
  }

  /** The poll to try first: at the path that has found the task, that the service named, or of the best template. */
  get request(): ApiRequest {
    return this.#found ?? this.#pollAt(this.#bestTemplate, this.details.pollPath);
  }

  /**
   * The polls at every path at which the task may be found, best first: where the service named one, then at the
   * template that worked for another task, then at the assumed templates. Assumptions A1 and A2.
   */
  *#calls(): Generator<ApiRequest> {
    const first = this.request;
    yield first;
    // Now, because another poll may have found a template that works since then.
    const templates = new Set([this.#bestTemplate, ...this.scope.pollTemplates]);
    if (this.details.pollPath === undefined) templates.delete(first.template);
    for (const template of templates) yield this.#pollAt(template);
  }

  /** The template that worked for another task, or else the one that is assumed. */
  get #bestTemplate(): string {
    const { context, kind, pollTemplates } = this.scope;
    return context.shared.pollTemplates.get(kind) ?? pollTemplates[0];
  }

  #pollAt(template: string, path = this.#pathOf(template)): ApiRequest {
    return { method: 'GET', template, path, safety: 'safe', task: this.task };
  }

  /** The service may have named any text as the id of a task that was paid for. */
  #pathOf(template: string): string {
    const { task, details } = this;
    const { id, idempotencyKey } = task;
    // An id that only the caller has named says nothing about a charge.
    if (isSafePathValue(id) || !details.meta) return fillPath(template, { id });
    throw new ConfigurationError(
      `Task ${singleLine(id)} was accepted and may have been charged, but cannot be polled: its id is not safe in a URL path. Contact the service with the id and the idempotency key.`,
      { outcome: 'unknown', task, idempotencyKey },
    );
  }
}

/** The tasks of records, so that a download of their results can poll with the headers of the submission. */
const taskOfRecord = new WeakMap<Generation, TaskHandle>();

/** The task of a record, or of its copy in an update; undefined if this process did not receive it. */
export const rememberedTask = (generation: Generation): TaskHandle | undefined =>
  taskOfRecord.get(generation);

/** Whether the error of a poll means that its path does not exist, rather than the task. */
function isUnknownPath(error: unknown): boolean {
  return APIError.is(error) && [404, 405].includes(error.status) && !codeIs(error.code, 'task');
}

/** The error of a task that has failed, given its last record. */
export function taskFailedError(task: TaskHandle, generation: Generation): TaskFailedError {
  const { id, idempotencyKey } = task;
  const reason = sentence(singleLine(generation.error?.message ?? noReason));
  const summary = `Task ${id} failed: ${reason}`;
  const programAdvice =
    'Your balance shows whether it was refunded. To try again, use a new idempotency key.';
  const details = { task, idempotencyKey, generation };
  return createError(TaskFailedError, { summary, programAdvice }, details);
}
