import type { PolygateError } from '../../errors/base.ts';
import { createError } from '../../errors/message.ts';
import { APIError } from '../../errors/responses.ts';
import {
  TaskWaitTimeoutError,
  MaterialFailedError,
  MaterialWaitTimeoutError,
} from '../../errors/tasks.ts';
import { codeIs } from '../../wire/codes.ts';
import { endpoints } from '../../wire/endpoints/index.ts';
import { isAvailable, isFinalMaterialStatus } from '../../wire/types/media/material-status.ts';
import type { AvailableMaterial, Material } from '../../wire/types/media/materials.ts';
import { unchecked } from '../../wire/types/schema.ts';
import type { Generation, SucceededGeneration, TaskKind } from '../../wire/types/tasks/task.ts';
import type { TelemetryWait } from '../../wire/types/telemetry.ts';
import { isNonEmptyString, parseURL } from '../../wire/types/type-guards.ts';
import type { ApiRequest } from '../call/api-request.ts';
import { limitsOf, callTo } from '../call/api-request.ts';
import { continueTaskAdvice } from '../call/compose-error.ts';
import type { ClientContext } from '../call/context.ts';
import { execute } from '../call/execute.ts';
import type { PollHeaders } from '../call/request-options.ts';
import type { ApiResponse } from '../call/response.ts';
import { monotonicNow } from '../config/clock.ts';
import { fillPath } from '../http/path.ts';
import { readMaterial } from './material.ts';
import type { MaterialWait } from './material.ts';
import { taskPollInterval } from './poll-decisions.ts';
import { toPollResult, LatestRecord } from './polled-record.ts';
import type { PollOptions, PollTarget, PollResult } from './polled-record.ts';
import { taskFailedError } from './task-failed.ts';
import type { KnownTask, TaskScope } from './task-scope.ts';

/** Polls a task once for its caller, outside of a wait. */
export async function pollOnce<Kind extends TaskKind>(
  known: KnownTask<Kind>,
  options: PollOptions,
): Promise<ApiResponse<Generation<Kind>>> {
  const response = await new TaskPolls(known).poll(options);
  known.latest.keep(toPollResult(response, known.context));
  return response;
}

/** Polls one task. */
export class TaskPolls<Kind extends TaskKind> implements PollTarget<
  Generation<Kind>,
  SucceededGeneration<Kind>
> {
  readonly #known: KnownTask<Kind>;

  constructor(known: KnownTask<Kind>) {
    this.#known = known;
  }

  get context(): ClientContext {
    return this.#known.context;
  }

  get latest(): LatestRecord<Generation<Kind>> {
    return this.#known.latest;
  }

  get operation(): TelemetryWait {
    const { kind, id } = this.#known.task;
    return { type: 'wait', kind, id };
  }

  get pollInterval(): number {
    return taskPollInterval;
  }

  get pollHeaders(): PollHeaders | undefined {
    return this.#known.details.pollHeaders;
  }

  initial(): Generation<Kind> {
    const { id, kind } = this.#known.task;
    return { id, kind, status: 'running', rawStatus: '', urls: [], raw: unchecked({}) };
  }

  remember(generation: Generation<Kind>): void {
    this.#known.remember(generation);
  }

  toResult(last: Generation<Kind>): SucceededGeneration<Kind> {
    if (last.status === 'succeeded') return last;
    throw taskFailedError(this.#known.task, last);
  }

  aborted(reason: unknown): PolygateError {
    return this.#known.aborted(reason);
  }

  timeout(summary: string): PolygateError {
    const { task, errorDetails, latest } = this.#known;
    const message = { summary, programAdvice: continueTaskAdvice(task.id) };
    const generation = latest.value;
    return createError(TaskWaitTimeoutError, message, { ...errorDetails, generation });
  }

  /** Polls the path at which the task was found before, or else each path until one exists. */
  poll(options: PollOptions): Promise<ApiResponse<Generation<Kind>>> {
    const { found } = this.#known;
    return found ? this.#send(found, options) : this.#find(options);
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
    const known = this.#known;
    const { context, kind, read } = known.scope;
    const response = await execute(context, { ...request, options }, read);
    known.remember(response.data);
    known.found = request;
    if (request.path !== known.details.pollPath) {
      context.shared.pollTemplates.set(kind, request.template);
    }
    return response;
  }

  /**
   * The polls at every path at which the task may be found, best first: where the service named one, then at the
   * template that worked for another task, then at the assumed templates. Assumptions A1 and A2.
   */
  *#calls(): Generator<ApiRequest> {
    const known = this.#known;
    const first = known.request;
    yield first;
    // Now, because another poll may have found a template that works since then.
    const templates = new Set([known.bestTemplate, ...known.scope.pollTemplates]);
    if (known.details.pollPath === undefined) templates.delete(first.template);
    for (const template of templates) yield known.pollAt(template);
  }
}

