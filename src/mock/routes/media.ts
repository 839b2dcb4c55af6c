import { defineEndpoint } from '../http/endpoint.ts';
import { param } from '../http/request-context.ts';
import { statusOf } from '../materials/store.ts';
import { serveFile, taskFile } from '../media/files.ts';
import { promptSvg } from '../media/svg.ts';
import { melodyWav } from '../media/wav.ts';

const hiddenEndpoint = { method: 'GET', auth: 'none', hidden: true } as const;

/** Result files and previews. They need no key; the specification leaves their URLs open. */
export const mediaRoutes = [
  defineEndpoint({
    ...hiddenEndpoint,
    path: '/media/{taskId}/{file}',
    summary: 'Download a result file',
    handle: (call) => {
      const task = call.services.tasks.byId(param(call, 'taskId'));
      return serveFile(call, task && taskFile(task, param(call, 'file'), call.now));
    },
  }),
  defineEndpoint({
    ...hiddenEndpoint,
    path: '/previews/voices/{voiceId}',
    summary: 'Play a voice preview',
    handle: (call) => {
      const body = melodyWav(`voice ${param(call, 'voiceId')}`);
      return serveFile(call, { type: 'audio/wav', body });
    },
  }),
  defineEndpoint({
    ...hiddenEndpoint,
    path: '/previews/materials/{materialId}',
    summary: 'View a material preview',
    handle: (call) => {
      const material = call.services.materials.byId(param(call, 'materialId'));
      if (material === undefined || statusOf(material, call.now) !== 'available') {
        return serveFile(call, undefined);
      }
      const body = promptSvg(material.name, 1, `preview of a material: ${material.type}`);
      return serveFile(call, { type: 'image/svg+xml', body });
    },
  }),
];
