import { abortedError } from '../../../errors/aborted.ts';
import { ConnectionError } from '../../../errors/connection.ts';
import { ResponseValidationError } from '../../../errors/response-validation.ts';
import { unchecked } from '../../../types/schema.ts';
import type { TaskHandle } from '../../../types/tasks/task-handle.ts';
import type { CallErrors } from '../../call/failure/errors.ts';
import type { Config } from '../../config/config.ts';
import { notify } from '../../config/log.ts';
import { withBody } from '../../http/response-body.ts';
import { parseResponseMeta } from '../../http/response-meta.ts';
import type { FilePart } from '../../http/result-file.ts';
import { toStream, WatchedBody } from '../../http/watched-body.ts';
import type { BodyCheck } from '../../http/watched-body.ts';

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

/** What a body is read with: the errors and the task of its download, and the options that apply meanwhile. */
interface BodyOptions {
  readonly config: Config;
  readonly errors: CallErrors;
  readonly task?: TaskHandle | undefined;
  readonly maxBytes?: number | undefined;
  readonly signal?: AbortSignal | undefined;
  readonly onProgress?: ((progress: DownloadProgress) => void) | undefined;
}

/**
 * A copy of the response whose body fails if it stalls, is truncated, has the wrong length, exceeds `maxBytes` or is
 * aborted. It is read on demand, so the time that a slow consumer takes between two reads is not idle time.
 */
export function guardBody(
  response: Response,
  part: FilePart,
  options: BodyOptions,
): DownloadResponse {
  const { start, end, total } = part;
  const { config, errors, task, maxBytes = Infinity, signal, onProgress } = options;
  let complete: DownloadResponse['complete'] = false;
  const withState = (copy: Response) =>
    Object.defineProperty(unchecked<DownloadResponse>(copy), 'complete', { get: () => complete });
  if (response.body === null) {
    complete = completeAt(start, part);
    return withState(response);
  }
  let bytes = start;
  const summary = 'The download was interrupted and can be repeated for free';
  const interrupted = (problem: string, error?: unknown) =>
    errors.bodyInterrupted(ConnectionError, summary, problem, error);
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
      complete = completeAt(bytes, part);
      return true;
    }
    bytes += received.byteLength;
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
