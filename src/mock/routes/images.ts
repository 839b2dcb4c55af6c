import { imageBody } from '../../schemas/images.ts';
import { imageTaskRecord } from '../../schemas/task.ts';
import { writes } from '../http/endpoint.ts';
import { imageJob } from '../tasks/image-job.ts';
import { pollRoute } from '../tasks/poll-route.ts';
import { submitOrFinish, submitTask } from '../tasks/submit.ts';

const submits = {
  method: 'POST',
  slot: true,
  body: imageBody,
  reply: imageTaskRecord,
  status: 202,
  errors: [400, 401, 402, 403, 404, 409, 413, 429, 503],
} as const;

/** Specification: Image generation. Polling what /images/generations made is assumption A2. */
export const imageRoutes = [
  writes({
    ...submits,
    path: '/v1/images/generations',
    summary: 'Submits an image task',
    otherStatuses: [200],
    errors: [...submits.errors, 500],
    handle: (call, body) => submitOrFinish(call, 'image', { ...body }, () => imageJob(call, body)),
  }),
  writes({
    ...submits,
    path: '/v1/images/tasks',
    summary: 'Submits an image task',
    handle: (call, body) => submitTask(call, 'image', { ...body }, () => imageJob(call, body)),
  }),
  pollRoute('image', '/v1/images/tasks/{taskId}', 'A2', 'images/tasks'),
  pollRoute('image', '/v1/images/generations/{taskId}', 'A2', 'images/generations'),
];
