import * as z from 'zod/mini';

import { imageParamsSchema } from '../../../schemas/images.ts';
import { imageTaskRecord } from '../../../schemas/task.ts';
import type { OperationDocs, TagDocs } from '../docs.ts';
import { pollDocs, submitCodes, submitted, taskExample, taskFields } from './tasks.ts';

const finishedImagesRecord = z.looseObject({
  created: z.number(),
  data: z.array(z.looseObject({ url: z.string() })),
});

const submit = {
  examples: {
    'An image from words': { model: 'prism-image', prompt: 'A fox in the snow' },
    'Two images from an image': {
      model: 'prism-image',
      prompt: 'The same fox, asleep',
      task_type: 'image2image',
      image: 'https://files.example/fox.png',
      resolution: '2k',
      num_images: 2,
    },
  },
  responses: { 202: ['The task was accepted, or replayed.'] },
  errorCodes: {
    400: [...submitCodes, 'material_channel_unavailable'],
    404: ['task_not_found'],
  },
} satisfies Partial<OperationDocs>;

const count = { minimum: 1, maximum: 100 };

/** Specification: Image generation; assumptions A2, A3, A7. */
export const imagesDocs: TagDocs = {
  tag: { name: 'Images', description: 'Tasks that draw.' },
  operations: {
    'POST /v1/images/generations': {
      ...submit,
      id: 'createImageGeneration',
      description: `The path of OpenAI-style clients. ${submitted}`,
      responses: {
        ...submit.responses,
        200: ['The service waited for the images.', 'FinishedImages'],
      },
    },
    'POST /v1/images/tasks': { ...submit, id: 'createImageTask', description: submitted },
    'GET /v1/images/tasks/{taskId}': pollDocs('image', 'getImageTask'),
    'GET /v1/images/generations/{taskId}': pollDocs('image', 'getImageGeneration'),
  },
  schemas: {
    ImageRequest: {
      schema: imageParamsSchema,
      description: 'What to draw. Which fields a model accepts varies by model.',
      fields: {
        model: { description: 'Id of an image model.', example: 'prism-image' },
        prompt: 'What the image should show. Required unless there is a source image.',
        n: { description: 'Number of images, in the style of OpenAI.', ...count },
        size: {
          description: 'Size in pixels, `<width>x<height>`.',
          pattern: '^\\d{1,5}x\\d{1,5}$',
          example: '1024x1024',
        },
        reference_image_urls: 'URLs of reference images.',
        task_type: {
          description: 'Draw from words alone, or from an image.',
          enum: ['text2image', 'image2image'],
        },
        image: { description: 'URL of the one source image.', format: 'uri' },
        aspect_ratio: { description: 'Aspect ratio, or `auto`.', example: '1:1' },
        resolution: { description: 'Resolution; the price may depend on it.', example: '2k' },
        output_format: { description: 'File format.', example: 'webp' },
        num_images: { description: 'Number of images; wins over `n`.', ...count },
      },
    },
    ImageTask: {
      schema: imageTaskRecord,
      description: 'A task that draws.',
      example: taskExample('image', 'png'),
      fields: {
        ...taskFields('image'),
        'result.images[].b64_json': 'The file itself in base64, from services that send no URL.',
        'result.images[].revised_prompt': 'The prompt as the model understood it.',
      },
    },
    FinishedImages: {
      schema: finishedImagesRecord,
      description: 'Images that are finished already, in the style of OpenAI.',
      fields: {
        created: 'When they were finished, unix seconds.',
        data: 'The images.',
        'data[].url': { description: 'URL of the image.', format: 'uri' },
      },
    },
  },
};
