import * as z from 'zod/mini';

import { imageBody } from '../../../wire/schemas/media/images.ts';
import { acceptedFields } from '../../../wire/schemas/params.ts';
import { imageTaskRecord } from '../../../wire/schemas/tasks/task.ts';
import type { OperationDocs, TagDocs } from '../docs.ts';
import {
  pollOperation,
  submitErrorCodes,
  submitDescription,
  submitResponses,
  taskExample,
  taskFields,
} from './tasks.ts';

const finishedImagesRecord = acceptedFields(
  { created: 'Completion time in Unix seconds.', data: 'Images.' },
  {
    created: z.number(),
    data: z.array(acceptedFields({ url: 'Image URL.' }, { url: z.string() })),
  },
);

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
  responses: submitResponses,
  errorCodes: {
    400: [...submitErrorCodes, 'material_channel_unavailable'],
    404: ['task_not_found'],
  },
} satisfies Partial<OperationDocs>;

const count = { minimum: 1, maximum: 100 };

/** Specification: Image generation; assumptions A2, A3, A7. */
export const imagesDocs: TagDocs = {
  tag: { name: 'Images', description: 'Asynchronous image generation.' },
  operations: {
    'POST /v1/images/generations': {
      ...submitOperation,
      id: 'createImageGeneration',
      description: `Submits an image task. This is the path for OpenAI-compatible clients. ${submitDescription}`,
      responses: {
        ...submitResponses,
        200: ['The images, if the service waits until they are finished.', 'FinishedImages'],
      },
    },
    'POST /v1/images/tasks': {
      ...submitOperation,
      id: 'createImageTask',
      description: `Submits an image task. ${submitDescription}`,
    },
    'GET /v1/images/tasks/{taskId}': pollOperation('image', 'getImageTask'),
    'GET /v1/images/generations/{taskId}': pollOperation('image', 'getImageGeneration'),
  },
  schemas: {
    ImageRequest: {
      schema: imageBody,
      description: 'Image generation parameters. Which fields are accepted depends on the model.',
      fields: {
        model: { example: 'prism-image' },
        n: count,
        task_type: {
          enum: ['text2image', 'image2image'],
        },
        size: { pattern: '^\\d{1,5}x\\d{1,5}$', example: '1024x1024' },
        image: { format: 'uri' },
        aspect_ratio: { example: '1:1' },
        resolution: { example: '2k' },
        output_format: { example: 'webp' },
        num_images: count,
      },
    },
    ImageTask: {
      schema: imageTaskRecord,
      description: 'An image generation task.',
      example: taskExample('image', 'png'),
      fields: taskFields('image'),
    },
    FinishedImages: {
      schema: finishedImagesRecord,
      description: 'Finished images, in the OpenAI style.',
      fields: { 'data[].url': { format: 'uri' } },
    },
  },
};
