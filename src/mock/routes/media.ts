import { defineEndpoint } from '../http/endpoint.ts';
import { param } from '../http/request-context.ts';
import { statusOf } from '../materials/store.ts';
import { serveFile, taskFile } from '../media/files.ts';
import { imageFile } from '../media/image.ts';
import { melodyWav } from '../media/wav.ts';

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
