import { AbortedError } from '../../errors/call.ts';
import { createError } from '../../errors/message.ts';
import { TaskWaitTimeoutError } from '../../errors/tasks.ts';
import { unchecked } from '../../wire/types/schema.ts';
import type { TaskHandle } from '../../wire/types/tasks/task-handle.ts';
import type { Generation, SucceededGeneration, TaskKind } from '../../wire/types/tasks/task.ts';
import type { TelemetryWait } from '../../wire/types/telemetry.ts';
import type { ApiCall } from '../call/api-call.ts';
import { limitsOf } from '../call/call-limits.ts';
import type { ClientContext } from '../call/context.ts';
import { execute } from '../call/execute.ts';
import { continueTaskAdvice } from '../call/failure/error-message.ts';
import type { PollHeaders } from '../call/request/request-options.ts';
import type { ApiResponse } from '../call/response.ts';
import { monotonicNow } from '../config/clock.ts';
import { taskFailedError } from './failed-task.ts';
import { firstPollCall, isUnknownPath, pollCalls } from './poll-paths.ts';
import type { PolledTask } from './poll-paths.ts';
import { rememberTask } from './remembered-tasks.ts';
import type { TaskDetails, TaskScope } from './task-scope.ts';
import { LatestRecord } from './wait/latest-record.ts';
import type { PollResult } from './wait/latest-record.ts';
import { taskPollInterval } from './wait/poll-delay.ts';
import type { PollOptions, PollTarget, WaitErrors } from './wait/poll-target.ts';
import { waits } from './wait/run-wait.ts';

const isFinal = (status: string): boolean => status === 'succeeded' || status === 'failed';

/** Polls one task. Has few fields, because ten thousand waiting tasks keep one each. */
export class TaskPolls<Kind extends TaskKind>
  implements PolledTask<Kind>, PollTarget<Generation<Kind>, SucceededGeneration<Kind>>
{
  readonly task: TaskHandle<Kind>;
  readonly scope: TaskScope<Kind>;
  readonly details: TaskDetails;
  readonly latest: LatestRecord<Generation<Kind>>;
  /** The poll that has found the task. */
  #found: ApiCall | undefined;

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

  /** The poll to try first. */
  get call(): ApiCall {
    return this.#found ?? firstPollCall(this);
  }

  initial(): Generation<Kind> {
    const { id, kind } = this.task;
    return { id, kind, status: 'running', rawStatus: '', urls: [], raw: unchecked({}) };
  }

  remember(generation: Generation<Kind>): void {
    rememberTask(generation, this.task);
  }

  toResult(last: Generation<Kind>): SucceededGeneration<Kind> {
    if (last.status === 'succeeded') return last;
    throw taskFailedError(this.task, last);
  }

  get errors(): WaitErrors {
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
    for (const call of pollCalls(this)) {
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

  async #send(call: ApiCall, options: PollOptions): Promise<ApiResponse<Generation<Kind>>> {
    const { context, kind, read } = this.scope;
    const response = await execute(context, { call, options, parts: [waits] }, read);
    this.remember(response.data);
    this.#found = call;
    if (call.path !== this.details.pollPath) context.shared.pollTemplates.set(kind, call.template);
    return response;
  }
}
