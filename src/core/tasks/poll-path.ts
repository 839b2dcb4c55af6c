import { APIError } from '../../errors/api.ts';
import { isNonEmptyString } from '../../schemas/type-guards.ts';
import { fillPath } from '../http/path.ts';

/** A path at which a task can be polled. */
export interface PollPath {
  readonly path: string;
  /** The template it was filled from; undefined if the service named the path. */
  readonly template?: string | undefined;
}

/** At least one path. */
export type PollPaths = readonly [PollPath, ...PollPath[]];

/**
 * Every path at which a task may be found, best first: the one that the service named, the template that worked for
 * another task, then the assumed templates. Assumptions A1 and A2.
 */
export function candidatePollPaths(
  id: string,
  named: string | undefined,
  templates: readonly [string, ...string[]],
  workingTemplate: string | undefined,
): PollPaths {
  const best = workingTemplate ?? templates[0];
  const others = templates.filter((template) => template !== best);
  const fill = (template: string) => ({ template, path: fillPath(template, { id }) });
  const assumed = [fill(best), ...others.map(fill)] as const;
  return named === undefined ? assumed : [{ path: named }, ...assumed];
}

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
