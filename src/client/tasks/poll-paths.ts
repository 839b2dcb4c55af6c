import { APIError } from '../../errors/responses.ts';
import { ConfigurationError } from '../../errors/base.ts';
import type { TaskHandle } from '../../wire/types/tasks/task-handle.ts';
import type { TaskKind } from '../../wire/types/tasks/task.ts';
import type { ApiCall } from '../call/api-call.ts';
import { singleLine } from '../http/json.ts';
import { fillPath, isSafePathValue } from '../http/path.ts';
import type { TaskDetails, TaskScope } from './task-scope.ts';

/** A task, and what is known about where it can be polled. */
export interface PolledTask<Kind extends TaskKind> {
  readonly task: TaskHandle<Kind>;
  readonly scope: TaskScope<Kind>;
  readonly details: TaskDetails;
}

/** The poll to try first: at the path that the service named, or else at the best template. */
export function firstPollCall<Kind extends TaskKind>(polled: PolledTask<Kind>): ApiCall {
  const template = bestTemplate(polled.scope);
  return pollAt(polled, template, polled.details.pollPath ?? pathOf(polled, template));
}

/**
 * The polls at every path at which the task may be found, best first: where the service named one, then at the template
 * that worked for another task, then at the assumed templates. Assumptions A1 and A2.
 */
export function* pollCalls<Kind extends TaskKind>(polled: PolledTask<Kind>): Generator<ApiCall> {
  const { scope, details } = polled;
  const first = firstPollCall(polled);
  yield first;
  // Now, because another poll may have found a template that works since then.
  const templates = new Set([bestTemplate(scope), ...scope.pollTemplates]);
  if (details.pollPath === undefined) templates.delete(first.template);
  for (const template of templates) yield pollAt(polled, template, pathOf(polled, template));
}

/** Whether the error of a poll means that its path does not exist, rather than the task. */
export function isUnknownPath(error: unknown): boolean {
  return APIError.is(error) && [404, 405].includes(error.status) && !isTaskCode(error.code);
}

/** Whether an error code is about a task, so that the path of the poll exists. */
export function isTaskCode(code: string | undefined): boolean {
  return code?.startsWith('task') ?? false;
}

/** The template that worked for another task, or else the one that is assumed. */
function bestTemplate<Kind extends TaskKind>(scope: TaskScope<Kind>): string {
  const { context, kind, pollTemplates } = scope;
  return context.shared.pollTemplates.get(kind) ?? pollTemplates[0];
}

function pollAt<Kind extends TaskKind>(
  { task }: PolledTask<Kind>,
  template: string,
  path: string,
): ApiCall {
  return { method: 'GET', template, path, safety: 'safe', task };
}

/** The service may have named any text as the id of a task that was paid for. */
function pathOf<Kind extends TaskKind>(
  { task, details }: PolledTask<Kind>,
  template: string,
): string {
  const { id, idempotencyKey } = task;
  // An id that only the caller has named says nothing about a charge.
  if (isSafePathValue(id) || !details.meta) return fillPath(template, { id });
  throw new ConfigurationError(
    `Task ${singleLine(id)} was accepted and may have been charged, but cannot be polled: its id is not safe in a URL path. Contact the service with the id and the idempotency key.`,
    { outcome: 'unknown', task, idempotencyKey },
  );
}
