import type { SubmitEndpoint } from '../../wire/endpoints/endpoint.ts';
import type { ResponseMeta } from '../../wire/types/meta.ts';
import { unchecked } from '../../wire/types/schema.ts';
import type { TaskUpdate, WaitOptions } from '../../wire/types/tasks/task-handle.ts';
import type { TaskKind, Generation, SucceededGeneration } from '../../wire/types/tasks/task.ts';
import { callTo } from '../call/api-request.ts';
import type { ApiRequest, AttemptObserver } from '../call/api-request.ts';
import { execute } from '../call/execute.ts';
import { bodyParams, checkParams, toJson } from '../call/params.ts';
import type { FindProblem } from '../call/params.ts';
import {
  fallbackOf,
  checkRequestOptions,
  fallbackRules,
  withIdempotencyKey,
} from '../call/request-options.ts';
import type { RequestOptions } from '../call/request-options.ts';
import type { RequestPromise } from '../call/request.ts';
import { startRequest } from '../call/request.ts';
import type { ApiResponse } from '../call/response.ts';
import { startSpan } from '../config/caller.ts';
import type { Span } from '../config/caller.ts';
import { notify } from '../config/log.ts';
import type { Log } from '../config/log.ts';
import { functionValue } from '../config/validation.ts';
import type { Rules } from '../config/validation.ts';
import { keepMeta } from '../http/keep-meta.ts';
import { createResponse } from '../http/response-body.ts';
import { requestPrice } from '../limits/prices.ts';
import type { PriceEstimator } from '../limits/prices.ts';
import { toPollResult } from './polled-record.ts';
import type { PollResult } from './polled-record.ts';
import type { TaskScope, TaskDetails } from './task-scope.ts';
import { Task } from './task.ts';
import type { SubmittedTask } from './task.ts';
import { waits, waitCallbackRules } from './wait.ts';

/** A submission, as a resource describes it: its params are checked and serialized. */
export interface SubmitRequest {
  readonly endpoint: SubmitEndpoint;
  readonly model: string;
  /** The params as JSON. */
  readonly body: string;
  /** Estimates the price in USD from the model's prices. Returns undefined if they are unknown. */
  readonly estimateUsd: PriceEstimator;
  readonly observer?: AttemptObserver | undefined;
}

/** Checks the params of a submission, with `extraBody` merged in, and describes its request. */
export function describeSubmit(
  endpoint: SubmitEndpoint,
  given: { model: string },
  options: RequestOptions | undefined,
  findProblem?: FindProblem,
): SubmitRequest {
  const params = bodyParams(given, options);
  checkParams(params, findProblem);
  return describeChecked(endpoint, params);
}

/** Describes the request of a submission whose params have been checked. */
export function describeChecked(
  endpoint: SubmitEndpoint,
  params: { model: string },
): SubmitRequest {
  const estimateUsd = requestPrice[endpoint.price](params);
  return { endpoint, model: params.model, body: toJson(params), estimateUsd };
}

/** Submits a task. The same request is never charged twice under the same key. */
export function submitTask<Kind extends TaskKind>(
  scope: TaskScope<Kind>,
  describe: () => SubmitRequest,
  options?: RequestOptions,
): RequestPromise<SubmittedTask<Kind>> {
  const prepare = () => prepareSubmit(scope, describe, options);
  return startRequest(scope.context, prepare, (prepared) => sendSubmit(scope, prepared));
}

/** Options of a call that submits a task and waits for it. */
export interface GenerateOptions<Kind extends TaskKind>
  extends RequestOptions, Omit<WaitOptions<TaskUpdate<Kind>>, 'signal'> {
  /** Called once the task is accepted and charged. Store its receipt here. */
  onSubmit?: ((task: SubmittedTask<Kind>) => void) | undefined;
}

/** The rules of the options that `generate` accepts in addition to those of `submit`. */
const generateRules: Rules = { ...waitCallbackRules, onSubmit: functionValue };

/** Submits a task and waits for it. */
export function generate<Kind extends TaskKind>(
  scope: TaskScope<Kind>,
  describe: () => SubmitRequest,
  options?: GenerateOptions<Kind>,
): RequestPromise<SucceededGeneration<Kind>> {
  const prepare = () => ({
    ...prepareSubmit(scope, describe, options, generateRules),
    // The task already has the headers; the caller's object may change before the first poll.
    wait: { ...options, headers: undefined, requestId: undefined },
  });
  const { context, kind } = scope;
  const { config } = context;
  return startRequest(context, prepare, ({ wait, ...prepared }) => {
    const span = startSpan(config, { type: 'generate', kind, model: prepared.model });
    const result = sendSubmit(scope, prepared, span).then((submitted) =>
      waitForSubmitted(submitted, wait, config.log, span),
    );
    if (span) result.then(span.end, (error: unknown) => span.end({ error }));
    return result;
  });
}

