import type { MockResponse } from './response.ts';
import type { Clock } from '../../clock.ts';
import { connectionError } from '../connection-error.ts';
import type { Fault } from '../faults.ts';
import { join, planBody } from './body-plan.ts';
import type { BodyPlan } from './body-plan.ts';

/** What a delivery needs to know besides the answer. */
export interface Delivery {
  clock: Clock;
  fault: Fault | undefined;
  /** Aborted when the client leaves. */
  signal: AbortSignal | undefined;
  /** Time between two events of a stream. */
  chunkDelayMs: number;
  /**
   * Gives the slot back. Called before the last byte goes out, so that whoever saw the end finds it
   * free.
   */
  release: () => void;
}

/** Statuses whose answers have no body. */
const bodiless = new Set([101, 204, 205, 304]);

/** The answer as a `Response`, with its fault worked in. */
export function toResponse(answer: MockResponse, delivery: Delivery): Response {
  const { fault } = delivery;
  const status = fault?.malformed === true ? 200 : answer.status;
  const headers = new Headers(answer.headers);
  const plan = planBody(answer, fault);
  if (!answer.stream) headers.set('content-length', String(plan.length));
  for (const [name, value] of Object.entries(fault?.headers ?? {})) {
    if (value === null) headers.delete(name);
    else headers.set(name, value);
  }
  if (bodiless.has(status)) {
    delivery.release();
    return new Response(null, { status, headers });
  }
  if (answer.stream || plan.end !== 'close' || plan.frames.length > 1) {
    return new Response(streamOf(plan, answer.stream, delivery), { status, headers });
  }
  delivery.release();
  return new Response(join(plan.frames), { status, headers });
}

function streamOf(plan: BodyPlan, events: boolean, delivery: Delivery): ReadableStream<Uint8Array> {
  const { clock, signal, release } = delivery;
  const delayMs = events ? delivery.chunkDelayMs : 0;
  let next = 0;
  let over = false;
  let leave = (): void => {};
  const finish = (): void => {
    over = true;
    signal?.removeEventListener('abort', leave);
    release();
  };
  return new ReadableStream<Uint8Array>(
    {
      start(controller) {
        leave = () => {
          finish();
          controller.error(signal?.reason);
        };
        if (signal?.aborted === true) leave();
        else signal?.addEventListener('abort', leave, { once: true });
      },
      async pull(controller) {
        const frame = plan.frames[next];
        next += 1;
        if (next > 1 && delayMs > 0 && frame !== undefined) {
          await clock.sleep(delayMs, signal).catch(() => {});
          if (over) return;
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
