import type { ResponseMeta } from '../../schemas/meta.ts';
import type { TaskUpdate, WaitOptions } from '../../schemas/task-handle.ts';
import type { Generation, SucceededGeneration, TaskKind } from '../../schemas/task.ts';
import type { ApiCall, AttemptObserver } from '../call/api-call.ts';
import { attempt, startCall } from '../call/endpoint.ts';
import { execute } from '../call/execute.ts';
import { withIdempotencyKey } from '../call/idempotency-key.ts';
import { checkRequestOptions } from '../call/request-options.ts';
import type { PollHeaders, RequestOptions } from '../call/request-options.ts';
import type { RequestPromise } from '../call/request-promise.ts';
import { readJson } from '../call/response.ts';
import type { ApiResponse } from '../call/response.ts';
import { notify } from '../config/log.ts';
import { functionValue } from '../config/validation.ts';
import type { Rules } from '../config/validation.ts';
import { parseRetryAfter } from '../http/retry-after.ts';
import type { KnownPrices } from '../limits/estimate.ts';
import { readGeneration } from './generation.ts';
import { serverPollPath } from './poll-path.ts';
import { waitCallbackRules, waitRules } from './poll.ts';
import { SubmittedTask, Task } from './task.ts';
import type { TaskScope } from './task.ts';

/** A submission, as a resource describes it: its params are checked and serialized. */
export interface SubmitRequest {
  readonly template: string;
  readonly model: string;
  /** The params as JSON. */
  readonly body: string;
  /** Estimates the price in USD from the model's prices. Returns undefined if they are unknown. */
  readonly estimateUsd: (prices: KnownPrices) => number | undefined;
  readonly observer?: AttemptObserver | undefined;
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
  return submitAndTransform(scope, describe, options, {}, (submitted) => submitted);
}

/** Submits a task and waits for it. */
export function generate<Kind extends TaskKind>(
  scope: TaskScope<Kind>,
  describe: () => SubmitRequest,
  options?: GenerateOptions<Kind>,
): RequestPromise<SucceededGeneration<Kind>> {
  const copy = attempt(() => ({ ...options }));
  return submitAndTransform(scope, describe, options, generateRules, async (submitted) => {
    const { onSubmit, signal, onUpdate, pollInterval, maxPollInterval, waitTimeout } = copy();
    const wait = { signal, onUpdate, pollInterval, maxPollInterval, waitTimeout };
    const { data: task } = submitted;
    notify(scope.context.config.log, onSubmit, task, 'onSubmit');
    return { ...submitted, data: await task.wait(wait) };
  });
}

/** The rules of the options that `generate` accepts in addition to those of `submit`. */
const generateRules: Rules = {
  ...waitRules,
  ...waitCallbackRules,
  onSubmit: functionValue,
};

function submitAndTransform<Kind extends TaskKind, Final>(
  scope: TaskScope<Kind>,
  describe: () => SubmitRequest,
  options: RequestOptions | undefined,
  extraRules: Rules,
  transform: (
    submitted: ApiResponse<SubmittedTask<Kind>>,
  ) => Promise<ApiResponse<Final>> | ApiResponse<Final>,
): RequestPromise<Final> {
  const prepare = () => {
    const keyedOptions = withIdempotencyKey(options);
    const { idempotencyKey } = keyedOptions;
    const checked = checkRequestOptions(keyedOptions, extraRules, scope.optionRules);
    const call = describeSubmit(scope, describe(), idempotencyKey, checked);
    return { call, options: checked, idempotencyKey };
  };
  return startCall(scope.context, prepare, async ({ call, options: checked, idempotencyKey }) => {
    const handle = readJson(readGeneration(scope.kind));
    const response = await execute(scope.context, call, checked, handle);
    const data = createSubmittedTask(scope, response, idempotencyKey, checked);
    return transform({ ...response, data });
  });
}

function describeSubmit<Kind extends TaskKind>(
  scope: TaskScope<Kind>,
  request: SubmitRequest,
  idempotencyKey: string,
  pollHeaders: PollHeaders,
): ApiCall {
  return {
    ...request,
    method: 'POST',
    safety: 'keyed',
    paid: true,
    usesSlot: true,
    findTask: (meta, taskId) => {
      const id = meta?.taskId ?? taskId;
      return id && meta
        ? new Task(scope, detailsFrom(scope, id, idempotencyKey, meta, pollHeaders))
        : undefined;
    },
  };
}

function createSubmittedTask<Kind extends TaskKind>(
  scope: TaskScope<Kind>,
  { data: latest, meta }: ApiResponse<Generation<Kind>>,
  idempotencyKey: string,
  pollHeaders: PollHeaders,
): SubmittedTask<Kind> {
  const { baseURL, clock } = scope.context.config;
  const { headers } = meta;
  const { poll_url, status_url } = latest.raw;
  return new SubmittedTask(scope, {
    ...detailsFrom(scope, latest.id, idempotencyKey, meta, pollHeaders),
    latest,
    pollPath: serverPollPath([headers.get('location'), poll_url, status_url], baseURL),
    retryAfterMs: parseRetryAfter(headers, clock.now()),
  });
}

function detailsFrom<Kind extends TaskKind>(
  { context }: TaskScope<Kind>,
  id: string,
  idempotencyKey: string,
  meta: ResponseMeta,
  { headers, requestId }: PollHeaders,
) {
  const submittedAt = new Date(context.config.clock.now()).toISOString();
  const pollHeaders = { headers, requestId };
  return { id, idempotencyKey, meta, chargeUsd: meta.chargeUsd, submittedAt, pollHeaders };
}