/** Waits for a submitted task. A separate function, so that the request is not kept for as long as the task runs. */
function waitForSubmitted<Kind extends TaskKind>(
  { data: task, response }: ApiResponse<SubmittedTask<Kind>>,
  wait: GenerateOptions<Kind>,
  log: Log,
  parent: Span | undefined,
): Promise<ApiResponse<SucceededGeneration<Kind>>> {
  notify(log, wait.onSubmit, task, 'onSubmit');
  const { url } = response;
  return task.waitForResult(wait, parent).then((data) => ({
    data,
    meta: () => task.meta,
    // Its body has been read. Created on demand, because not every runtime has the global.
    get response() {
      return createResponse(null, task.meta, url);
    },
  }));
}

/** What a task keeps of the options of its submission. */
type KeptOptions = Pick<TaskDetails, 'idempotencyKey' | 'pollHeaders' | 'namesModel'>;

/** Checks the params and the options. An error means that nothing was sent. */
function prepareSubmit<Kind extends TaskKind>(
  scope: TaskScope<Kind>,
  describe: () => SubmitRequest,
  given: RequestOptions | undefined,
  extraRules: Rules = {},
) {
  const allRules = [extraRules, fallbackRules, scope.optionRules];
  const options = checkRequestOptions(withIdempotencyKey(given), ...allRules);
  const { endpoint, ...request } = describe();
  const fallback = fallbackOf(request.model, options);
  const { idempotencyKey, headers, requestId } = options;
  // Not all of them: a task may be kept for long, and the signal and `extraBody` with it.
  const kept: KeptOptions = {
    idempotencyKey,
    pollHeaders: { headers, requestId },
    namesModel: fallback !== undefined,
  };
  const findTask: ApiRequest['findTask'] = (id, meta, { model }) =>
    taskOf(scope, kept, { id, model, meta });
  return {
    ...callTo(endpoint, scope.context.config),
    ...request,
    options,
    fallback,
    // Load the wait now, too: once the task is paid for, no missing file may prevent waiting for it.
    parts: [waits],
    // A submission can fail although a response has named its task, which is paid for and must not be lost.
    findTask,
    kept,
  };
}

/** Sends a submission, as part of the operation that the span describes. */
async function sendSubmit<Kind extends TaskKind>(
  scope: TaskScope<Kind>,
  { kept, ...request }: ReturnType<typeof prepareSubmit>,
  parent?: Span,
): Promise<ApiResponse<SubmittedTask<Kind>>> {
  const sent = { ...request, options: { ...request.options, parent } };
  const response = await execute(scope.context, sent, scope.read);
  const { namedPollPath } = await waits.load();
  const pollPath = namedPollPath(scope, request.template, response);
  return { ...response, data: toSubmittedTask(scope, kept, response, pollPath) };
}

/** The task in the response to a submission. */
function toSubmittedTask<Kind extends TaskKind>(
  scope: TaskScope<Kind>,
  kept: KeptOptions,
  submitted: ApiResponse<Generation<Kind>>,
  pollPath: string | undefined,
): SubmittedTask<Kind> {
  const { data } = submitted;
  const meta = submitted.meta();
  // A replay returns the task of an earlier request, which may have named another model.
  const model = (meta.idempotentReplay && data.model) || submitted.model;
  const known = toPollResult(submitted, scope.context);
  const task = taskOf(scope, kept, { id: data.id, model, meta, pollPath }, known);
  return unchecked<SubmittedTask<Kind>>(task);
}

/** The task that a response has named. */
function taskOf<Kind extends TaskKind>(
  scope: TaskScope<Kind>,
  kept: KeptOptions,
  named: Pick<TaskDetails, 'id' | 'model' | 'pollPath'> & { readonly meta: ResponseMeta },
  known?: PollResult<Generation<Kind>>,
): Task<Kind> {
  const { meta } = named;
  const { clock } = scope.context.config;
  const details: TaskDetails = {
    ...kept,
    ...named,
    meta: keepMeta(meta),
    chargeUsd: meta.chargeUsd,
    submittedAt: new Date(clock.now()).toISOString(),
  };
  return new Task(scope, details, known);
}
