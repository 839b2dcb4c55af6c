import { ConfigurationError } from '../../errors/base.ts';
import type { ErrorDetails, PolygateError } from '../../errors/base.ts';
import { AbortedError } from '../../errors/call.ts';
import { createError } from '../../errors/message.ts';
import type { ResponseMeta } from '../../wire/types/meta.ts';
import type { TaskHandle } from '../../wire/types/tasks/task-handle.ts';
import type { Generation, TaskKind } from '../../wire/types/tasks/task.ts';
import type { ApiRequest } from '../call/api-request.ts';
import { continueTaskAdvice } from '../call/compose-error.ts';
import type { ClientContext } from '../call/context.ts';
import type { PollHeaders } from '../call/request-options.ts';
import type { ResponseHandler } from '../call/response.ts';
import type { Rules } from '../config/validation.ts';
import { singleLine } from '../http/json.ts';
import { fillPath, isSafePathValue } from '../http/path.ts';
import { LatestRecord, waitAborted } from './polled-record.ts';
import type { PollResult, WaitStart } from './polled-record.ts';

/** The tasks of one namespace: how they are polled, and with which client. */
export interface TaskScope<Kind extends TaskKind> {
  readonly context: ClientContext;
  readonly kind: Kind;
  /** Templates of the poll path, in the order in which they are tried. Assumptions A1 and A2. */
  readonly pollTemplates: readonly [string, ...string[]];
  /** Reads a task record. */
  readonly read: ResponseHandler<Generation<Kind>>;
  /** The rules of options that only this namespace accepts. */
  readonly optionRules: Rules;
}

/** What is known about a task when its handle is created. */
export interface TaskDetails {
  readonly id: string;
  /** Id of the model. */
  readonly model?: string | undefined;
  /** Whether the receipt names the model, because the submission could choose between several. */
  readonly namesModel?: boolean | undefined;
  readonly idempotencyKey?: string | undefined;
  readonly chargeUsd?: number | undefined;
  readonly submittedAt?: string | undefined;
  /** Metadata of the submission's response. */
  readonly meta?: ResponseMeta | undefined;
  /** The poll path that the submission's response named. */
  readonly pollPath?: string | undefined;
  /** Headers of the submission, which its polls carry, too. */
  readonly pollHeaders?: PollHeaders | undefined;
}

/** Whether the id of a task is known. If not, the task cannot be polled, and only its idempotency key can find it again. */
export const hasId = ({ id }: { readonly id?: string | undefined }): boolean => Boolean(id);

const isFinal = (status: string): boolean => status === 'succeeded' || status === 'failed';

/** What is known about a task. Has few fields, because ten thousand waiting tasks keep one each. */
export class KnownTask<Kind extends TaskKind> implements WaitStart {
  readonly task: TaskHandle<Kind>;
  readonly scope: TaskScope<Kind>;
  readonly details: TaskDetails;
  readonly latest: LatestRecord<Generation<Kind>>;
  /** The poll that has found the task. */
  found: ApiRequest | undefined;

  constructor(
    task: TaskHandle<Kind>,
    scope: TaskScope<Kind>,
    details: TaskDetails,
    received: PollResult<Generation<Kind>> | undefined,
  ) {
    this.task = task;
    this.scope = scope;
    this.details = details;
    this.latest = new LatestRecord(isFinal, received);
    if (received) this.remember(received.data);
  }

  /** Remembers the task of a record, so that a download of its results can poll with the headers of the submission. */
  remember(generation: Generation<Kind>): void {
    taskOfRecord.set(generation, this.task);
  }

  get context(): ClientContext {
    return this.scope.context;
  }

  get errorDetails(): ErrorDetails {
    return { task: this.task, idempotencyKey: this.task.idempotencyKey };
  }

  aborted(cause: unknown): PolygateError {
    const { errorDetails, task } = this;
    const message = { summary: waitAborted, programAdvice: continueTaskAdvice(task.id) };
    return createError(AbortedError, message, { ...errorDetails, cause });
  }

  /** The poll to try first: at the path that has found the task, that the service named, or of the best template. */
  get request(): ApiRequest {
    return this.found ?? this.pollAt(this.bestTemplate, this.details.pollPath);
  }

  /** The template that worked for another task, or else the one that is assumed. */
  get bestTemplate(): string {
    const { context, kind, pollTemplates } = this.scope;
    return context.shared.pollTemplates.get(kind) ?? pollTemplates[0];
  }

  pollAt(template: string, path = this.#pathOf(template)): ApiRequest {
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

const taskOfRecord = new WeakMap<Generation, TaskHandle>();

/** The task of a record, or of its copy in an update; undefined if this process did not receive it. */
export const rememberedTask = (generation: Generation): TaskHandle | undefined =>
  taskOfRecord.get(generation);
