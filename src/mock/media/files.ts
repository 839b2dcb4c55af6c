import type { RequestContext } from '../http/request-context.ts';
import { GatewayError } from '../http/response/gateway-error.ts';
import { bodyResponse } from '../http/response/response.ts';
import type { MockResponse } from '../http/response/response.ts';
import type { Task } from '../state.ts';
import { phaseOf } from '../tasks/phase.ts';
import { fileExtensions } from '../tasks/record.ts';
import { sampleVideo } from './sample-video.ts';
import { promptSvg } from './svg.ts';
import { melodyWav } from './wav.ts';

/** A file with its content type. */
export interface MediaFile {
  type: string;
  body: string | Uint8Array<ArrayBuffer>;
}

/** Creates the result file with a name such as `1.svg`; undefined if the task has no such file. */
export function taskFile(task: Task, name: string, now: number): MediaFile | undefined {
  const [, digits = '', extension] = /^(\d{1,3})\.(\w+)$/.exec(name) ?? [];
  const number = Number(digits);
  const exists = number >= 1 && number <= task.count && extension === fileExtensions[task.kind];
  if (!exists || phaseOf(task, now).status !== 'completed') return undefined;
  switch (task.kind) {
    case 'image':
      return { type: 'image/svg+xml', body: promptSvg(task.prompt, number, task.model) };
    case 'audio':
      return { type: 'audio/wav', body: melodyWav(`${task.prompt} ${number}`) };
    case 'video':
      return { type: 'video/mp4', body: sampleVideo(task.prompt, durationOf(task)) };
  }
}

/** Returns the requested duration in seconds. */
function durationOf({ body }: Task): number {
  return typeof body.duration === 'number' ? body.duration : 5;
}

/** Serves a file. Throws a 404 if it is undefined, and a 410 if the link has expired. */
export function serveFile(context: RequestContext, file: MediaFile | undefined): MockResponse {
  if (file === undefined) {
    throw new GatewayError(404, 'result_not_found', 'The file does not exist');
  }
  const expires = context.query.get('expires');
  if (expires !== null && !(context.now < Number(expires))) {
    const message = 'This link has expired; retrieve the task or material again to get a new link';
    throw new GatewayError(410, 'result_expired', message);
  }
  const { type, body } = file;
  if (typeof body === 'string') return bodyResponse(200, type, body);
  const range = byteRange(context.headers.get('range'), body.length);
  if (range === undefined) return bodyResponse(200, type, body, { 'accept-ranges': 'bytes' });
  const { start, end } = range;
  return bodyResponse(206, type, body.slice(start, end + 1), {
    'accept-ranges': 'bytes',
    'content-range': `bytes ${start}-${end}/${body.length}`,
  });
}

/**
 * Returns the inclusive range that a `Range` header requests. Media players need ranges to seek, and
 * some cannot play without them. Multiple, malformed and unsatisfiable ranges are ignored.
 */
function byteRange(
  header: string | null,
  length: number,
): { start: number; end: number } | undefined {
  const [, first = '', last = ''] = /^bytes=(\d*)-(\d*)$/.exec(header ?? '') ?? [];
  if (first === '' && last === '') return undefined;
  const start = first === '' ? Math.max(0, length - Number(last)) : Number(first);
  const end = first === '' || last === '' ? length - 1 : Math.min(Number(last), length - 1);
  return start <= end ? { start, end } : undefined;
}
