import type { Generation } from '../../wire/types/tasks/task.ts';
import { isNonEmptyString, parseURL } from '../../wire/types/type-guards.ts';
import type { ApiResponse } from '../call/response.ts';
import type { TaskScope } from './task-scope.ts';

/** The poll path that the response to a submission named; undefined if it named none. */
export function namedPollPath(
  { context, pollTemplates }: Pick<TaskScope<never>, 'context' | 'pollTemplates'>,
  submitTemplate: string,
  { data, response }: ApiResponse<Generation>,
): string | undefined {
  const { poll_url: pollURL, status_url: statusURL } = data.raw;
  return serverPollPath(
    [response.headers.get('location'), pollURL, statusURL],
    context.config.baseURL,
    [submitTemplate, ...pollTemplates].map(collectionOf),
  );
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
