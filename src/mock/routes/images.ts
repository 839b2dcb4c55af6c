import { imageBody } from '../../schemas/images.ts';
import { imageTaskRecord } from '../../schemas/task.ts';
import { defineJsonEndpoint } from '../http/endpoint.ts';
import { imageJob } from '../tasks/image-job.ts';
import { pollRoute } from '../tasks/poll-route.ts';
import { submitOrFinish, submitTask } from '../tasks/submit.ts';

const submit = {
  method: 'POST',
  slot: true,
  body: imageBody,
  responseSchema: imageTaskRecord,
  status: 202,
  errors: [400, 401, 402, 403, 404, 409, 413, 429, 503],
} as const;

/** Specification: Image generation. Assumption A2: polling after POST /images/generations. */
export const imageRoutes = [
  defineJsonEndpoint({
    ...submit,
    path: '/v1/images/generations',
    summary: 'Create an image generation',
    otherStatuses: [200],
    errors: [...submit.errors, 500],
    handle: (call, body) => submitOrFinish(call, 'image', { ...body }, () => imageJob(call, body)),
  }),
  defineJsonEndpoint({
    ...submit,
    path: '/v1/images/tasks',
    summary: 'Create an image task',
    handle: (call, body) => submitTask(call, 'image', { ...body }, () => imageJob(call, body)),
  }),
  pollRoute('image', '/v1/images/tasks/{taskId}', 'A2', 'images/tasks'),
  pollRoute('image', '/v1/images/generations/{taskId}', 'A2', 'images/generations'),
];
