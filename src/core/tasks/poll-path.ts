import { APIError } from '../../errors/api.ts';
import { isNonEmptyString } from '../../schemas/record.ts';
import { fillPath } from '../http/path.ts';

/** A place where a task may be asked for. */
export interface PollPath {
  readonly path: string;
  /** The template it was filled from; absent when the service itself named the place. */
  readonly template?: string | undefined;
}

/**
 * Every place where a task may be asked for, best first: where the service said, the path that worked for another
 * task, then the assumed ones. Assumptions A1 and A2.
 */
export function candidatePollPaths(
  id: string,
  told: string | undefined,
  templates: readonly [string, ...string[]],
  worked: string | undefined,
): readonly [PollPath, ...PollPath[]] {
  const best = worked ?? templates[0];
  const others = templates.filter((template) => template !== best);
  const fill = (template: string) => ({ template, path: fillPath(template, { id }) });
  const assumed = [fill(best), ...others.map(fill)] as const;
  return told === undefined ? assumed : [{ path: told }, ...assumed];
}

/**
 * The path of a URL that the service named, if it lies under the base URL: the key is never sent anywhere else.
 */
export function serverPollPath(
  candidates: readonly unknown[],
  baseURL: string,
): string | undefined {
  for (const candidate of candidates) {
    const url = isNonEmptyString(candidate) ? URL.parse(candidate, baseURL) : null;
    if (url !== null && url.username === '' && url.href.startsWith(`${baseURL}/`)) {
      return url.href.slice(baseURL.length).split('#', 1)[0];
    }
  }
  return undefined;
}

/** Whether an answer says that there is no such path, rather than no such task. */
export function isUnknownPath(error: unknown): error is APIError {
  return (
    error instanceof APIError &&
    (error.status === 404 || error.status === 405) &&
    !error.code?.startsWith('task')
  );
}
