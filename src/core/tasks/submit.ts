import type { ResponseMeta } from '../../schemas/meta.ts';
import type { TaskUpdate, WaitOptions } from '../../schemas/task-handle.ts';
import type { Generation, SucceededGeneration, TaskKind } from '../../schemas/task.ts';
import type { ApiCall } from '../call/api-call.ts';
import { startCall } from '../call/endpoint.ts';
import { withIdempotencyKey } from '../call/idempotency-key.ts';
import type { RequestOptions } from '../call/request-options.ts';
import type { RequestPromise } from '../call/request-promise.ts';
import { readJson } from '../call/response.ts';
import type { ApiResponse } from '../call/response.ts';
import { notify } from '../config/log.ts';
import { parseRetryAfter } from '../http/retry-after.ts';
import type { KnownPrices } from '../limits/estimate.ts';
import { readGeneration } from './generation.ts';
import { serverPollPath } from './poll-path.ts';
import { resolvePollTiming } from './poll.ts';
import { SubmittedTask, Task, taskPollTiming } from './task.ts';
import type { TaskScope } from './task.ts';

/** A submission, as a resource describes it. */
export interface SubmitRequest {
  readonly template: string;
  readonly params: { model: string };
  /** Throws if the params break a rule of the specification. */
  readonly check: () => void;
  /** Estimates the price in USD from the model's prices. Returns undefined if they are unknown. */
  readonly estimateUsd: (prices: KnownPrices) => number | undefined;
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
  request: SubmitRequest,
  options?: RequestOptions,
): RequestPromise<SubmittedTask<Kind>> {
  return submitAndTransform(scope, request, options, (submitted) => submitted);
}

/** Submits a task and waits for it. */
export function generate<Kind extends TaskKind>(
  scope: TaskScope<Kind>,
  request: SubmitRequest,
  options: GenerateOptions<Kind> = {},
): RequestPromise<SucceededGeneration<Kind>> {
  const check = () => {
    request.check();
    resolvePollTiming(options, taskPollTiming);
  };
  return submitAndTransform(scope, { ...request, check }, options, async (submitted) => {
    const { data: task } = submitted;
    notify(scope.context.config.log, options.onSubmit, task, 'onSubmit');
    return { ...submitted, data: await task.wait(options) };
  });
}

function submitAndTransform<Kind extends TaskKind, Final>(
  scope: TaskScope<Kind>,
  request: SubmitRequest,
  options: RequestOptions = {},
  transform: (
    submitted: ApiResponse<SubmittedTask<Kind>>,
  ) => Promise<ApiResponse<Final>> | ApiResponse<Final>,
): RequestPromise<Final> {
  const keyedOptions = withIdempotencyKey(options);
  const { idempotencyKey } = keyedOptions;
  return startCall(
    scope.context,
    () => describeSubmit(scope, request, idempotencyKey),
    keyedOptions,
    readJson(readGeneration(scope.kind)),
    (response) =>
      transform({ ...response, data: createSubmittedTask(scope, response, idempotencyKey) }),
  );
}

function describeSubmit<Kind extends TaskKind>(
  scope: TaskScope<Kind>,
  { template, params, check, estimateUsd }: SubmitRequest,
  idempotencyKey: string,
): ApiCall {
  check();
  return {
    method: 'POST',
    template,
    body: params,
    model: params.model,
    estimateUsd,
    safety: 'keyed',
    paid: true,
    usesSlot: true,
    findTask: (meta, taskId) => {
      const id = meta?.taskId ?? taskId;
      return id && meta ? new Task(scope, detailsFrom(scope, id, idempotencyKey, meta)) : undefined;
    },
  };
}

function createSubmittedTask<Kind extends TaskKind>(
  scope: TaskScope<Kind>,
  { data: latest, meta, response: { headers } }: ApiResponse<Generation<Kind>>,
  idempotencyKey: string,
): SubmittedTask<Kind> {
  const { baseURL, clock } = scope.context.config;
  const { poll_url, status_url } = latest.raw;
  return new SubmittedTask(scope, {
    ...detailsFrom(scope, latest.id, idempotencyKey, meta),
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
) {
  const submittedAt = new Date(context.config.clock.now()).toISOString();
  return { id, idempotencyKey, meta, chargeUsd: meta.chargeUsd, submittedAt };
}
