import * as shapes from '../../wire/generated/index.ts';
import { imageBody, videoBody } from '../../wire/schemas/bodies.ts';
import type { TaskKind } from '../../wire/types/tasks/task.ts';
import { defineEndpoint, param, defineJsonEndpoint, documented } from '../http/endpoint.ts';
import type { Endpoint } from '../http/endpoint.ts';
import { GatewayError, unknownEndpoint, json } from '../http/response.ts';
import { audioDocs } from '../openapi/tags/audio.ts';
import { videosDocs, imagesDocs } from '../openapi/tags/images.ts';
import { prepareImage, audioBodies, prepareAudio, prepareVideo } from '../tasks/prepare.ts';
import { taskRecord } from '../tasks/record.ts';
import { submitAndMaybeWait, submitErrors, submitTask } from '../tasks/submit.ts';

const recordSchemas = {
  image: shapes.imageTaskRecord,
  video: shapes.videoTaskRecord,
  audio: shapes.audioTaskRecord,
};

const videoRoute = (path: string) =>
  defineJsonEndpoint({
    method: 'POST',
    path,
    summary: 'Create a video task',
    usesSlot: true,
    body: videoBody,
    responseSchema: shapes.videoTaskRecord,
    status: 202,
    errors: submitErrors,
    handle: (context, body) =>
      submitTask(context, 'video', { ...body }, () => prepareVideo(context, body)),
  });

/** Specification: Video generation; assumption A1. */
export const videoRoutes = documented(videosDocs, [
  videoRoute('/v1/videos'),
  videoRoute('/v1/video/generations'),
  videoRoute('/v1/videos/generations'),
  pollRoute('video', '/v1/videos/{taskId}', 'A1', 'videos'),
  pollRoute('video', '/v1/video/generations/{taskId}', 'A1', 'video/generations'),
  pollRoute('video', '/v1/videos/generations/{taskId}', 'A1', 'videos/generations'),
]);

/** Specification: Audio. */
export const audioRoutes = documented(audioDocs, [
  defineJsonEndpoint({
    method: 'POST',
    path: '/v1/audio/tasks',
    summary: 'Create a music or speech task',
    usesSlot: true,
    ...audioBodies,
    responseSchema: shapes.audioTaskRecord,
    status: 202,
    errors: submitErrors,
    handle: (context, body) =>
      submitTask(context, 'audio', body, () => prepareAudio(context, body)),
  }),
  pollRoute('audio', '/v1/audio/tasks/{taskId}'),
]);

const submitRoute = {
  method: 'POST',
  usesSlot: true,
  body: imageBody,
  responseSchema: shapes.imageTaskRecord,
  status: 202,
  errors: submitErrors,
} as const;

/** Specification: Image generation; assumption A2. */
export const imageRoutes = documented(imagesDocs, [
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
]);

/**
 * Defines an endpoint that polls a task. The specification does not document every poll path: A1 or
 * A2 may enable only one of them, by `name`; the others then return a 404.
 */
function pollRoute(
  kind: TaskKind,
  path: string,
  assumption?: 'A1' | 'A2',
  name?: string,
): Endpoint {
  return defineEndpoint({
    method: 'GET',
    path,
    summary: `Retrieve ${kind === 'video' ? 'a' : 'an'} ${kind} task`,
    responseSchema: recordSchemas[kind],
    errors: [401, 403, 404],
    handle: (context) => {
      const enabled = assumption === undefined ? 'any' : context.services.assumptions[assumption];
      if (enabled !== 'any' && enabled !== name) throw unknownEndpoint(context.route);
      const task = context.services.tasks.find(context.user, kind, param(context, 'taskId'));
      if (task === undefined) {
        // Reached when a batch continues from its journal after the gateway was restarted.
        const hint = 'Without --state, the reference gateway forgets its tasks when it stops';
        throw new GatewayError(
          404,
          'task_not_found',
          `There is no ${kind} task with this id. ${hint}`,
        );
      }
      return json(200, taskRecord(context, task), { 'x-svc-task-id': task.id });
    },
  });
}
