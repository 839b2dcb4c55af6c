import type { MockResponse } from './response.ts';
import type { Fault } from '../faults.ts';
import { dataEvent, isDataEvent } from './response.ts';

/** How the bytes of a body are handed out, and what comes after the last of them. */
export interface BodyPlan {
  frames: readonly Uint8Array<ArrayBuffer>[];
  end: 'close' | 'reset' | 'stall';
  /**
   * What `content-length` announces. A cut body announces its whole length: that is how a cut is
   * noticed.
   */
  length: number;
}

const encoder = new TextEncoder();

/** Works a fault into a body. */
export function planBody(answer: MockResponse, fault: Fault | undefined): BodyPlan {
  const whole = closing(answer.frames);
  if (fault === undefined) return whole;
  const plan = spoil(answer, whole, fault);
  if (fault.splitBytes === undefined) return plan;
  return { ...plan, frames: split(join(plan.frames), fault.splitBytes) };
}

function spoil(answer: MockResponse, whole: BodyPlan, fault: Fault): BodyPlan {
  if (fault.malformed === true) return malformed(answer);
  if (fault.streamErrorAfter !== undefined && answer.stream) {
    const error = {
      message: 'The model stopped working',
      type: 'api_error',
      code: 'internal_error',
    };
    const frames = [...firstEvents(answer, fault.streamErrorAfter), dataEvent({ error })];
    return closing(frames);
  }
  if (fault.cutStreamAfter !== undefined && answer.stream) {
    const plan = closing(firstEvents(answer, fault.cutStreamAfter));
    return fault.cut === 'end' ? plan : { ...plan, end: 'reset' };
  }
  if (fault.truncateBody !== undefined) {
    return { ...whole, frames: firstBytes(whole.frames, fault.truncateBody), end: 'reset' };
  }
  if (fault.stallBody !== undefined) {
    return { ...whole, frames: firstBytes(whole.frames, fault.stallBody), end: 'stall' };
  }
  return whole;
}

/** The body as it was, up to the middle: JSON that does not parse. */
function malformed(answer: MockResponse): BodyPlan {
  if (answer.stream) return closing(['data: {"id":"chatcmpl\n\n']);
  const whole = join(answer.frames.map(bytes));
  return closing([whole.slice(0, Math.max(1, whole.length >> 1))]);
}

function closing(frames: readonly (string | Uint8Array<ArrayBuffer>)[]): BodyPlan {
  const encoded = frames.map(bytes);
  const length = encoded.reduce((sum, frame) => sum + frame.length, 0);
  return { frames: encoded, end: 'close', length };
}

function firstEvents(answer: MockResponse, count: number): (string | Uint8Array<ArrayBuffer>)[] {
  const frames: (string | Uint8Array<ArrayBuffer>)[] = [];
  let seen = 0;
  for (const frame of answer.frames) {
    if (seen >= count) break;
    if (isDataEvent(frame)) seen += 1;
    frames.push(frame);
  }
  return frames;
}

function firstBytes(
  frames: readonly Uint8Array<ArrayBuffer>[],
  count: number,
): Uint8Array<ArrayBuffer>[] {
  const whole = join(frames).slice(0, Math.max(0, count));
  return whole.length === 0 ? [] : [whole];
}

function split(whole: Uint8Array<ArrayBuffer>, size: number): Uint8Array<ArrayBuffer>[] {
  const step = Math.max(1, Math.floor(size) || 1);
  const pieces: Uint8Array<ArrayBuffer>[] = [];
  for (let at = 0; at < whole.length; at += step) pieces.push(whole.slice(at, at + step));
  return pieces;
}

/** One array of bytes from many. */
export function join(frames: readonly Uint8Array<ArrayBuffer>[]): Uint8Array<ArrayBuffer> {
  const [only] = frames;
  if (frames.length === 1 && only !== undefined) return only;
  const whole = new Uint8Array(frames.reduce((sum, frame) => sum + frame.length, 0));
  let at = 0;
  for (const frame of frames) {
    whole.set(frame, at);
    at += frame.length;
  }
  return whole;
}

function bytes(frame: string | Uint8Array<ArrayBuffer>): Uint8Array<ArrayBuffer> {
  return typeof frame === 'string' ? encoder.encode(frame) : frame;
}
