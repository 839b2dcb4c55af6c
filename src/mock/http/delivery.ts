import type { Clock } from '../clock.ts';
import type { Visit } from '../in-flight.ts';
import type { Fault } from './faults.ts';
import { byteLength, concatenate, dataEvent, isDataEvent } from './response.ts';
import type { MockResponse } from './response.ts';

/** How a response is delivered to the caller. */
interface Delivery {
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
  /** Informed whether a streamed body is on its way, or waits for time to pass. */
  visit: Visit;
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
  return new Response(concatenate(plan.frames), { status, headers });
}

function bodyStream(
  plan: BodyPlan,
  isEventStream: boolean,
  delivery: Delivery,
): ReadableStream<Uint8Array> {
  const { clock, signal, release, visit } = delivery;
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
        visit.send('headers');
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
          visit.wait();
          await clock.sleep(delayMs, signal).catch(() => {});
          if (finished) return;
        }
        if (frame !== undefined) {
          visit.send('body');
          if (next === plan.frames.length && plan.end === 'close') finish();
          controller.enqueue(frame);
          if (next < plan.frames.length || plan.end !== 'close') return;
        }
        if (plan.end === 'stall') {
          visit.wait();
          return;
        }
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

type Bytes = Uint8Array<ArrayBuffer>;

/** The chunks of a body, and what happens after the last one. */
interface BodyPlan {
  frames: readonly Bytes[];
  end: 'close' | 'reset' | 'stall';
  /**
   * The value of `content-length`. For a truncated body it is the full length: that is how clients
   * detect the truncation.
   */
  length: number;
}

const encoder = new TextEncoder();

/** Encodes the body of a response and applies a fault to it. */
function planBody(response: MockResponse, fault: Fault | undefined): BodyPlan {
  const intact = completePlan(response.frames);
  if (fault === undefined) return intact;
  const plan = applyFault(response, intact, fault);
  if (fault.splitBytes === undefined) return plan;
  return { ...plan, frames: split(concatenate(plan.frames), fault.splitBytes) };
}

function applyFault(response: MockResponse, intact: BodyPlan, fault: Fault): BodyPlan {
  if (fault.malformed === true) return malformedPlan(response);
  if (fault.streamErrorAfter !== undefined && response.stream) {
    const error = {
      message: 'The model failed while generating the response',
      type: 'api_error',
      code: 'internal_error',
    };
    return completePlan([...firstEvents(response, fault.streamErrorAfter), dataEvent({ error })]);
  }
  if (fault.cutStreamAfter !== undefined && response.stream) {
    const plan = completePlan(firstEvents(response, fault.cutStreamAfter));
    return fault.cut === 'end' ? plan : { ...plan, end: 'reset' };
  }
  if (fault.truncateBody !== undefined) {
    return { ...intact, frames: firstBytes(intact.frames, fault.truncateBody), end: 'reset' };
  }
  if (fault.stallBody !== undefined) {
    return { ...intact, frames: firstBytes(intact.frames, fault.stallBody), end: 'stall' };
  }
  return intact;
}

/** Truncates the body to its first half, which is invalid JSON. */
function malformedPlan(response: MockResponse): BodyPlan {
  if (response.stream) return completePlan(['data: {"id":"chatcmpl\n\n']);
  const body = concatenate(response.frames.map(encode));
  return completePlan([body.slice(0, Math.max(1, body.length >> 1))]);
}

function completePlan(frames: readonly (string | Bytes)[]): BodyPlan {
  const encoded = frames.map(encode);
  return { frames: encoded, end: 'close', length: byteLength(encoded) };
}

function firstEvents(response: MockResponse, maxEvents: number): (string | Bytes)[] {
  const frames: (string | Bytes)[] = [];
  let count = 0;
  for (const frame of response.frames) {
    if (count >= maxEvents) break;
    if (isDataEvent(frame)) count += 1;
    frames.push(frame);
  }
  return frames;
}

function firstBytes(frames: readonly Bytes[], maxBytes: number): Bytes[] {
  const bytes = concatenate(frames).slice(0, Math.max(0, maxBytes));
  return bytes.length === 0 ? [] : [bytes];
}

function split(bytes: Bytes, size: number): Bytes[] {
  const step = Math.max(1, Math.floor(size) || 1);
  const chunks: Bytes[] = [];
  for (let start = 0; start < bytes.length; start += step) {
    chunks.push(bytes.slice(start, start + step));
  }
  return chunks;
}

function encode(frame: string | Bytes): Bytes {
  return typeof frame === 'string' ? encoder.encode(frame) : frame;
}

/** Creates the error that `fetch` throws for a failed connection: a `TypeError` whose cause has a code. */
export function connectionError(kind: 'refused' | 'reset' | 'cut'): TypeError {
  switch (kind) {
    case 'refused':
      return fetchError('fetch failed', 'connect ECONNREFUSED', 'ECONNREFUSED');
    case 'reset':
      return fetchError('fetch failed', 'read ECONNRESET', 'ECONNRESET');
    case 'cut':
      return fetchError('terminated', 'other side closed', 'UND_ERR_SOCKET');
  }
}

function fetchError(message: string, reason: string, code: string): TypeError {
  return new TypeError(message, { cause: Object.assign(new Error(reason), { code }) });
}
