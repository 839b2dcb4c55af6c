import type { Clock } from '../../clock.ts';
import { connectionError } from '../connection-error.ts';
import type { Fault } from '../fault.ts';
import { join, planBody } from './body-plan.ts';
import type { BodyPlan } from './body-plan.ts';
import type { MockResponse } from './response.ts';

/** How a response is delivered to the caller. */
export interface Delivery {
  clock: Clock;
  fault: Fault | undefined;
  /** Aborted when the caller disconnects. */
  signal: AbortSignal | undefined;
  /** Delay between two events of a stream, in clock milliseconds. */
  chunkDelayMs: number;
  /**
   * Frees the request's slot. Called before the last bytes are sent, so that a caller that has read
   * the whole body can use the slot again.
   */
  release: () => void;
}

/** Statuses whose responses have no body. */
const bodilessStatuses = new Set([101, 204, 205, 304]);

/** Converts a response to a standard `Response` and applies the fault. */
export function toResponse(response: MockResponse, delivery: Delivery): Response {
  const { fault } = delivery;
  const status = fault?.malformed === true ? 200 : response.status;
  const headers = new Headers(response.headers);
  const plan = planBody(response, fault);
  if (!response.stream) headers.set('content-length', String(plan.length));
  for (const [name, value] of Object.entries(fault?.headers ?? {})) {
    if (value === null) headers.delete(name);
    else headers.set(name, value);
  }
  if (bodilessStatuses.has(status)) {
    delivery.release();
    return new Response(null, { status, headers });
  }
  if (response.stream || plan.end !== 'close' || plan.frames.length > 1) {
    return new Response(bodyStream(plan, response.stream, delivery), { status, headers });
  }
  delivery.release();
  return new Response(join(plan.frames), { status, headers });
}

function bodyStream(
  plan: BodyPlan,
  isEventStream: boolean,
  delivery: Delivery,
): ReadableStream<Uint8Array> {
  const { clock, signal, release } = delivery;
  const delayMs = isEventStream ? delivery.chunkDelayMs : 0;
  let next = 0;
  let finished = false;
  let onAbort = (): void => {};
  const finish = (): void => {
    finished = true;
    signal?.removeEventListener('abort', onAbort);
    release();
  };
  return new ReadableStream<Uint8Array>(
    {
      start(controller) {
        onAbort = () => {
          finish();
          controller.error(signal?.reason);
        };
        if (signal?.aborted === true) onAbort();
        else signal?.addEventListener('abort', onAbort, { once: true });
      },
      async pull(controller) {
        const frame = plan.frames[next];
        next += 1;
        if (next > 1 && delayMs > 0 && frame !== undefined) {
          await clock.sleep(delayMs, signal).catch(() => {});
          if (finished) return;
        }
        if (frame !== undefined) {
          if (next === plan.frames.length && plan.end === 'close') finish();
          controller.enqueue(frame);
          if (next < plan.frames.length || plan.end !== 'close') return;
        }
        if (plan.end === 'stall') return;
        finish();
        if (plan.end === 'reset') controller.error(connectionError('cut'));
        else controller.close();
      },
      cancel() {
        finish();
      },
    },
    { highWaterMark: 0 },
  );
}
