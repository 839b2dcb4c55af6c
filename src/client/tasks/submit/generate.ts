import type { TaskUpdate, WaitOptions } from '../../../wire/types/tasks/task-handle.ts';
import type { SucceededGeneration, TaskKind } from '../../../wire/types/tasks/task.ts';
import type { RequestOptions } from '../../call/request-options.ts';
import type { RequestPromise } from '../../call/request.ts';
import { startRequest } from '../../call/request.ts';
import type { ApiResponse } from '../../call/response.ts';
import { startSpan } from '../../config/caller.ts';
import type { Span } from '../../config/caller.ts';
import { notify } from '../../config/log.ts';
import type { Log } from '../../config/log.ts';
import { functionValue } from '../../config/validation.ts';
import type { Rules } from '../../config/validation.ts';
import { createResponse } from '../../http/response-body.ts';
import type { TaskScope } from '../task-scope.ts';
import type { SubmittedTask } from '../task.ts';
import { waitCallbackRules } from '../wait/wait-rules.ts';
import type { SubmitRequest } from './submit-request.ts';
import { prepareSubmit, sendSubmit } from './submit.ts';

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
