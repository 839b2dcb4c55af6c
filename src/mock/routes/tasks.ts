import * as z from 'zod/mini';

import * as shapes from '../../wire/generated/index.ts';
import { imageBody, musicBody, speechBody } from '../../wire/schemas/bodies.ts';
import { acceptedFields } from '../../wire/schemas/params.ts';
import type { TaskKind } from '../../wire/types/tasks/task.ts';
import { defineEndpoint, param, defineJsonEndpoint, documented } from '../http/endpoint.ts';
import type { Endpoint, SchemaDocs, TagDocs } from '../http/endpoint.ts';
import { GatewayError, unknownEndpoint, json } from '../http/response.ts';
import { prepareImage, audioBodies, prepareAudio } from '../tasks/prepare.ts';
import { resultLists, taskRecord } from '../tasks/record.ts';
import { submitAndMaybeWait, submitTask } from '../tasks/submit.ts';

/** What all endpoints that submit a task have in common. */
export const submitRoute = {
  method: 'POST',
  usesSlot: true,
  status: 202,
  responses: { 202: ['The task was accepted, or an existing task is returned.'] },
  errors: [400, 401, 402, 403, 404, 409, 413, 429, 503],
} as const;

/** The end of their description. */
export const submitDescription =
  'The response returns the task id immediately, and its headers report the charge. A request with the same `x-idempotency-key` returns the existing task without charging again.';

/** Their error codes, with further ones for status 400. */
export const submitCodes = (...codes: string[]): Record<number, string[]> => ({
  400: ['invalid_request_parameter', 'model_not_found', 'invalid_idempotency_key', ...codes],
  404: ['task_not_found'],
});

/** Documents the record of a task, with the example of a completed one. Specification: Audio task; assumption A3. */
export function taskDocs(
  kind: TaskKind,
  extension: string,
): Pick<SchemaDocs, 'fields' | 'closed' | 'example'> {
  const url = `https://files.example/1.${extension}`;
  const example = {
    id: 'task_1',
    task_id: 'task_1',
    object: `${kind}.generation.job`,
    status: 'completed',
    raw_status: 'SUCCESS',
    progress: '100%',
    error: null,
    [`${kind}_url`]: url,
    result: { [`${kind}_url`]: url, outputs: [url], [resultLists[kind]]: [{ url }] },
  };
  return { example, fields: { object: { enum: [example.object] } }, closed: ['status'] };
}

const recordSchemas = {
  image: shapes.imageTaskRecord,
  video: shapes.videoTaskRecord,
  audio: shapes.audioTaskRecord,
};

/**
 * Defines an endpoint that polls a task. The specification does not document every poll path: A1 or
 * A2 may enable only one of them; the others then return a 404.
 */
export function pollRoute(
  kind: TaskKind,
  path: string,
  id: string,
  assumption?: 'A1' | 'A2',
): Endpoint {
  const task = `${kind === 'video' ? 'a' : 'an'} ${kind} task`;
  return defineEndpoint({
    method: 'GET',
    path,
    summary: `Retrieve ${task}`,
    id,
    description: `Returns ${task}. Poll it every 2 to 5 seconds until its status is terminal. Tasks of other users return 404.`,
    responseSchema: recordSchemas[kind],
    responses: { 200: ['The current state of the task.'] },
    errors: [401, 403, 404],
    errorCodes: { 404: ['task_not_found'] },
    handle: (context) => {
      const enabled = assumption === undefined ? 'any' : context.services.assumptions[assumption];
      if (enabled !== 'any' && path !== `/v1/${enabled}/{taskId}`) {
        throw unknownEndpoint(context.route);
      }
      const found = context.services.tasks.find(context.user, kind, param(context, 'taskId'));
      if (found === undefined) {
        // Reached when a batch continues from its journal after the gateway was restarted.
        const hint = 'Without --state, the reference gateway forgets its tasks when it stops';
        const message = `There is no ${kind} task with this id. ${hint}`;
        throw new GatewayError(404, 'task_not_found', message);
      }
      return json(200, taskRecord(context, found), { 'x-svc-task-id': found.id });
    },
  });
}

