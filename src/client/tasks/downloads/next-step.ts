import type { TaskHandle } from '../../../wire/types/tasks/task-handle.ts';
import { hasExpiredURL } from '../../../wire/types/tasks/task.ts';
import { parseURL } from '../../../wire/types/type-guards.ts';
import { filePart } from '../../http/result-file.ts';
import type { FilePart } from '../../http/result-file.ts';
import { hasId } from '../task-id.ts';
import type { DownloadSource } from './source.ts';

/** How a download starts. `pollable` is the task, if it can be polled for a fresh URL. */
export type FirstDownloadStep =
  | { readonly type: 'fetch'; readonly url: string; readonly pollable: TaskHandle | undefined }
  | { readonly type: 'poll'; readonly pollable: TaskHandle }
  | { readonly type: 'no-result' };

/** Decides how a download starts: its URL is known, only a poll can return one, or there is no such result. */
export function firstDownloadStep(
  { urls, isFinal, task }: DownloadSource,
  index: number,
): FirstDownloadStep {
  const url = urls?.[index];
  const pollable = task && hasId(task) ? task : undefined;
  if (url !== undefined) return { type: 'fetch', url, pollable };
  return pollable && !isFinal ? { type: 'poll', pollable } : { type: 'no-result' };
}

const maxRedirects = 3;

/** The request of a result. */
export interface ResultRequest {
  readonly url: string;
  /** The first byte that was requested, if not the entire file. */
  readonly start: number | undefined;
  /** How many redirects have led to it. */
  readonly redirects: number;
}

/** What follows from the response to the request of a result. */
export type DownloadStep =
  | { readonly type: 'read'; readonly part: FilePart }
  /** Its address has not been checked. */
  | { readonly type: 'redirect'; readonly url: string }
  /** It is successful, but has other bytes than those that were requested. */
  | { readonly type: 'wrong-part' }
  /** The URL may have expired. */
  | { readonly type: 'expired' }
  /** `problem` is undefined if the status says it all. */
  | { readonly type: 'error'; readonly problem?: string };

/**
 * Decides what follows from a response: its body is read, another address or a fresh URL is requested, or the download fails.
 */
export function nextDownloadStep(
  response: Response,
  { url, start, redirects }: ResultRequest,
): DownloadStep {
  const { ok, status, headers } = response;
  if (ok) {
    const part = filePart(response, url, start);
    return part === undefined ? { type: 'wrong-part' } : { type: 'read', part };
  }
  if (hasExpiredURL(status)) return { type: 'expired' };
  const location = status < 400 ? headers.get('location') : null;
  if (!location) return { type: 'error' };
  if (redirects === maxRedirects) {
    return { type: 'error', problem: `more than ${maxRedirects} redirects` };
  }
  // An invalid URL is passed on; `checkResultURL` rejects it.
  return { type: 'redirect', url: parseURL(location, url)?.href ?? location };
}
