import type { Fault } from '../fault.ts';
import { dataEvent, isDataEvent } from './response.ts';
import type { MockResponse } from './response.ts';

type Bytes = Uint8Array<ArrayBuffer>;

/** The chunks of a body, and what happens after the last one. */
export interface BodyPlan {
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
export function planBody(response: MockResponse, fault: Fault | undefined): BodyPlan {
  const intact = completePlan(response.frames);
  if (fault === undefined) return intact;
  const plan = applyFault(response, intact, fault);
  if (fault.splitBytes === undefined) return plan;
  return { ...plan, frames: split(join(plan.frames), fault.splitBytes) };
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
  const body = join(response.frames.map(encode));
  return completePlan([body.slice(0, Math.max(1, body.length >> 1))]);
}

function completePlan(frames: readonly (string | Bytes)[]): BodyPlan {
  const encoded = frames.map(encode);
  return { frames: encoded, end: 'close', length: totalLength(encoded) };
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
  const bytes = join(frames).slice(0, Math.max(0, maxBytes));
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

/** Concatenates chunks of bytes. */
export function join(chunks: readonly Bytes[]): Bytes {
  const [only] = chunks;
  if (chunks.length === 1 && only !== undefined) return only;
  const joined = new Uint8Array(totalLength(chunks));
  let offset = 0;
  for (const chunk of chunks) {
    joined.set(chunk, offset);
    offset += chunk.length;
  }
  return joined;
}

function totalLength(chunks: readonly Bytes[]): number {
  return chunks.reduce((sum, chunk) => sum + chunk.length, 0);
}

function encode(frame: string | Bytes): Bytes {
  return typeof frame === 'string' ? encoder.encode(frame) : frame;
}