/** Specification: Audio; Audio task. */
const audioDocs: TagDocs = {
  tag: { name: 'Audio', description: 'Asynchronous music and speech generation.' },
  schemas: {
    AudioRequest: {
      schema: audioBodies.documentedBody,
      description: 'Music or speech generation parameters, depending on the model.',
    },
    MusicRequest: {
      schema: musicBody,
      description: 'Music generation parameters. Music is billed per output.',
      keywords: shapes.musicParamsKeywords,
      fields: {
        model: { example: 'anthem-music' },
        prompt: { minLength: 1 },
      },
    },
    SpeechRequest: {
      schema: speechBody,
      description:
        'Speech generation parameters. `text` or `input` is required, and so is a voice: `voice_id`, `voice` or `timber_weights`. Every character is billed, including spaces, line breaks and emoji.',
      keywords: shapes.speechParamsKeywords,
      fields: { model: { example: 'echo-speech' } },
      closed: ['emotion'],
    },
    AudioTask: {
      schema: shapes.audioTaskRecord,
      description: 'A music or speech generation task.',
      keywords: shapes.audioTaskRecordKeywords,
      ...taskDocs('audio', 'wav'),
    },
  },
};

/** Specification: Audio. */
export const audioRoutes = documented(audioDocs, [
  defineJsonEndpoint({
    ...submitRoute,
    path: '/v1/audio/tasks',
    summary: 'Create a music or speech task',
    id: 'createAudioTask',
    description: `Submits a music or speech task. With a music model, the body is a \`MusicRequest\`; with a speech model, a \`SpeechRequest\`. ${submitDescription}`,
    examples: {
      Music: { model: 'anthem-music', prompt: 'A slow march', is_instrumental: true },
      Speech: {
        model: 'echo-speech',
        text: 'Hello there <#0.5#> (laughs)',
        voice_id: 'calm-narrator',
        speed: 1.2,
        format: 'wav',
        sample_rate: 44100,
      },
    },
    ...audioBodies,
    responseSchema: shapes.audioTaskRecord,
    errorCodes: submitCodes(),
    handle: (context, body) =>
      submitTask(context, 'audio', body, () => prepareAudio(context, body)),
  }),
  pollRoute('audio', '/v1/audio/tasks/{taskId}', 'getAudioTask'),
]);

const count = { maximum: 100 };

/** Specification: Image generation; assumptions A2, A3, A7. */
const imagesDocs: TagDocs = {
  tag: { name: 'Images', description: 'Asynchronous image generation.' },
  schemas: {
    ImageRequest: {
      schema: imageBody,
      description: 'Image generation parameters. Which fields are accepted depends on the model.',
      keywords: shapes.imageParamsKeywords,
      fields: { model: { example: 'prism-image' }, n: count, num_images: count },
      closed: ['task_type'],
    },
    ImageTask: {
      schema: shapes.imageTaskRecord,
      description: 'An image generation task.',
      keywords: shapes.imageTaskRecordKeywords,
      ...taskDocs('image', 'png'),
    },
    FinishedImages: {
      schema: acceptedFields({
        created: ['Completion time in Unix seconds.', z.number()],
        data: ['Images.', z.array(acceptedFields({ url: ['Image URL.', z.string()] }))],
      }),
      description: 'Finished images, in the OpenAI style.',
      fields: { 'data[].url': { format: 'uri' } },
    },
  },
};

const imageRoute = {
  ...submitRoute,
  examples: {
    'Text to image': { model: 'prism-image', prompt: 'A fox in the snow' },
    'Image to image': {
      model: 'prism-image',
      prompt: 'The same fox, asleep',
      task_type: 'image2image',
      image: 'https://files.example/fox.png',
      resolution: '2k',
      num_images: 2,
    },
  },
  body: imageBody,
  responseSchema: shapes.imageTaskRecord,
  errorCodes: submitCodes('material_channel_unavailable'),
};

/** Specification: Image generation; assumption A2. */
export const imageRoutes = documented(imagesDocs, [
  defineJsonEndpoint({
    ...imageRoute,
    path: '/v1/images/generations',
    summary: 'Create an image generation',
    id: 'createImageGeneration',
    description: `Submits an image task. This is the path for OpenAI-compatible clients. ${submitDescription}`,
    responses: {
      ...submitRoute.responses,
      200: ['The images, if the service waits until they are finished.', 'FinishedImages'],
    },
    errors: [...submitRoute.errors, 500],
    handle: (context, body) =>
      submitAndMaybeWait(context, 'image', { ...body }, () => prepareImage(context, body)),
  }),
  defineJsonEndpoint({
    ...imageRoute,
    path: '/v1/images/tasks',
    summary: 'Create an image task',
    id: 'createImageTask',
    description: `Submits an image task. ${submitDescription}`,
    handle: (context, body) =>
      submitTask(context, 'image', { ...body }, () => prepareImage(context, body)),
  }),
  pollRoute('image', '/v1/images/tasks/{taskId}', 'getImageTask', 'A2'),
  pollRoute('image', '/v1/images/generations/{taskId}', 'getImageGeneration', 'A2'),
]);
