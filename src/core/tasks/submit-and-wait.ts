import type { SubmitEndpoint } from '../../endpoints/endpoint.ts';
import type { TaskUpdate, WaitOptions } from '../../types/tasks/task-handle.ts';
import type { SucceededGeneration, TaskKind } from '../../types/tasks/task.ts';
import { callTo } from '../call/api-call.ts';
import type { ApiCall, AttemptObserver } from '../call/api-call.ts';
import { execute } from '../call/execute.ts';
import { fallbackOf } from '../call/request/fallback-option.ts';
import { checkParams, mergeExtraBody, toJson } from '../call/request/params.ts';
import type { FindProblem } from '../call/request/params.ts';
import {
  checkRequestOptions,
  fallbackRules,
  withIdempotencyKey,
} from '../call/request/request-options.ts';
import type { RequestOptions } from '../call/request/request-options.ts';
import type { RequestPromise } from '../call/request/request-promise.ts';
import { startRequest } from '../call/request/request.ts';
import type { ApiResponse } from '../call/response.ts';
import type { PreparedCall } from '../call/running-call.ts';
import { startSpan } from '../call/telemetry.ts';
import type { Span } from '../call/telemetry.ts';
import { notify } from '../config/log.ts';
import type { Log } from '../config/log.ts';
import { functionValue } from '../config/validation.ts';
import type { Rules } from '../config/validation.ts';
import { createResponse } from '../http/response-body.ts';
import type { PriceEstimator } from '../limits/request-price.ts';
import { requestPrice } from '../limits/request-price.ts';
import { taskNamedIn, toSubmittedTask } from './submitted-task.ts';
import type { KeptOptions } from './submitted-task.ts';
import type { TaskScope } from './task-scope.ts';
import type { SubmittedTask } from './task.ts';
import { waits } from './wait/run-wait.ts';
import { waitCallbackRules } from './wait/wait-rules.ts';

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

/** Checks and serializes the params of a submission. */
export function describeSubmit(
  endpoint: SubmitEndpoint,
  given: { model: string },
  options: RequestOptions | undefined,
  findProblem?: FindProblem,
): SubmitRequest {
  const params = mergeExtraBody(given, options);
  checkParams(params, findProblem);
  const { model } = params;
  const estimateUsd = requestPrice[endpoint.price](params);
  return { endpoint, model, body: toJson(params), estimateUsd };
}

/** Options of a call that submits a task and waits for it. */
export interface GenerateOptions<Kind extends TaskKind>
  extends RequestOptions, Omit<WaitOptions<TaskUpdate<Kind>>, 'signal'> {
  /** Called once the task is accepted and charged. Store its receipt here. */
  onSubmit?: ((task: SubmittedTask<Kind>) => void) | undefined;
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
    const span = startSpan(config, { type: 'generate', kind, model: prepared.call.model });
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

/** The rules of the options that `generate` accepts in addition to those of `submit`. */
const generateRules: Rules = { ...waitCallbackRules, onSubmit: functionValue };

/** A submission that is ready to be sent. */
interface PreparedSubmit extends PreparedCall {
  readonly call: ApiCall & Pick<SubmitRequest, 'model'>;
  /** What its task keeps of the options. */
  readonly kept: KeptOptions;
}

/** Checks the params and the options. An error means that nothing was sent. */
function prepareSubmit<Kind extends TaskKind>(
  scope: TaskScope<Kind>,
  describe: () => SubmitRequest,
  given: RequestOptions | undefined,
  extraRules: Rules = {},
): PreparedSubmit {
  const allRules = [extraRules, fallbackRules, scope.optionRules];
  const options = checkRequestOptions(withIdempotencyKey(given), ...allRules);
  const { endpoint, ...request } = describe();
  const fallback = fallbackOf(request.model, options);
  const { idempotencyKey, headers, requestId } = options;
  const kept: KeptOptions = {
    idempotencyKey,
    pollHeaders: { headers, requestId },
    namesModel: fallback !== undefined,
  };
  const call: PreparedSubmit['call'] = {
    ...callTo(endpoint, scope.context.config),
    ...request,
    findTask: (id, meta, { model }) => taskNamedIn(scope, kept, id, model, meta),
  };
  // Load the wait now, too: once the task is paid for, no missing file may prevent waiting for it.
  return { call, options, fallback, parts: [waits], kept };
}

/** Sends a submission, as part of the operation that the span describes. */
async function sendSubmit<Kind extends TaskKind>(
  scope: TaskScope<Kind>,
  { kept, ...prepared }: PreparedSubmit,
  parent?: Span,
): Promise<ApiResponse<SubmittedTask<Kind>>> {
  const sent = { ...prepared, options: { ...prepared.options, parent } };
  const response = await execute(scope.context, sent, scope.read);
  return { ...response, data: toSubmittedTask(scope, kept, prepared.call, response) };
}
