import * as shapes from '../../wire/generated/index.ts';
import { videoBody } from '../../wire/schemas/bodies.ts';
import { defineJsonEndpoint, documented } from '../http/endpoint.ts';
import type { TagDocs } from '../http/endpoint.ts';
import { prepareVideo } from '../tasks/prepare.ts';
import { submitTask } from '../tasks/submit.ts';
import { pollRoute, submitCodes, submitDescription, submitRoute, taskDocs } from './tasks.ts';

/** Specification: Video generation; assumptions A1, A3. */
const videosDocs: TagDocs = {
  tag: { name: 'Videos', description: 'Asynchronous video generation.' },
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
        'extra_body.input_video_seconds': { minimum: 0.1, maximum: 3600 },
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

/** The three paths to submit a video differ in their name only. */
const videoRoute = (path: string, id: string, same = '; same as `POST /v1/videos`') =>
  defineJsonEndpoint({
    ...submitRoute,
    path,
    summary: 'Create a video task',
    id,
    description: `Submits a video task${same}. ${submitDescription} To use a material from the library, pass its \`asset://\` URI as the \`url\` of a media item in \`content\`; never put it in a text field.`,
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
    body: videoBody,
    responseSchema: shapes.videoTaskRecord,
    errorCodes: submitCodes(
      'material_not_managed',
      'material_not_available',
      'material_channel_unavailable',
    ),
    handle: (context, body) =>
      submitTask(context, 'video', { ...body }, () => prepareVideo(context, body)),
  });

/** Specification: Video generation; assumption A1. */
export const videoRoutes = documented(videosDocs, [
  videoRoute('/v1/videos', 'createVideo', ''),
  videoRoute('/v1/video/generations', 'createVideoGeneration'),
  videoRoute('/v1/videos/generations', 'createVideosGeneration'),
  pollRoute('video', '/v1/videos/{taskId}', 'getVideo', 'A1'),
  pollRoute('video', '/v1/video/generations/{taskId}', 'getVideoGeneration', 'A1'),
  pollRoute('video', '/v1/videos/generations/{taskId}', 'getVideosGeneration', 'A1'),
]);
