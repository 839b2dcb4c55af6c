import { videoTaskRecord } from '../../schemas/task.ts';
import { videoBody } from '../../schemas/videos.ts';
import { defineJsonEndpoint } from '../http/endpoint.ts';
import { pollRoute } from '../tasks/poll-route.ts';
import { submitTask } from '../tasks/submit.ts';
import { videoJob } from '../tasks/video-job.ts';

const submit = (path: string) =>
  defineJsonEndpoint({
    method: 'POST',
    path,
    summary: 'Create a video task',
    slot: true,
    body: videoBody,
    responseSchema: videoTaskRecord,
    status: 202,
    errors: [400, 401, 402, 403, 404, 409, 413, 429, 503],
    handle: (call, body) => submitTask(call, 'video', { ...body }, () => videoJob(call, body)),
  });

/** Specification: Video generation. Assumption A1: polling. */
export const videoRoutes = [
  submit('/v1/videos'),
  submit('/v1/video/generations'),
  submit('/v1/videos/generations'),
  pollRoute('video', '/v1/videos/{taskId}', 'A1', 'videos'),
  pollRoute('video', '/v1/video/generations/{taskId}', 'A1', 'video/generations'),
  pollRoute('video', '/v1/videos/generations/{taskId}', 'A1', 'videos/generations'),
];
