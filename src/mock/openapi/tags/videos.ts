import { videoBody } from '../../../wire/schemas/media/videos.ts';
import { videoTaskRecord } from '../../../wire/schemas/tasks/task.ts';
import type { OperationDocs, TagDocs } from '../docs.ts';
import {
  pollOperation,
  submitErrorCodes,
  submitDescription,
  submitResponses,
  taskExample,
  taskFields,
} from './tasks.ts';

const submitOperation = {
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
  responses: submitResponses,
  errorCodes: {
    400: [
      ...submitErrorCodes,
      'material_not_managed',
      'material_not_available',
      'material_channel_unavailable',
    ],
    404: ['task_not_found'],
  },
} satisfies Partial<OperationDocs>;

const description = `${submitDescription} To use a material from the library, pass its \`asset://\` URI as the \`url\` of a media item in \`content\`; never put it in a text field.`;

/** Specification: Video generation; assumptions A1, A3. */
export const videosDocs: TagDocs = {
  tag: { name: 'Videos', description: 'Asynchronous video generation.' },
  operations: {
    'POST /v1/videos': {
      ...submitOperation,
      id: 'createVideo',
      description: `Submits a video task. ${description}`,
    },
    'POST /v1/video/generations': {
      ...submitOperation,
      id: 'createVideoGeneration',
      description: `Submits a video task; same as \`POST /v1/videos\`. ${description}`,
    },
    'POST /v1/videos/generations': {
      ...submitOperation,
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
      fields: {
        model: { example: 'tide-video' },
        size: { example: '720p' },
        resolution: { example: '720p' },
        aspect_ratio: { example: '16:9' },
        duration: { minimum: 1, maximum: 3600 },
        image: { format: 'uri' },
        last_image: { format: 'uri' },
        video: { format: 'uri' },
        'content[].type': { example: 'text' },
        'content[].role': { example: 'reference_image' },
        'extra_body.input_video_seconds': {
          minimum: 0.1,
          maximum: 3600,
        },
      },
    },
    VideoTask: {
      schema: videoTaskRecord,
      description: 'A video generation task.',
      example: taskExample('video', 'mp4'),
      fields: taskFields('video'),
    },
  },
};
