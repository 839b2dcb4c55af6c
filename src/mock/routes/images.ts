import { imageBody } from '../../wire/schemas/media/images.ts';
import { imageTaskRecord } from '../../wire/schemas/tasks/task.ts';
import { defineJsonEndpoint } from '../http/endpoint.ts';
import { pollRoute } from '../tasks/poll-route.ts';
import { prepareImage } from '../tasks/prepare-image.ts';
import { submitAndMaybeWait, submitErrors, submitTask } from '../tasks/submit.ts';

const submitRoute = {
  method: 'POST',
  usesSlot: true,
  body: imageBody,
  responseSchema: imageTaskRecord,
  status: 202,
  errors: submitErrors,
} as const;

/** Specification: Image generation; assumption A2. */
export const imageRoutes = [
  defineJsonEndpoint({
    ...submitRoute,
    path: '/v1/images/generations',
    summary: 'Create an image generation',
    otherStatuses: [200],
    errors: [...submitErrors, 500],
    handle: (context, body) =>
      submitAndMaybeWait(context, 'image', { ...body }, () => prepareImage(context, body)),
  }),
  defineJsonEndpoint({
    ...submitRoute,
    path: '/v1/images/tasks',
    summary: 'Create an image task',
    handle: (context, body) =>
      submitTask(context, 'image', { ...body }, () => prepareImage(context, body)),
  }),
  pollRoute('image', '/v1/images/tasks/{taskId}', 'A2', 'images/tasks'),
  pollRoute('image', '/v1/images/generations/{taskId}', 'A2', 'images/generations'),
];
