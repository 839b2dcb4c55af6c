import type { TaskHandle } from '../../../wire/types/tasks/task-handle.ts';
import type { Generation, Receipt } from '../../../wire/types/tasks/task.ts';
import type { Config } from '../../config/config.ts';
import { checkOptions } from '../../config/validation.ts';
import type { DownloadResponse } from './download-body.ts';
import { fetchResult } from './fetch-result.ts';
import { firstDownloadStep } from './next-step.ts';
import { downloadRules } from './options.ts';
import type { DownloadOptions } from './options.ts';
import { noResultError, parseSource, unfinishedError } from './source.ts';

/**
 * Downloads a result as a stream: without credentials, following only redirects whose address is allowed. Polls the task
 * for its result if it is not known yet, and once for a fresh URL if the known one has expired.
 */
export async function download(
  config: Config,
  given: string | Generation | TaskHandle,
  openTask: (receipt: Receipt) => TaskHandle,
  options: DownloadOptions = {},
): Promise<DownloadResponse> {
  const source = parseSource(given, openTask);
  checkOptions(options, downloadRules);
  const { index = 0 } = options;
  const step = firstDownloadStep(source, index);
  if (step.type === 'no-result') throw noResultError(index, source);
  const mayBePreview = step.type === 'fetch' && !source.isFinal;
  const pollFor = (task: TaskHandle) => pollForURL(task, index, options, mayBePreview);
  const { pollable } = step;
  const url = step.type === 'fetch' ? step.url : await pollFor(step.pollable);
  const refresh = pollable && (() => pollFor(pollable));
  const { kind, task } = source;
  return fetchResult(config, { url, kind, task, refresh }, options);
}

/** Polls a task for the URL of a result; of a preview, only if the caller has passed the record of one. */
async function pollForURL(
  task: TaskHandle,
  index: number,
  { signal, headers, requestId }: DownloadOptions,
  mayBePreview: boolean,
): Promise<string> {
  const polled = await task.retrieve({ signal, headers, requestId });
  // Another poll may have received the result in the meantime.
  const { latest = polled } = task;
  const record = latest.status === 'succeeded' ? latest : polled;
  const url = record.urls[index];
  if (record.status !== 'succeeded' && !(mayBePreview && url !== undefined)) {
    throw unfinishedError(task, record);
  }
  if (url === undefined) throw noResultError(index, { name: 'the task', urls: record.urls, task });
  return url;
}
