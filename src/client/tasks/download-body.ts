import { abortedError, ConnectionError } from '../../errors/call.ts';
import { createError } from '../../errors/message.ts';
import { ResponseValidationError } from '../../errors/responses.ts';
import { unchecked } from '../../wire/types/schema.ts';
import type { TaskHandle } from '../../wire/types/tasks/task-handle.ts';
import type { TaskKind } from '../../wire/types/tasks/task.ts';
import { bodyInterrupted } from '../call/body-errors.ts';
import type { CallErrors } from '../call/errors.ts';
import type { Config } from '../config/config.ts';
import { notify } from '../config/log.ts';
import { withBody } from '../http/response-body.ts';
import { parseResponseMeta } from '../http/response-meta.ts';
import type { FilePart } from '../http/result-file.ts';
import { toStream, WatchedBody } from '../http/watched-body.ts';
import type { BodyCheck } from '../http/watched-body.ts';
import { MediaCheck, noMediaCode } from './media-check.ts';

/** How much of a file has been downloaded. */
export interface DownloadProgress {
  /** Bytes of the file so far, after decompression. Includes those before `range.start`. */
  bytes: number;
  /** Size of the file in bytes; undefined if the server does not report it, or compresses the file. */
  total?: number | undefined;
}

/** The response of a download. */
export interface DownloadResponse extends Response {
  /**
   * Whether the body has been received completely: false until it has been read to its end, then true. `'unverified'`
   * if nothing proves that the end was not cut off: the server reported no size, or compressed the file although the
   * client requested it uncompressed. Compare the file with what you expect, or download it again: this is free.
   */
  readonly complete: boolean | 'unverified';
}

/** What a body is read with: the call and the task of its download, and the options that apply meanwhile. */
interface BodyOptions {
  readonly config: Config;
  readonly call: CallErrors;
  /** What the result must be; undefined if that is not known. */
  readonly kind?: TaskKind | undefined;
  readonly task?: TaskHandle | undefined;
  readonly maxBytes?: number | undefined;
  readonly signal?: AbortSignal | undefined;
  readonly onProgress?: ((progress: DownloadProgress) => void) | undefined;
}

/**
 * A copy of the response whose body fails if it stalls, is truncated, has the wrong length, exceeds `maxBytes`, is no media or
 * is aborted. It is read on demand, so the time that a slow consumer takes between two reads is not idle time.
 */
export function guardBody(
  response: Response,
  part: FilePart,
  options: BodyOptions,
): DownloadResponse {
  const { start, end, total } = part;
  const { config, call, kind, task, maxBytes = Infinity, signal, onProgress } = options;
  let complete: DownloadResponse['complete'] = false;
  const withState = (copy: Response) =>
    Object.defineProperty(unchecked<DownloadResponse>(copy), 'complete', { get: () => complete });
  const contentType = response.headers.get('content-type');
  // The rest of a file begins with anything.
  const media = kind && start === 0 ? new MediaCheck({ kind, contentType }) : undefined;
  const checkMedia = (received?: Uint8Array) => {
    const found = media?.foundInstead(received);
    if (found !== undefined) throw noMediaError(found, response, options);
  };
  if (response.body === null) {
    checkMedia();
    complete = completeAt(start, part);
    return withState(response);
  }
  let bytes = start;
  const summary = 'The download was interrupted and can be repeated for free';
  const interrupted = (problem: string, error?: unknown) =>
    bodyInterrupted(call, ConnectionError, summary, problem, error);
  const body = new WatchedBody(response.body.getReader(), {
    config,
    signal,
    isTimedBeforeFirstRead: false,
    idle: (ms) => interrupted(`no data received for ${ms} ms (streamIdleTimeout)`),
    aborted: (reason) => abortedError(reason, { task }),
  });
  const check: BodyCheck = (received, error) => {
    if (error !== undefined) throw interrupted('', error);
    if (received === undefined) {
      if (end !== undefined && bytes !== end) {
        throw interrupted(`it ended after ${bytes} of ${end} bytes`);
      }
      checkMedia();
      complete = completeAt(bytes, part);
      return true;
    }
    bytes += received.byteLength;
    checkMedia(received);
    if (bytes > maxBytes) throw tooLargeError(response, options);
    notify(config.log, onProgress, { bytes, total }, 'onProgress');
    return false;
  };
  return withState(withBody(response, toStream(body, check)));
}

/** Whether a body that has ended at this position of the file is proven complete. */
function completeAt(bytes: number, { isFramed, total }: FilePart): true | 'unverified' {
  return isFramed || bytes === total || 'unverified';
}

function tooLargeError(
  response: Response,
  { config, maxBytes, task }: BodyOptions,
): ResponseValidationError {
  const meta = parseResponseMeta(response, config);
  const message = `The result is larger than maxBytes (${maxBytes}).`;
  return new ResponseValidationError(message, { meta, body: undefined, task });
}

/** The server of a result has sent something else, such as a page about a failure. */
function noMediaError(
  found: string,
  response: Response,
  { config, kind, task }: BodyOptions,
): ResponseValidationError {
  const owner = task?.id ? `of task ${task.id} ` : '';
  const message = {
    summary: `The result ${owner}is no ${kind}: its server sent ${found}.`,
    advice: 'The task is paid for, and its result can be fetched again at no charge.',
    programAdvice: task && 'To do so later, call gateway.download(error.task).',
  };
  const meta = parseResponseMeta(response, config);
  return createError(ResponseValidationError, message, {
    meta,
    body: undefined,
    code: noMediaCode,
    task,
    idempotencyKey: task?.idempotencyKey,
  });
}
