import { APIError } from '../../../errors/api.ts';
import { ConfigurationError } from '../../../errors/configuration.ts';
import type { TaskHandle } from '../../../types/tasks/task-handle.ts';
import type { Generation, Receipt } from '../../../types/tasks/task.ts';
import { isRecord } from '../../../types/type-guards.ts';
import type { ClientContext } from '../../call/context.ts';
import { checkOptions, checkValue } from '../../config/validation.ts';
import type { Rule } from '../../config/validation.ts';
import { hasId } from '../task-id.ts';
import { taskOfResult } from '../tasks-of-results.ts';
import type { DownloadResponse } from './download-body.ts';
import { fetchResult } from './fetch-result.ts';
import { downloadRules } from './options.ts';
import type { DownloadOptions } from './options.ts';

/** Something to download: a result, or a task whose URLs can be renewed once when they have expired. */
interface Downloadable {
  /** The URLs of the results; undefined if they are not known yet. */
  readonly urls: readonly string[] | undefined;
  /** The task of the result. Errors carry it. If it has an id, it is polled for fresh URLs. */
  readonly task?: TaskHandle | undefined;
}

/** Downloads a result as a stream: without credentials, following only redirects whose address is allowed. */
export async function download(
  context: ClientContext,
  source: string | Generation | TaskHandle,
  openTask: (receipt: Receipt) => TaskHandle,
  options: DownloadOptions = {},
): Promise<DownloadResponse> {
  const { urls, task } = toDownloadable(source, openTask);
  checkOptions(options, downloadRules);
  const { index = 0, signal, headers, requestId } = options;
  const pollable = task && hasId(task) ? task : undefined;
  const freshURLs = async () =>
    (await pollable?.retrieve({ signal, headers, requestId }))?.urls ?? [];
  const fetchOneOf = async (results: readonly string[]) => {
    const url = results[index];
    if (url !== undefined) return fetchResult(context, url, task, options);
    const count = results.length;
    throw new ConfigurationError(
      `index: there is no result ${index}, because there ${count === 1 ? 'is 1 result' : `are ${count} results`}, ` +
        'counted from 0. The download was not charged.',
      { task },
    );
  };
  try {
    return await fetchOneOf(urls ?? (await freshURLs()));
  } catch (error) {
    const isExpired = error instanceof APIError && [403, 404, 410].includes(error.status);
    if (!isExpired || !pollable) throw error;
    return fetchOneOf(await freshURLs());
  }
}

const sourceRule: Rule = [
  (value) => isRecord(value) && 'kind' in value,
  'a URL, a generation or a task',
];

function toDownloadable(
  source: string | Generation | TaskHandle,
  openTask: (receipt: Receipt) => TaskHandle,
): Downloadable {
  if (typeof source === 'string') return { urls: [source] };
  checkValue('source', source ?? null, sourceRule);
  if ('wait' in source) return { urls: source.latest?.urls, task: source };
  const { kind, id, urls } = source;
  const openKnown = () => (hasId(source) ? openTask({ v: 1, kind, id }) : undefined);
  return { urls, task: taskOfResult(source) ?? openKnown() };
}
