import type { ResponseMeta } from '../../schemas/meta.ts';
import { unchecked } from '../../schemas/schema.ts';
import type { TaskUpdate, WaitOptions } from '../../schemas/task-handle.ts';
import type { SucceededGeneration, TaskKind } from '../../schemas/task.ts';
import type { ApiCall, AttemptObserver } from '../call/api-call.ts';
import { startCall } from '../call/endpoint.ts';
import type { PreparedCall } from '../call/endpoint.ts';
import { execute } from '../call/execute.ts';
import { withIdempotencyKey } from '../call/idempotency-key.ts';
import { checkRequestOptions } from '../call/request-options.ts';
import type { RequestOptions } from '../call/request-options.ts';
import type { RequestPromise } from '../call/request-promise.ts';
import { readJson } from '../call/response.ts';
import type { ApiResponse } from '../call/response.ts';
import { notify } from '../config/log.ts';
import { functionValue } from '../config/validation.ts';
import type { Rules } from '../config/validation.ts';
import type { KnownPrices } from '../limits/estimate.ts';
import { readGeneration } from './generation.ts';
import { serverPollPath } from './poll-path.ts';
import { toPollResult } from './poll-target.ts';
import { waitCallbackRules } from './poll.ts';
import { Task } from './task.ts';
import type { SubmittedTask, TaskScope } from './task.ts';

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
  const prepare = () => prepareSubmit(scope, describe, options);
  return startCall(scope.context, prepare, ({ submit }) => submit());
}

/** Submits a task and waits for it. */
export function generate<Kind extends TaskKind>(
  scope: TaskScope<Kind>,
  describe: () => SubmitRequest,
  options?: GenerateOptions<Kind>,
): RequestPromise<SucceededGeneration<Kind>> {
  const prepare = () => ({
    ...prepareSubmit(scope, describe, options, generateRules),
    wait: { ...options },
  });
  return startCall(scope.context, prepare, ({ submit, wait }) =>
    // Not one async function, which would keep the request for as long as the task runs.
    submit().then(async (submitted) => {
      const { data: task } = submitted;
      notify(scope.context.config.log, wait.onSubmit, task, 'onSubmit');
      return { ...submitted, data: await task.waitForResult(wait) };
    }),
  );
}

/** The rules of the options that `generate` accepts in addition to those of `submit`. */
const generateRules: Rules = {
  ...waitCallbackRules,
  onSubmit: functionValue,
};

/** A submission that is ready to be sent. */
interface PreparedSubmit<Kind extends TaskKind> extends PreparedCall {
  readonly submit: () => Promise<ApiResponse<SubmittedTask<Kind>>>;
}

function prepareSubmit<Kind extends TaskKind>(
  scope: TaskScope<Kind>,
  describe: () => SubmitRequest,
  options: RequestOptions | undefined,
  extraRules: Rules = {},
): PreparedSubmit<Kind> {
  const { context, kind } = scope;
  const { baseURL, clock } = context.config;
  const checked = checkRequestOptions(withIdempotencyKey(options), extraRules, scope.optionRules);
  // Not all options: a task may be kept for long, and its signal and `extraBody` with it.
  const { idempotencyKey, headers, requestId } = checked;
  /** What a response reveals about the task. */
  const detailsOf = (id: string, meta: ResponseMeta) => ({
    id,
    idempotencyKey,
    meta,
    chargeUsd: meta.chargeUsd,
    submittedAt: new Date(clock.now()).toISOString(),
    headers,
    requestId,
  });
  const call: ApiCall = {
    ...describe(),
    method: 'POST',
    safety: 'keyed',
    paid: true,
    usesSlot: true,
    findTask: (meta, taskId) => {
      const id = meta?.taskId ?? taskId;
      return id && meta ? new Task(scope, detailsOf(id, meta)) : undefined;
    },
  };
  const submit = async () => {
    const submitted = await execute(context, call, checked, readJson(readGeneration(kind)));
    const { data, response } = submitted;
    const { poll_url, status_url } = data.raw;
    const task = new Task(scope, {
      ...detailsOf(data.id, submitted.meta()),
      latest: toPollResult(submitted, context),
      pollPath: serverPollPath([response.headers.get('location'), poll_url, status_url], baseURL),
    });
    return { ...submitted, data: unchecked<SubmittedTask<Kind>>(task) };
  };
  return { call, options: checked, submit };
}
