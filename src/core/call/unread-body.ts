import { whenAborted } from '../config/clock.ts';
import { garbage } from '../http/garbage.ts';
import { createIdleTimer } from '../http/idle-timer.ts';
import { isEventStream, withAbortableBody, withBody } from '../http/response-body.ts';
import type { ResponseHandler } from './response.ts';

/**
 * Leaves the body to the caller. Aborting the caller's signal also aborts the body. If `holdsSlot`, an event stream
 * holds the concurrency slot until it has ended, failed or been cancelled. Any other response ends when it arrives, and
 * holds no slot.
 */
export function keepBodyUnread(
  holdsSlot: boolean | undefined,
  signal: AbortSignal | undefined,
): ResponseHandler<Response> {
  return async ({ response, errors, config, retainSlot }) => {
    if (!holdsSlot || response.body === null || !isEventStream(response)) {
      return withAbortableBody(response, signal);
    }
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
            const { done, value } = await reader.read();
            // The time that a slow consumer takes between two reads is not idle time.
            idleTimer.pause();
            if (failure !== undefined) throw failure;
            if (!done) return controller.enqueue(value);
            controller.close();
          } catch (error) {
            controller.error(error);
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
