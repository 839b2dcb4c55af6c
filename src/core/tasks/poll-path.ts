import { APIError } from '../../errors/api.ts';
import { isNonEmptyString } from '../../types/type-guards.ts';

/**
 * The path of the first URL that the service named and that is below the base URL. Others are ignored, because the API
 * key must not be sent anywhere else. So are collections, such as the path of the submission: they contain the results
 * of other tasks.
 */
export function serverPollPath(
  candidates: readonly unknown[],
  baseURL: string,
  collections: readonly string[],
): string | undefined {
  return candidates
    .filter(isNonEmptyString)
    .map((candidate) => URL.parse(candidate, baseURL))
    .filter((url) => url?.username === '' && url.href.startsWith(`${baseURL}/`))
    .map((url) => url?.href.slice(baseURL.length).split('#', 1)[0])
    .find(
      (path) => path !== undefined && !collections.includes(path.replace(/(?<!\/)\/*\??$/, '')),
    );
}

/** Whether an error means that the path does not exist, rather than the task. */
export function isUnknownPath(error: unknown): error is APIError {
  return (
    error instanceof APIError &&
    [404, 405].includes(error.status) &&
    !error.code?.startsWith('task')
  );
}
