import { ConfigurationError } from '../../errors/base.ts';
import { omitUndefined } from '../../wire/types/schema.ts';
import type { TaskHandle } from '../../wire/types/tasks/task-handle.ts';
import type { Generation, Receipt } from '../../wire/types/tasks/task.ts';
import { explainRefusal } from '../call/attempt.ts';
import { CallErrors } from '../call/errors.ts';
import { pollHeaderRules } from '../call/request-options.ts';
import type { RequestOptions } from '../call/request-options.ts';
import type { Config } from '../config/config.ts';
import { isBrowser } from '../config/environment.ts';
import {
  checkOptions,
  functionValue,
  headerText,
  nonNegativeInteger,
  objectWithFields,
  signalRule,
} from '../config/validation.ts';
import type { Rules } from '../config/validation.ts';
import { parseResponseMeta } from '../http/response-meta.ts';
import { checkResultURL } from '../http/result-file.ts';
import { runWithTimeLimit } from '../limits/time-limit.ts';
import { guardBody } from './download-body.ts';
import type { DownloadProgress, DownloadResponse } from './download-body.ts';
import { firstDownloadStep, nextDownloadStep, parseSource } from './download-step.ts';
import type { DownloadSource } from './download-step.ts';
import { taskFailedError } from './task-failed.ts';

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

const downloadRules: Rules = {
  ...pollHeaderRules,
  signal: signalRule,
  index: nonNegativeInteger,
  maxBytes: nonNegativeInteger,
  range: objectWithFields({ start: nonNegativeInteger, ifRange: headerText }, { start: null }),
  onProgress: functionValue,
};

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
  return fetchResult(config, url, source, options, refresh);
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

/** The error for an index that no result has. */
function noResultError(
  index: number,
  { name, urls = [], task }: Omit<DownloadSource, 'isFinal' | 'kind'>,
): ConfigurationError {
  const count = urls.length === 1 ? '1 result' : `${urls.length} results`;
  return new ConfigurationError(
    `index: result ${index} does not exist: ${name} has ${count} (indexes start at 0). The download was not charged.`,
    { task },
  );
}

/** The error for a task that has not succeeded. */
function unfinishedError(task: TaskHandle, generation: Generation) {
  if (generation.status === 'failed') return taskFailedError(task, generation);
  const { id, idempotencyKey } = task;
  return new ConfigurationError(
    `Task ${id} is still processing. Download its result after error.task.wait().`,
    { task, idempotencyKey },
  );
}

/**
 * Downloads a result from its URL, or from the fresh URL that `refresh` returns if this one has expired. Follows
 * redirects itself, so that each address is checked before anything is sent to it.
 */
async function fetchResult(
  config: Config,
  address: string,
  source: DownloadSource,
  options: DownloadOptions,
  refresh?: () => Promise<string>,
): Promise<DownloadResponse> {
  const { kind, task } = source;
  const { range, signal } = options;
  const call = new CallErrors({ method: 'GET', template: 'result URL', safety: 'safe', task });
  const limit = { clock: config.clock, signal, ms: config.timeout, errors: call };
  const init = requestInit(config, range);
  let url = address;
  for (let redirects = 0; ; redirects += 1) {
    checkResultURL(url, config.allowInsecureBaseURL, { task });
    const attempt = async (attemptSignal: AbortSignal) => {
      call.isSent = true;
      try {
        return await config.fetch(url, { ...init, signal: attemptSignal });
      } catch (error) {
        throw call.sendError(await explainRefusal(error, attemptSignal, config.fetch));
      }
    };
    const response = await runWithTimeLimit(attempt, limit);
    const step = nextDownloadStep(response, { url, start: range?.start, redirects });
    if (step.type === 'read') {
      return guardBody(response, step.part, { ...options, config, call, kind, task });
    }
    response.body?.cancel().catch(() => undefined);
    if (step.type === 'expired' && refresh) {
      return fetchResult(config, await refresh(), source, options);
    }
    if (step.type !== 'redirect') {
      const meta = parseResponseMeta(response, config);
      if (step.type === 'wrong-part') {
        throw call.invalidResponse(meta, 'the content-range is not the requested one');
      }
      throw call.apiError(meta, (step.type === 'error' && step.problem) || '', undefined);
    }
    ({ url } = step);
  }
}

/** The request of a result: without credentials. */
function requestInit({ cache }: Config, range: DownloadRange | undefined): RequestInit {
  return {
    // A page cannot inspect redirects. There, CORS limits what it can read.
    redirect: isBrowser() ? 'follow' : 'manual',
    ...(cache && { cache }),
    headers: omitUndefined({
      // A compressed body that is truncated can look complete. Browsers ignore this header.
      'accept-encoding': 'identity',
      range: range && `bytes=${range.start}-`,
      'if-range': range?.ifRange,
    }),
    credentials: 'omit',
  };
}
