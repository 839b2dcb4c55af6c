import { text } from '../http/response/response.ts';
import type { MockResponse } from '../http/response/response.ts';
import { byteRange } from '../media/byte-range.ts';
import { param } from '../http/request-context.ts';
import type { RequestContext } from '../http/request-context.ts';
import { reads } from '../http/endpoint.ts';
import { statusOf } from '../materials/store.ts';
import { taskFile } from '../media/files.ts';
import type { MediaFile } from '../media/files.ts';
import { GatewayError } from '../http/response/gateway-error.ts';
import { promptSvg } from '../media/svg.ts';
import { melodyWav } from '../media/wav.ts';

const open = { method: 'GET', auth: 'none', hidden: true } as const;

/**
 * Result files and previews. The specification leaves their addresses to the service; they need no
 * key.
 */
export const mediaRoutes = [
  reads({
    ...open,
    path: '/media/{taskId}/{file}',
    summary: 'A file that a task made',
    handle: (call) => {
      const task = call.services.tasks.byId(param(call, 'taskId'));
      return file(call, task && taskFile(task, param(call, 'file'), call.now));
    },
  }),
  reads({
    ...open,
    path: '/previews/voices/{voiceId}',
    summary: 'How a voice sounds',
    handle: (call) =>
      file(call, { type: 'audio/wav', body: melodyWav(`voice ${param(call, 'voiceId')}`) }),
  }),
  reads({
    ...open,
    path: '/previews/materials/{materialId}',
    summary: 'What a material shows',
    handle: (call) => {
      const material = call.services.materials.byId(param(call, 'materialId'));
      if (material === undefined || statusOf(material, call.now) !== 'available') {
        return file(call, undefined);
      }
      const picture = promptSvg(material.name, 1, `preview of a material: ${material.type}`);
      return file(call, { type: 'image/svg+xml', body: picture });
    },
  }),
];

/** Links to files expire: 410 once their time is over, 404 when there was never anything. */
function file(call: RequestContext, found: MediaFile | undefined): MockResponse {
  if (found === undefined) throw new GatewayError(404, 'result_not_found', 'There is no such file');
  const expires = call.query.get('expires');
  if (expires !== null && !(call.now < Number(expires))) {
    throw new GatewayError(410, 'result_expired', 'This link has expired: poll for a new one');
  }
  const { type, body } = found;
  if (typeof body === 'string') return text(200, type, body);
  const range = byteRange(call.headers.get('range'), body.length);
  if (range === undefined) return text(200, type, body, { 'accept-ranges': 'bytes' });
  const { start, end } = range;
  return text(206, type, body.slice(start, end + 1), {
    'accept-ranges': 'bytes',
    'content-range': `bytes ${start}-${end}/${body.length}`,
  });
}
