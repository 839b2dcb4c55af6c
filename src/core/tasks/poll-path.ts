import { APIError } from '../../errors/api.ts';
import { isNonEmptyString } from '../../schemas/type-guards.ts';

/**
 * The path of the first URL that the service named and that is below the base URL. Others are ignored, because the API
 * key must not be sent anywhere else.
 */
export function serverPollPath(
  candidates: readonly unknown[],
  baseURL: string,
): string | undefined {
  return candidates
    .filter(isNonEmptyString)
    .map((candidate) => URL.parse(candidate, baseURL))
    .find((url) => url?.username === '' && url.href.startsWith(`${baseURL}/`))
    ?.href.slice(baseURL.length)
    .split('#', 1)[0];
}

/** Whether an error means that the path does not exist, rather than the task. */
export function isUnknownPath(error: unknown): error is APIError {
  return (
    error instanceof APIError &&
    [404, 405].includes(error.status) &&
    !error.code?.startsWith('task')
  );
}
