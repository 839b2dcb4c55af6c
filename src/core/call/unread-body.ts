import { whenAborted } from '../config/clock.ts';
import { garbage } from '../http/garbage.ts';
import { createIdleTimer } from '../http/idle-timer.ts';
import { finishBody, isEventStream, withAbortableBody, withBody } from '../http/response-body.ts';
import type { ResponseContext, ResponseHandler } from './response.ts';

/**
 * Checks a stream while it passes through. Called with the bytes of each read, and without bytes at the end of the body,
 * or when it breaks off with `error`. Returns whether the stream is complete, or throws the error that ends it.
 */
export type StreamCheck = (bytes: Uint8Array | undefined, error?: unknown) => boolean;

/**
 * Leaves the body to the caller. Aborting the caller's signal also aborts the body. If `holdsSlot`, an event stream
 * holds the concurrency slot until it has ended, failed or been cancelled. Any other response ends when it arrives, and
 * holds no slot. `createCheck` creates the check of an event stream.
 */
export function keepBodyUnread(
  holdsSlot: boolean | undefined,
  signal: AbortSignal | undefined,
  createCheck?: (context: ResponseContext) => StreamCheck,
): ResponseHandler<Response> {
  return async (context) => {
    const { response, errors, config, retainSlot } = context;
    const isChecked = holdsSlot || createCheck;
    if (!isChecked || response.body === null || !isEventStream(response)) {
      return withAbortableBody(response, signal);
    }
    const check = createCheck?.(context);
    const { clock, streamIdleTimeout: ms } = config;
    const reader = response.body.getReader();
    const releaseSlot = retainSlot();
    let failure: unknown;
    const idleTimer = createIdleTimer(clock, ms, () => fail(errors.streamIdle(ms)));
    const end = () => {
      idleTimer.stop();
      stopListening();
      releaseSlot();
    };
    // Must not refer to the new body, which could then never be garbage collected. Cancelling the reader ends a pending
    // read, and the body fails at its next read.
    const fail = (reason: unknown) => {
      failure ??= reason;
      end();
      reader.cancel(reason).catch(() => undefined);
    };
    const stopListening = whenAborted(signal, fail);
    // A body that is never read must not hold its slot forever.
    idleTimer.start();
    const body = new ReadableStream<Uint8Array>(
      {
        async pull(controller) {
          idleTimer.start();
          try {
            const { done, value } = await reader.read().catch((error: unknown) => {
              if (failure !== undefined || !check?.(undefined, error)) throw failure ?? error;
              // The connection broke after the stream was complete.
              return { done: true, value: undefined } as const;
            });
            // The time that a slow consumer takes between two reads is not idle time.
            idleTimer.pause();
            if (failure !== undefined) throw failure;
            const isComplete = check?.(value);
            if (!done) {
              controller.enqueue(value);
              if (!isComplete) return;
              finishBody(reader, clock);
            }
            controller.close();
          } catch (error) {
            controller.error(error);
            reader.cancel(error).catch(() => undefined);
          }
          end();
        },
        cancel(reason) {
          end();
          return reader.cancel(reason);
        },
      },
      { highWaterMark: 0 },
    );
    garbage?.register(body, () => fail(undefined));
    return withBody(response, body);
  };
}
