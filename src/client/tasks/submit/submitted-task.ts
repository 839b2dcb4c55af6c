import type { ResponseMeta } from '../../../wire/types/meta.ts';
import { unchecked } from '../../../wire/types/schema.ts';
import type { Generation, TaskKind } from '../../../wire/types/tasks/task.ts';
import { parseURL, isNonEmptyString } from '../../../wire/types/type-guards.ts';
import type { ApiCall } from '../../call/api-call.ts';
import type { PollHeaders } from '../../call/request/request-options.ts';
import type { ApiResponse } from '../../call/response.ts';
import { keepMeta } from '../../http/kept-meta.ts';
import type { TaskDetails, TaskScope } from '../task-scope.ts';
import { Task } from '../task.ts';
import type { SubmittedTask } from '../task.ts';
import { toPollResult } from '../wait/latest-record.ts';

/**
 * What a task keeps of the options of its submission. Not all of them: a task may be kept for long, and the signal and
 * `extraBody` with it.
 */
export interface KeptOptions {
  readonly idempotencyKey: string | undefined;
  readonly pollHeaders: PollHeaders;
  /** Whether the submission could choose between several models. */
  readonly namesModel: boolean;
}

/** A task that a response has named. */
interface NamedTask {
  readonly id: string;
  readonly model: string | undefined;
  readonly meta: ResponseMeta;
}

/** The task in the response to a submission. */
export function toSubmittedTask<Kind extends TaskKind>(
  scope: TaskScope<Kind>,
  kept: KeptOptions,
  { template }: ApiCall,
  submitted: ApiResponse<Generation<Kind>>,
): SubmittedTask<Kind> {
  const { data, response } = submitted;
  const meta = submitted.meta();
  // A replay returns the task of an earlier request, which may have named another model.
  const model = (meta.idempotentReplay && data.model) || submitted.model;
  const { poll_url: pollURL, status_url: statusURL } = data.raw;
  const pollPath = serverPollPath(
    [response.headers.get('location'), pollURL, statusURL],
    scope.context.config.baseURL,
    [template, ...scope.pollTemplates].map(collectionOf),
  );
  const details = { ...detailsOf(scope, kept, { id: data.id, model, meta }), pollPath };
  const task = new Task(scope, details, toPollResult(submitted, scope.context));
  return unchecked<SubmittedTask<Kind>>(task);
}

/** The task of a submission that has failed although a response has named one, so that a paid task is not lost. */
export function taskNamedIn<Kind extends TaskKind>(
  scope: TaskScope<Kind>,
  kept: KeptOptions,
  named: NamedTask,
): Task<Kind> {
  return new Task(scope, detailsOf(scope, kept, named));
}

function detailsOf<Kind extends TaskKind>(
  { context }: TaskScope<Kind>,
  kept: KeptOptions,
  { id, model, meta }: NamedTask,
): TaskDetails {
  return {
    ...kept,
    id,
    model,
    meta: keepMeta(meta),
    chargeUsd: meta.chargeUsd,
    submittedAt: new Date(context.config.clock.now()).toISOString(),
  };
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
