import { videoTaskRecord } from '../../../schemas/task.ts';
import { videoParamsSchema } from '../../../schemas/videos.ts';
import type { FieldDocs, OperationDocs, TagDocs } from '../docs.ts';
import { pollDocs, submitCodes, submitted, taskExample, taskFields } from './tasks.ts';

const submit = {
  examples: {
    'A video from words': { model: 'tide-video', prompt: 'A wave at dawn', duration: 5 },
    'A video with a material': {
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
  responses: { 202: ['The task was accepted, or replayed.'] },
  errorCodes: {
    400: [
      ...submitCodes,
      'material_not_managed',
      'material_not_available',
      'material_channel_unavailable',
    ],
    404: ['task_not_found'],
  },
} satisfies Partial<OperationDocs>;

const description = `${submitted} Materials of the library are named by their \`asset://\` URI, in the \`url\` of a structured media item and never in a text.`;

/** Part of a content item that points at a file. */
function reference(name: string, what: string): Record<string, FieldDocs> {
  return {
    [`content[].${name}`]: `${what}, in an item of type \`${name}\`.`,
    [`content[].${name}.url`]: 'An HTTP(S) URL, or the `asset://` URI of an available material.',
  };
}

/** Specification: Video generation; assumptions A1, A3. */
export const videosDocs: TagDocs = {
  tag: { name: 'Videos', description: 'Tasks that film.' },
  operations: {
    'POST /v1/videos': { ...submit, id: 'createVideo', description },
    'POST /v1/video/generations': {
      ...submit,
      id: 'createVideoGeneration',
      description: `The same as \`POST /v1/videos\`. ${description}`,
    },
    'POST /v1/videos/generations': {
      ...submit,
      id: 'createVideosGeneration',
      description: `The same as \`POST /v1/videos\`. ${description}`,
    },
    'GET /v1/videos/{taskId}': pollDocs('video', 'getVideo'),
    'GET /v1/video/generations/{taskId}': pollDocs('video', 'getVideoGeneration'),
    'GET /v1/videos/generations/{taskId}': pollDocs('video', 'getVideosGeneration'),
  },
  schemas: {
    VideoRequest: {
      schema: videoParamsSchema,
      description: 'What to film. Which fields a model accepts varies by model.',
      fields: {
        model: { description: 'Id of a video model.', example: 'tide-video' },
        prompt: 'What the video should show. Required unless there are other sources.',
        size: { description: 'Size.', example: '720p' },
        resolution: { description: 'Resolution, in the structured form.', example: '720p' },
        aspect_ratio: { description: 'Aspect ratio.', example: '16:9' },
        duration: { description: 'Length, seconds.', minimum: 1, maximum: 3600 },
        image: { description: 'URL of the first frame or source image.', format: 'uri' },
        last_image: { description: 'URL of the last frame.', format: 'uri' },
        images: 'URLs of several reference images.',
        video: {
          description: 'URL of the source video: to go on from, edit or extend.',
          format: 'uri',
        },
        content: 'The structured form: words and media.',
        'content[].type': {
          description: 'Kind of item: `text`, `image_url` or a kind that the model knows.',
          example: 'text',
        },
        'content[].text': 'The words, in an item of type `text`.',
        ...reference('image_url', 'An image'),
        ...reference('video_url', 'A video'),
        ...reference('audio_url', 'A sound'),
        'content[].role': {
          description: 'What the item is for.',
          example: 'reference_image',
        },
        extra_body: 'Options that are passed through to the model.',
        'extra_body.generate_audio': 'Whether the video gets sound.',
        'extra_body.negative_prompt': 'What the video should not show.',
        'extra_body.seed': "Seed of the model's randomness.",
        'extra_body.operation':
          'What to do with the source video, such as `edit_video`, `video_extend` or `avatar`.',
        'extra_body.input_video_seconds': {
          description: 'Length of the source video, seconds.',
          minimum: 0.1,
          maximum: 3600,
        },
      },
    },
    VideoTask: {
      schema: videoTaskRecord,
      description: 'A task that films.',
      example: taskExample('video', 'mp4'),
      fields: taskFields('video'),
    },
  },
};
