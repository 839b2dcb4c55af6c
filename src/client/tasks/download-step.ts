import type { TaskHandle } from '../../wire/types/tasks/task-handle.ts';
import { hasExpiredURL } from '../../wire/types/tasks/task.ts';
import type { Generation, Receipt, TaskKind } from '../../wire/types/tasks/task.ts';
import { parseURL, isRecord } from '../../wire/types/type-guards.ts';
import { checkValue } from '../config/validation.ts';
import type { Rule } from '../config/validation.ts';
import { filePart } from '../http/result-file.ts';
import type { FilePart } from '../http/result-file.ts';
import { rememberedTask, hasId } from './task-scope.ts';

/** Something to download: a URL, a generation, or a task. */
export interface DownloadSource {
  /** What has the results, for messages. */
  readonly name: 'a URL' | 'the task';
  /** The URLs of the results; undefined if they are not known yet. */
  readonly urls: readonly string[] | undefined;
  /** What the results are; undefined for a URL, which says nothing about that. */
  readonly kind?: TaskKind | undefined;
  /** Whether the URLs are all that there will ever be. */
  readonly isFinal: boolean;
  /** The task of the results. Errors carry it. */
  readonly task?: TaskHandle | undefined;
}

const sourceRule: Rule = [
  (value) => isRecord(value) && 'kind' in value,
  'a URL, a generation or a task',
];

/**
 * Describes what the caller wants to download. A task that has not succeeded has no results, although its record may have
 * the URLs of previews. A caller who wants one of them passes the record.
 */
export function parseSource(
  source: string | Generation | TaskHandle,
  openTask: (receipt: Receipt) => TaskHandle,
): DownloadSource {
  if (typeof source === 'string') return { name: 'a URL', urls: [source], isFinal: true };
  checkValue('source', source ?? null, sourceRule);
  const name = 'the task';
  if ('wait' in source) {
    const { latest, kind } = source;
    const isFinal = latest?.status === 'succeeded';
    return { name, kind, urls: isFinal ? latest.urls : undefined, isFinal, task: source };
  }
  const { kind, id, urls, status } = source;
  const openKnown = () => (hasId(source) ? openTask({ v: 1, kind, id }) : undefined);
  const task = rememberedTask(source) ?? openKnown();
  return { name, kind, urls, isFinal: status === 'succeeded', task };
}

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
 * `start` is the first byte that was requested, if not the entire file, and `redirects` how many have led to the URL.
 */
export function nextDownloadStep(
  response: Response,
  {
    url,
    start,
    redirects,
  }: { readonly url: string; readonly start: number | undefined; readonly redirects: number },
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
