import type { SubmitEndpoint } from '../../endpoints/endpoint.ts';
import type { TaskUpdate, WaitOptions } from '../../types/tasks/task-handle.ts';
import type { SucceededGeneration, TaskKind } from '../../types/tasks/task.ts';
import { callTo } from '../call/api-call.ts';
import type { ApiCall, AttemptObserver } from '../call/api-call.ts';
import { execute } from '../call/execute.ts';
import { fallbackOf } from '../call/failure/fallback.ts';
import { checkParams, mergeExtraBody, toJson } from '../call/params.ts';
import type { FindProblem } from '../call/params.ts';
import { checkRequestOptions, fallbackRules, withIdempotencyKey } from '../call/request-options.ts';
import type { RequestOptions } from '../call/request-options.ts';
import type { RequestPromise } from '../call/request-promise.ts';
import { startRequest } from '../call/request.ts';
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
import { toSubmittedTask, taskNamedIn } from './submitted-task.ts';
import type { TaskScope } from './task-scope.ts';
import type { SubmittedTask } from './task.ts';
import { waitCallbackRules, waits } from './wait/results.ts';

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
  return startRequest(scope.context, prepare, ({ submit }) => submit());
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
  return startRequest(context, prepare, ({ call, submit, wait }) => {
    const span = startSpan(config, { type: 'generate', kind, model: call.model });
    const result = submit(span).then((submitted) =>
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
interface PreparedSubmit<Kind extends TaskKind> extends PreparedCall {
  readonly call: ApiCall & Pick<SubmitRequest, 'model'>;
  /** Sends it, as part of the operation that the span describes. */
  readonly submit: (parent?: Span) => Promise<ApiResponse<SubmittedTask<Kind>>>;
}

function prepareSubmit<Kind extends TaskKind>(
  scope: TaskScope<Kind>,
  describe: () => SubmitRequest,
  given: RequestOptions | undefined,
  extraRules: Rules = {},
): PreparedSubmit<Kind> {
  const { context, optionRules } = scope;
  const withKey = withIdempotencyKey(given);
  const options = checkRequestOptions(withKey, extraRules, fallbackRules, optionRules);
  const { endpoint, ...described } = describe();
  const fallback = fallbackOf(described.model, given);
  const { idempotencyKey, headers, requestId } = options;
  const pollHeaders = { headers, requestId };
  const kept = { idempotencyKey, pollHeaders, namesModel: fallback !== undefined };
  const call: PreparedSubmit<Kind>['call'] = {
    ...callTo(endpoint, context.config),
    ...described,
    findTask: (id, meta, { model }) => taskNamedIn(scope, kept, id, model, meta),
  };
  // The wait, too: nothing that follows the payment may depend on a file that can be missing.
  const prepared = { call, options, fallback, parts: [waits] };
  const submit = async (parent?: Span) => {
    const sent = { ...prepared, options: { ...options, parent } };
    const submitted = await execute(context, sent, scope.read);
    return { ...submitted, data: toSubmittedTask(scope, kept, call, submitted) };
  };
  return { ...prepared, submit };
}
