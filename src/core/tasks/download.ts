import { APIError } from '../../errors/api.ts';
import { ConfigurationError } from '../../errors/configuration.ts';
import { parseURL } from '../../types/parse-url.ts';
import { omitUndefined } from '../../types/schema.ts';
import type { TaskHandle } from '../../types/tasks/task-handle.ts';
import type { Generation, Receipt } from '../../types/tasks/task.ts';
import { isRecord } from '../../types/type-guards.ts';
import { CallHistory } from '../call/attempt/history.ts';
import type { ClientContext } from '../call/context.ts';
import { CallErrors } from '../call/failure/errors.ts';
import { pollHeaderRules, signalRule } from '../call/request-options.ts';
import type { RequestOptions } from '../call/request-options.ts';
import { isBrowser } from '../config/environment.ts';
import {
  checkOptions,
  checkValue,
  functionValue,
  headerText,
  nonNegativeInteger,
  objectWithFields,
} from '../config/validation.ts';
import type { Rule, Rules } from '../config/validation.ts';
import { parseResponseMeta } from '../http/response-meta.ts';
import { checkResultURL, filePart } from '../http/result-file.ts';
import { runWithTimeLimit } from '../limits/time-limit.ts';
import { guardBody } from './download-body.ts';
import type { DownloadProgress, DownloadResponse } from './download-body.ts';
import { taskOfResult } from './tasks-of-results.ts';

/** Options of `gateway.download`. */
export interface DownloadOptions {
  /**
   * Index of the result, if there are several.
   * @defaultValue 0
   */
  index?: number | undefined;
  /** Maximum size of the file in bytes; a larger body fails with an error. */
  maxBytes?: number | undefined;
  /** Requests only the rest of the file, to continue a download that was interrupted. */
  range?: DownloadRange | undefined;
  /** Called whenever bytes arrive. Errors that it throws are logged and do not affect the download. */
  onProgress?: ((progress: DownloadProgress) => void) | undefined;
  /** Aborts the download. */
  signal?: AbortSignal | undefined;
  /**
   * Headers for the poll that fetches a fresh URL, in addition to those of the call that created the task. They are
   * never sent to the server of the result.
   */
  headers?: RequestOptions['headers'];
  /** Your own id for the poll that fetches a fresh URL. */
  requestId?: string | undefined;
}

/**
 * The rest of a file. If the server supports this, the response has status 206 and its body starts at `start`;
 * otherwise it has status 200 and contains the entire file. No other response is returned.
 */
export interface DownloadRange {
  /** Position of the first byte, from 0. */
  start: number;
  /** The strong `etag` or the `last-modified` date of the first part. If the file has changed, it is sent entirely. */
  ifRange?: string | undefined;
}

/** Something to download: a result, or a task whose URLs can be renewed once when they have expired. */
interface Downloadable {
  /** The URLs of the results; undefined if they are not known yet. */
  urls: string[] | undefined;
  /** The task of the result. Errors carry it. If it has an id, it is polled for fresh URLs. */
  task?: TaskHandle | undefined;
}

/** The rules of these options. */
const downloadRules: Rules = {
  ...pollHeaderRules,
  signal: signalRule,
  index: nonNegativeInteger,
  maxBytes: nonNegativeInteger,
  range: objectWithFields({ start: nonNegativeInteger, ifRange: headerText }, { start: null }),
  onProgress: functionValue,
};

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
  const freshURLs = async () =>
    task?.id ? (await task.retrieve({ signal, headers, requestId })).urls : [];
  const fetchOneOf = async (results: string[]) => {
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
    if (!isExpired || !task?.id) throw error;
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
  // A submission can return a finished result without a task id, so there is nothing to poll.
  return { urls, task: taskOfResult(source) ?? (id ? openTask({ v: 1, kind, id }) : undefined) };
}

/** Follows redirects itself, so that each address is checked before anything is sent to it. */
async function fetchResult(
  { config }: ClientContext,
  address: string,
  task: TaskHandle | undefined,
  options: DownloadOptions,
): Promise<DownloadResponse> {
  const { range, signal } = options;
  const call = { method: 'GET', template: 'the result', safety: 'safe', task } as const;
  const errors = new CallErrors(call, new CallHistory());
  const limit = { clock: config.clock, signal, ms: config.timeout, errors };
  const request: RequestInit = {
    // A page cannot inspect redirects. There, CORS limits what it can read.
    redirect: isBrowser() ? 'follow' : 'manual',
    ...(config.cache && { cache: config.cache }),
    headers: omitUndefined({
      // A compressed body that is truncated can look complete. Browsers ignore this header.
      'accept-encoding': 'identity',
      range: range && `bytes=${range.start}-`,
      'if-range': range?.ifRange,
    }),
    credentials: 'omit',
  };
  let url = address;
  for (let redirects = 0; ; redirects += 1) {
    checkResultURL(url, config.allowInsecureBaseURL, { task });
    const attempt = async (attemptSignal: AbortSignal) => {
      try {
        return await config.fetch(url, { ...request, signal: attemptSignal });
      } catch (error) {
        throw errors.connectionError(error);
      }
    };
    const response = await runWithTimeLimit(attempt, limit);
    const part = response.ok ? filePart(response, url, range?.start) : undefined;
    if (part !== undefined) {
      return guardBody(response, part, config, errors, { ...options, task });
    }
    response.body?.cancel().catch(() => undefined);
    const meta = parseResponseMeta(response, config);
    if (response.ok) {
      throw errors.invalidResponse(meta, 'the content-range is not the requested one');
    }
    const location = response.status < 400 ? response.headers.get('location') : null;
    if (!location || redirects === 3) {
      throw errors.apiError(meta, location ? 'more than 3 redirects' : '', undefined);
    }
    url = parseURL(location, url)?.href ?? '';
  }
}
