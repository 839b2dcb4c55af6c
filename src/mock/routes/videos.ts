import { videoBody } from '../../wire/schemas/media/videos.ts';
import { videoTaskRecord } from '../../wire/schemas/tasks/task.ts';
import { defineJsonEndpoint } from '../http/endpoint.ts';
import { pollRoute } from '../tasks/poll-route.ts';
import { prepareVideo } from '../tasks/prepare-video.ts';
import { submitErrors, submitTask } from '../tasks/submit.ts';

const submitRoute = (path: string) =>
  defineJsonEndpoint({
    method: 'POST',
    path,
    summary: 'Create a video task',
    usesSlot: true,
    body: videoBody,
    responseSchema: videoTaskRecord,
    status: 202,
    errors: submitErrors,
    handle: (context, body) =>
      submitTask(context, 'video', { ...body }, () => prepareVideo(context, body)),
  });

/** Specification: Video generation; assumption A1. */
export const videoRoutes = [
  submitRoute('/v1/videos'),
  submitRoute('/v1/video/generations'),
  submitRoute('/v1/videos/generations'),
  pollRoute('video', '/v1/videos/{taskId}', 'A1', 'videos'),
  pollRoute('video', '/v1/video/generations/{taskId}', 'A1', 'video/generations'),
  pollRoute('video', '/v1/videos/generations/{taskId}', 'A1', 'videos/generations'),
];
