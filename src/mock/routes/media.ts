import { defineEndpoint, param } from '../http/endpoint.ts';
import type { RequestContext } from '../http/endpoint.ts';
import { GatewayError, bodyResponse } from '../http/response.ts';
import type { MockResponse } from '../http/response.ts';
import { statusOf } from '../materials/store.ts';
import { imageFile, imageFormatOf, imageRatioOf } from '../media/image.ts';
import type { MediaFile } from '../media/image.ts';
import { sampleVideo, melodyWav, speechWav } from '../media/samples.ts';
import type { Task } from '../state.ts';
import { extensionOf } from '../tasks/record.ts';
import { phaseOf } from '../tasks/store.ts';

const hiddenEndpoint = { method: 'GET', auth: 'none', hidden: true } as const;

/** Result files and previews. They need no key; the specification does not define their URLs. */
export const mediaRoutes = [
  defineEndpoint({
    ...hiddenEndpoint,
    path: '/media/{taskId}/{file}',
    summary: 'Download a result file',
    handle: (context) => {
      const task = context.services.tasks.byId(param(context, 'taskId'));
      const { imageFormat } = context.services.settings;
      return serveFile(
        context,
        task && taskFile(task, param(context, 'file'), context.now, imageFormat),
      );
    },
  }),
  defineEndpoint({
    ...hiddenEndpoint,
    path: '/previews/voices/{voiceId}',
    summary: 'Play a voice preview',
    handle: (context) => {
      const body = melodyWav(`voice ${param(context, 'voiceId')}`);
      return serveFile(context, { type: 'audio/wav', body });
    },
  }),
  defineEndpoint({
    ...hiddenEndpoint,
    path: '/previews/materials/{materialId}',
    summary: 'View a material preview',
    handle: (context) => {
      const material = context.services.materials.byId(param(context, 'materialId'));
      if (material === undefined || statusOf(material, context.now) !== 'available') {
        return serveFile(context, undefined);
      }
      const footnote = `preview of a material: ${material.type}`;
      const description = { prompt: material.name, variant: material.id, footnote };
      return serveFile(context, imageFile(description, context.services.settings.imageFormat));
    },
  }),
];

/** Creates the result file with a name such as `1.png`; undefined if the task has no such file. */
function taskFile(
  task: Task,
  name: string,
  now: number,
  imageFormat: 'png' | 'svg',
): MediaFile | undefined {
  const [, digits = '', extension] = /^(\d{1,3})\.(\w+)$/.exec(name) ?? [];
  const number = Number(digits);
  const exists =
    number >= 1 && number <= task.count && extension === extensionOf(task, imageFormat);
  if (!exists || phaseOf(task, now).status !== 'completed') return undefined;
  const { kind, prompt, model, body } = task;
  switch (kind) {
    case 'image': {
      // The same prompt with another key is another image, as it is with a model.
      const variant = `${task.idempotencyKey ?? task.id} ${number}`;
      const description = { prompt, variant, footnote: model };
      return imageFile(description, imageFormatOf(body, imageFormat), imageRatioOf(body));
    }
    case 'audio': {
      const isSpeech = typeof (body.text ?? body.input) === 'string';
      const speed = typeof body.speed === 'number' ? body.speed : 1;
      const bytes = isSpeech ? speechWav(prompt, speed) : melodyWav(`${prompt} ${number}`);
      return { type: 'audio/wav', body: bytes };
    }
    case 'video': {
      const seconds = typeof body.duration === 'number' ? body.duration : 5;
      return { type: 'video/mp4', body: sampleVideo(prompt, seconds) };
    }
  }
}

/** Serves a file. Throws a 404 if it is undefined, and a 410 if the link has expired. */
function serveFile(context: RequestContext, file: MediaFile | undefined): MockResponse {
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
