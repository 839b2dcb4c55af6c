import { videoBody } from '../../../schemas/media/videos.ts';
import { videoTaskRecord } from '../../../schemas/tasks/task.ts';
import type { FieldDocs, OperationDocs, TagDocs } from '../docs.ts';
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

/** Documents the part of a content item that refers to a media file. */
function mediaItem(name: string, media: string): Record<string, FieldDocs> {
  return {
    [`content[].${name}`]: `${media} reference, in an item of type \`${name}\`.`,
    [`content[].${name}.url`]: 'HTTP(S) URL, or `asset://` URI of an available material.',
  };
}

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
        model: { description: 'Video model id.', example: 'tide-video' },
        prompt:
          'Text prompt. Required unless `content`, `image`, `last_image`, `images` or `video` is given.',
        size: { description: 'Size, such as `720p` or `1080p`.', example: '720p' },
        resolution: { description: 'Resolution, for requests with `content`.', example: '720p' },
        aspect_ratio: { description: 'Aspect ratio.', example: '16:9' },
        duration: { description: 'Duration in seconds.', minimum: 1, maximum: 3600 },
        image: { description: 'URL of the first frame or source image.', format: 'uri' },
        last_image: { description: 'URL of the last frame.', format: 'uri' },
        images: 'URLs of reference images.',
        video: {
          description: 'URL of the source video to continue, edit or extend.',
          format: 'uri',
        },
        content: 'Structured input: text and media items.',
        'content[].type': {
          description: 'Item type: `text`, `image_url` or another type that the model supports.',
          example: 'text',
        },
        'content[].text': 'Text, in an item of type `text`.',
        ...mediaItem('image_url', 'Image'),
        ...mediaItem('video_url', 'Video'),
        ...mediaItem('audio_url', 'Audio'),
        'content[].role': {
          description: 'Role of the media, such as `reference_image`.',
          example: 'reference_image',
        },
        extra_body: 'Additional options, passed through to the model.',
        'extra_body.generate_audio': 'Whether to generate audio.',
        'extra_body.negative_prompt': 'Negative prompt: what the video should not contain.',
        'extra_body.seed': 'Random seed.',
        'extra_body.operation':
          'Operation on the input, such as `edit_video`, `video_extend` or `avatar`.',
        'extra_body.input_video_seconds': {
          description: 'Duration of the input video in seconds.',
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