/** Whether the error of a poll means that its path does not exist, rather than the task. */
function isUnknownPath(error: unknown): boolean {
  return APIError.is(error) && [404, 405].includes(error.status) && !codeIs(error.code, 'task');
}

/** The poll path that the response to a submission named; undefined if it named none. */
export function namedPollPath(
  { context, pollTemplates }: Pick<TaskScope<never>, 'context' | 'pollTemplates'>,
  submitTemplate: string,
  { data, response }: ApiResponse<Generation>,
): string | undefined {
  const { poll_url: pollURL, status_url: statusURL } = data.raw;
  return serverPollPath(
    [response.headers.get('location'), pollURL, statusURL],
    context.config.baseURL,
    [submitTemplate, ...pollTemplates].map(collectionOf),
  );
}

/** The slashes and the empty query at the end of a path. */
const pathEnd = /(?<!\/)\/*\??$/;

/** The part of a path template before its first placeholder. */
const collectionOf = (template: string) => template.split('/{', 1)[0] ?? template;

/**
 * The path of the first URL that the service named and that is below the base URL. Others are ignored, because the API
 * key must not be sent anywhere else. So are collections, such as the path of the submission: they contain the results
 * of other tasks.
 */
function serverPollPath(
  candidates: readonly unknown[],
  baseURL: string,
  collections: readonly string[],
): string | undefined {
  return candidates
    .filter(isNonEmptyString)
    .map((candidate) => parseURL(candidate, baseURL))
    .filter((url) => url?.username === '' && url.href.startsWith(`${baseURL}/`))
    .map((url) => url?.href.slice(baseURL.length).split('#', 1)[0])
    .find((path) => path !== undefined && !collections.includes(path.replace(pathEnd, '')));
}

/** Polls one material. `pollHeaders` are those of the request that has created it. */
export function materialPolls(
  { context, id, aborted, withAdvice }: MaterialWait,
  known?: PollResult<Material>,
  pollHeaders?: PollHeaders,
): PollTarget<Material, AvailableMaterial> {
  const latest = new LatestRecord(isFinalMaterialStatus, known);
  return {
    context,
    operation: { type: 'wait', kind: 'material', id },
    latest,
    pollHeaders,
    pollInterval: 3_000,
    async poll(options) {
      const path = fillPath(endpoints.materials.retrieve.path, { material_id: id });
      const request = { ...callTo(endpoints.materials.retrieve, context.config), path, options };
      return execute(context, request, readMaterial);
    },
    toResult(last) {
      if (isAvailable(last)) return last;
      throw new MaterialFailedError(
        `Material ${id} has the status ${last.status} and no usable URI. To try again, use a new idempotency key.`,
        { material: last },
      );
    },
    aborted,
    timeout: (problem): PolygateError =>
      new MaterialWaitTimeoutError(withAdvice(problem), { material: latest.value }),
  };
}
