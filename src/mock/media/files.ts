import type { Task } from '../account/state.ts';
import type { RequestContext } from '../http/request-context.ts';
import { GatewayError } from '../http/response/gateway-error.ts';
import { text } from '../http/response/response.ts';
import type { MockResponse } from '../http/response/response.ts';
import { phaseOf } from '../tasks/phase.ts';
import { fileEndings } from '../tasks/record.ts';
import { sampleVideo } from './sample-video.ts';
import { promptSvg } from './svg.ts';
import { melodyWav } from './wav.ts';

/** A file with its content type. */
export interface MediaFile {
  type: string;
  body: string | Uint8Array<ArrayBuffer>;
}

/** The result file with a name such as `1.svg`, or undefined if the task has no such file. */
export function taskFile(task: Task, name: string, now: number): MediaFile | undefined {
  const [, digits = '', ending] = /^(\d{1,3})\.(\w+)$/.exec(name) ?? [];
  const number = Number(digits);
  const exists = number >= 1 && number <= task.count && ending === fileEndings[task.kind];
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

/** The requested duration in seconds. */
function durationOf({ body }: Task): number {
  return typeof body.duration === 'number' ? body.duration : 5;
}

/** Serves a file: 404 if there is none, 410 after the link has expired. */
export function serveFile(call: RequestContext, file: MediaFile | undefined): MockResponse {
  if (file === undefined) {
    throw new GatewayError(404, 'result_not_found', 'The file does not exist');
  }
  const expires = call.query.get('expires');
  if (expires !== null && !(call.now < Number(expires))) {
    const message = 'This link has expired; retrieve the task or material again to get a new link';
    throw new GatewayError(410, 'result_expired', message);
  }
  const { type, body } = file;
  if (typeof body === 'string') return text(200, type, body);
  const range = byteRange(call.headers.get('range'), body.length);
  if (range === undefined) return text(200, type, body, { 'accept-ranges': 'bytes' });
  const { start, end } = range;
  return text(206, type, body.slice(start, end + 1), {
    'accept-ranges': 'bytes',
    'content-range': `bytes ${start}-${end}/${body.length}`,
  });
}

/**
 * The inclusive range that a `Range` header requests. Media players need ranges to seek, and some
 * to play at all. Multiple, malformed and unsatisfiable ranges are ignored.
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
