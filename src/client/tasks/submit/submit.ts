import type { TaskKind } from '../../../wire/types/tasks/task.ts';
import { callTo } from '../../call/call.ts';
import type { ApiCall } from '../../call/call.ts';
import { execute } from '../../call/execute.ts';
import {
  fallbackOf,
  checkRequestOptions,
  fallbackRules,
  withIdempotencyKey,
} from '../../call/request-options.ts';
import type { RequestOptions } from '../../call/request-options.ts';
import type { RequestPromise } from '../../call/request.ts';
import { startRequest } from '../../call/request.ts';
import type { ApiResponse } from '../../call/response.ts';
import type { PreparedCall } from '../../call/running-call.ts';
import type { Span } from '../../config/caller.ts';
import type { Rules } from '../../config/validation.ts';
import type { TaskScope } from '../task-scope.ts';
import type { SubmittedTask } from '../task.ts';
import { waits } from '../wait/run-wait.ts';
import type { SubmitRequest } from './submit-request.ts';
import { taskNamedIn, toSubmittedTask } from './submitted-task.ts';
import type { KeptOptions } from './submitted-task.ts';

/** Submits a task. The same request is never charged twice under the same key. */
export function submitTask<Kind extends TaskKind>(
  scope: TaskScope<Kind>,
  describe: () => SubmitRequest,
  options?: RequestOptions,
): RequestPromise<SubmittedTask<Kind>> {
  const prepare = () => prepareSubmit(scope, describe, options);
  return startRequest(scope.context, prepare, (prepared) => sendSubmit(scope, prepared));
}

/** A submission that is ready to be sent. */
interface PreparedSubmit extends PreparedCall {
  readonly call: ApiCall & Pick<SubmitRequest, 'model'>;
  /** What its task keeps of the options. */
  readonly kept: KeptOptions;
}

/** Checks the params and the options. An error means that nothing was sent. */
export function prepareSubmit<Kind extends TaskKind>(
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
    findTask: (id, meta, { model }) => taskNamedIn(scope, kept, { id, model, meta }),
  };
  // Load the wait now, too: once the task is paid for, no missing file may prevent waiting for it.
  return { call, options, fallback, parts: [waits], kept };
}

/** Sends a submission, as part of the operation that the span describes. */
export async function sendSubmit<Kind extends TaskKind>(
  scope: TaskScope<Kind>,
  { kept, ...prepared }: PreparedSubmit,
  parent?: Span,
): Promise<ApiResponse<SubmittedTask<Kind>>> {
  const sent = { ...prepared, options: { ...prepared.options, parent } };
  const response = await execute(scope.context, sent, scope.read);
  return { ...response, data: toSubmittedTask(scope, kept, prepared.call, response) };
}
