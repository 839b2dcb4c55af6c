import { abortedError } from '../../errors/aborted.ts';
import { ConnectionError } from '../../errors/connection.ts';
import { ResponseValidationError } from '../../errors/response-validation.ts';
import { unchecked } from '../../types/schema.ts';
import type { TaskHandle } from '../../types/tasks/task-handle.ts';
import type { CallErrors } from '../call/errors.ts';
import { whenAborted } from '../config/clock.ts';
import type { Config } from '../config/config.ts';
import { notify } from '../config/log.ts';
import type { FilePart } from '../http/download.ts';
import { createIdleTimer } from '../http/idle-timer.ts';
import { withBody } from '../http/response-body.ts';
import { parseResponseMeta } from '../http/response-meta.ts';

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
   * if nothing proves that the end was not cut off: the server reported no size, or compressed the file although it was
   * asked not to. Compare the file with what you expect, or download it again: this is free.
   */
  readonly complete: boolean | 'unverified';
}

/** The task of the result, and the options that apply while the body is read. */
interface BodyOptions {
  readonly task?: TaskHandle | undefined;
  readonly maxBytes?: number | undefined;
  readonly signal?: AbortSignal | undefined;
  readonly onProgress?: ((progress: DownloadProgress) => void) | undefined;
}

/**
 * A copy of the response whose body fails if it stalls, breaks off, has the wrong length, exceeds `maxBytes` or is
 * aborted. It is read on demand, so the time that a slow consumer takes between two reads is not idle time.
 */
export function guardBody(
  response: Response,
  { start, end, total, isFramed }: FilePart,
  config: Config,
  errors: CallErrors,
  { task, maxBytes = Infinity, signal, onProgress }: BodyOptions,
): DownloadResponse {
  const { body } = response;
  let complete: DownloadResponse['complete'] = false;
  const withState = (copy: Response) =>
    Object.defineProperty(unchecked<DownloadResponse>(copy), 'complete', { get: () => complete });
  const atEnd = (bytes: number) => isFramed || bytes === total || 'unverified';
  if (body === null) {
    complete = atEnd(start);
    return withState(response);
  }
  const reader = body.getReader();
  const ms = config.streamIdleTimeout;
  let bytes = start;
  let opened: ReadableStreamDefaultController<Uint8Array> | undefined;
  /** Ends the body. Without effect if it has already ended. */
  const fail = (error: unknown, reason = error) => {
    release();
    opened?.error(error);
    reader.cancel(reason).catch(() => undefined);
  };
  const abort = (reason: unknown) => fail(abortedError(reason, { task }), reason);
  const interrupted = (problem: string, error?: unknown) =>
    errors.bodyInterrupted(
      ConnectionError,
      'The download was interrupted and can be repeated for free',
      problem,
      error,
    );
  const idleTimer = createIdleTimer(config.clock, ms, () =>
    fail(interrupted(`no data received for ${ms} ms (streamIdleTimeout)`)),
  );
  const stopListening = whenAborted(signal, abort);
  const release = () => {
    idleTimer.stop();
    stopListening();
  };
  const guarded = new ReadableStream<Uint8Array>(
    {
      start(controller) {
        opened = controller;
        if (signal?.aborted) abort(signal.reason);
      },
      async pull(controller) {
        idleTimer.start();
        try {
          const { done, value } = await reader.read();
          idleTimer.pause();
          if (!done) {
            bytes += value.byteLength;
            if (bytes > maxBytes) {
              const meta = parseResponseMeta(response, config);
              const message = `The result is larger than maxBytes (${maxBytes}).`;
              return fail(new ResponseValidationError(message, { meta, body: undefined, task }));
            }
            controller.enqueue(value);
            notify(config.log, onProgress, { bytes, total }, 'onProgress');
          } else if (end !== undefined && bytes !== end) {
            fail(interrupted(`it ended after ${bytes} of ${end} bytes`));
          } else {
            release();
            complete = atEnd(bytes);
            controller.close();
          }
        } catch (error) {
          // Also reached if the body ended during the read, which then has no effect.
          fail(interrupted('', error));
        }
      },
      cancel(reason) {
        release();
        return reader.cancel(reason);
      },
    },
    { highWaterMark: 0 },
  );
  return withState(withBody(response, guarded));
}
