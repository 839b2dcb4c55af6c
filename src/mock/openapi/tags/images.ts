import * as z from 'zod/mini';

import * as shapes from '../../../wire/generated/index.ts';
import { imageBody, videoBody } from '../../../wire/schemas/bodies.ts';
import { acceptedFields } from '../../../wire/schemas/params.ts';
import type { TaskKind } from '../../../wire/types/tasks/task.ts';
import { resultLists } from '../../tasks/record.ts';
import type { OperationDocs, SchemaDocs, TagDocs } from '../docs.ts';

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

/** Documents an endpoint that polls a task. */
export function pollOperation(kind: TaskKind, id: string): OperationDocs {
  const article = kind === 'video' ? 'a' : 'an';
  return {
    id,
    description: `Returns ${article} ${kind} task. Poll it every 2 to 5 seconds until its status is terminal. Tasks of other users return 404.`,
    responses: { 200: ['The current state of the task.'] },
    errorCodes: { 404: ['task_not_found'] },
  };
}

/** What all endpoints that submit a task share: the end of their description, their success response, and their error codes. */
export const submits = {
  description:
    'The response returns the task id immediately, and its headers report the charge. A request with the same `x-idempotency-key` returns the existing task without charging again.',
  responses: {
    202: ['The task was accepted, or an existing task is returned.'],
  } satisfies OperationDocs['responses'],
  errorCodes: ['invalid_request_parameter', 'model_not_found', 'invalid_idempotency_key'],
};

const finishedImagesRecord = acceptedFields({
  created: ['Completion time in Unix seconds.', z.number()],
  data: ['Images.', z.array(acceptedFields({ url: ['Image URL.', z.string()] }))],
});

const submitOperation = {
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
  responses: submits.responses,
  errorCodes: {
    400: [...submits.errorCodes, 'material_channel_unavailable'],
    404: ['task_not_found'],
  },
} satisfies Partial<OperationDocs>;

const count = { maximum: 100 };

/** Specification: Image generation; assumptions A2, A3, A7. */
export const imagesDocs: TagDocs = {
  tag: { name: 'Images', description: 'Asynchronous image generation.' },
  operations: {
    'POST /v1/images/generations': {
      ...submitOperation,
      id: 'createImageGeneration',
      description: `Submits an image task. This is the path for OpenAI-compatible clients. ${submits.description}`,
      responses: {
        ...submits.responses,
        200: ['The images, if the service waits until they are finished.', 'FinishedImages'],
      },
    },
    'POST /v1/images/tasks': {
      ...submitOperation,
      id: 'createImageTask',
      description: `Submits an image task. ${submits.description}`,
    },
    'GET /v1/images/tasks/{taskId}': pollOperation('image', 'getImageTask'),
    'GET /v1/images/generations/{taskId}': pollOperation('image', 'getImageGeneration'),
  },
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
      schema: finishedImagesRecord,
      description: 'Finished images, in the OpenAI style.',
      fields: { 'data[].url': { format: 'uri' } },
    },
  },
};

const videoOperation = {
  examples: {
    'Text to video': { model: 'tide-video', prompt: 'A wave at dawn', duration: 5 },
    'Material reference': {
      model: 'tide-video',
      content: [
        { type: 'text', text: 'The person waves' },
        {
          type: 'image_url',
          image_url: { url: 'asset://0a1b2c3d' },
          role: 'reference_image',
        },
      ],
      resolution: '1080p',
      extra_body: { generate_audio: true, seed: 7 },
    },
  },
  responses: submits.responses,
  errorCodes: {
    400: [
      ...submits.errorCodes,
      'material_not_managed',
      'material_not_available',
      'material_channel_unavailable',
    ],
    404: ['task_not_found'],
  },
} satisfies Partial<OperationDocs>;

const description = `${submits.description} To use a material from the library, pass its \`asset://\` URI as the \`url\` of a media item in \`content\`; never put it in a text field.`;

/** Specification: Video generation; assumptions A1, A3. */
export const videosDocs: TagDocs = {
  tag: { name: 'Videos', description: 'Asynchronous video generation.' },
  operations: {
    'POST /v1/videos': {
      ...videoOperation,
      id: 'createVideo',
      description: `Submits a video task. ${description}`,
    },
    'POST /v1/video/generations': {
      ...videoOperation,
      id: 'createVideoGeneration',
      description: `Submits a video task; same as \`POST /v1/videos\`. ${description}`,
    },
    'POST /v1/videos/generations': {
      ...videoOperation,
      id: 'createVideosGeneration',
      description: `Submits a video task; same as \`POST /v1/videos\`. ${description}`,
    },
    'GET /v1/videos/{taskId}': pollOperation('video', 'getVideo'),
    'GET /v1/video/generations/{taskId}': pollOperation('video', 'getVideoGeneration'),
    'GET /v1/videos/generations/{taskId}': pollOperation('video', 'getVideosGeneration'),
  },
  schemas: {
    VideoRequest: {
      schema: videoBody,
      description: 'Video generation parameters. Which fields are accepted depends on the model.',
      keywords: shapes.videoParamsKeywords,
      fields: {
        model: { example: 'tide-video' },
        duration: { maximum: 3600 },
        'content[].type': { example: 'text' },
        'content[].role': { example: 'reference_image' },
        'extra_body.input_video_seconds': {
          minimum: 0.1,
          maximum: 3600,
        },
      },
    },
    VideoTask: {
      schema: shapes.videoTaskRecord,
      description: 'A video generation task.',
      keywords: shapes.videoTaskRecordKeywords,
      ...taskDocs('video', 'mp4'),
    },
  },
};
