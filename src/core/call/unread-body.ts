import { whenAborted } from '../config/clock.ts';
import { garbage } from '../http/garbage.ts';
import { createIdleTimer } from '../http/idle-timer.ts';
import { isEventStream, withAbortableBody, withBody } from '../http/response-body.ts';
import type { ResponseContext, ResponseHandler } from './response.ts';

/** What is needed of the reader of a body. */
export interface BodyReader {
  /** Reads the next bytes. `isLast` means that nothing of the stream follows, although the body may not have ended. */
  read(): Promise<{ done: boolean; value?: Uint8Array | undefined; isLast?: boolean }>;
  cancel(reason?: unknown): Promise<void>;
}

/** Returns the reader of a stream, which may check what it reads. */
export type OpenReader = (
  context: ResponseContext,
  reader: ReadableStreamDefaultReader<Uint8Array>,
) => BodyReader;

/**
 * Leaves the body to the caller. Aborting the caller's signal also aborts the body. If `holdsSlot`, an event stream
 * holds the concurrency slot until it has ended, failed or been canceled. Any other response ends when it arrives, and
 * holds no slot. `openReader` opens the body of an event stream.
 */
export function keepBodyUnread(
  holdsSlot: boolean | undefined,
  signal: AbortSignal | undefined,
  openReader?: OpenReader,
): ResponseHandler<Response> {
  return async (context) => {
    const { response, errors, config, meta, lease, span } = context;
    if (!(holdsSlot || openReader) || response.body === null || !isEventStream(response)) {
      // Without the body, which belongs to the caller.
      span?.end({ meta });
      return withAbortableBody(response, signal);
    }
    const { clock, streamIdleTimeout: ms } = config;
    const body = response.body.getReader();
    const reader: BodyReader = openReader?.(context, body) ?? body;
    const releaseSlot = lease.transfer();
    let failure: unknown;
    const idleTimer = createIdleTimer(clock, ms, () => fail(errors.streamIdle(ms)));
    const end = (error?: unknown) => {
      idleTimer.stop();
      stopListening();
      releaseSlot();
      span?.end({ error, meta });
    };
    // Must not refer to the new body, which could then never be garbage collected. Canceling the reader ends a pending
    // read, and the body fails at its next read.
    const fail = (reason: unknown, error = reason) => {
      failure ??= reason;
      end(error);
      reader.cancel(reason).catch(() => undefined);
    };
    const stopListening = whenAborted(signal, (reason) => fail(reason, errors.aborted(reason)));
    // A body that is never read must not hold its slot forever.
    idleTimer.start();
    const relayed = new ReadableStream<Uint8Array>(
      {
        async pull(controller) {
          idleTimer.start();
          try {
            const { done, value, isLast } = await reader.read();
            // The time that a slow consumer takes between two reads is not idle time.
            idleTimer.pause();
            if (failure !== undefined) throw failure;
            if (value) controller.enqueue(value);
            if (!done && !isLast) return;
            controller.close();
          } catch (error) {
            failure ??= error;
            controller.error(failure);
          }
          end(failure);
        },
        cancel(reason) {
          end(errors.aborted(reason));
          return reader.cancel(reason);
        },
      },
      { highWaterMark: 0 },
    );
    garbage?.register(relayed, () => fail(undefined, errors.aborted(undefined)));
    return withBody(response, relayed);
  };
}
