import type { VideoContentParams, VideoParams } from 'polygate';
import * as z from 'zod/mini';

import { videoParamsProblem } from '../../types/media/videos.ts';
import * as docs from '../docs/media.ts';
import { accepted, acceptedFields, count, modelId, withProblem } from '../params.ts';
import { listOf, oneOf, openString, paramsSchema, recordSchema } from '../record-schema.ts';
import type { Docs, WithOptional } from '../record-schema.ts';

const text = z.optional(z.string());

const media = paramsSchema(docs.mediaReference, { url: z.string() });

const contentItem = oneOf('type', [
  paramsSchema(docs.videoTextItem, { type: z.literal('text'), text: z.string() }),
  paramsSchema(docs.videoImageItem, {
    type: z.literal('image_url'),
    image_url: media,
    role: z.optional(openString('first_frame', 'last_frame', 'reference_image')),
  }),
  paramsSchema(docs.videoVideoItem, {
    type: z.literal('video_url'),
    video_url: media,
    role: z.optional(openString('reference_video')),
  }),
  paramsSchema(docs.videoAudioItem, {
    type: z.literal('audio_url'),
    audio_url: media,
    role: z.optional(openString('reference_audio')),
  }),
]);

/** A request body as the service accepts it. A content item can have a type that is not documented. */
export type VideoBody = WithOptional<Omit<VideoParams, 'content'>, 'prompt'> & {
  content?: { type: string; text?: string | undefined }[] | undefined;
};

/** The fields are the same; another one can replace `prompt`. */
const bodyDocs: Docs<WithOptional<VideoParams, 'prompt'>> = docs.videoParams;

/** The body of a video generation, with the request in `prompt` or `content`. */
export const videoParams: z.ZodMiniType<
  VideoContentParams | VideoParams,
  VideoContentParams | VideoParams
> = withProblem(
  paramsSchema(bodyDocs, {
    model: modelId,
    prompt: text,
    size: text,
    resolution: text,
    aspect_ratio: text,
    duration: z.optional(count),
    image: text,
    last_image: text,
    images: z.optional(listOf(z.string())),
    video: text,
    content: z.optional(listOf(contentItem)),
    extra_body: z.optional(
      recordSchema(docs.videoExtraBody, {
        generate_audio: z.optional(z.boolean()),
        negative_prompt: text,
        seed: z.optional(z.int()),
        operation: z.optional(openString('edit_video', 'video_extend', 'avatar')),
        input_video_seconds: z.optional(z.number()),
      }),
    ),
  }),
  (params) =>
    (params.prompt ?? params.content) === undefined
      ? 'prompt: is required, unless content is given'
      : videoParamsProblem(params),
);

const acceptedMedia = z.optional(accepted(media));

export const videoBody = /* @__PURE__ */ accepted<VideoBody>(videoParams, {
  content: z.optional(
    z.array(
      acceptedFields(
        {
          ...docs.videoTextItem.fields,
          ...docs.videoVideoItem.fields,
          ...docs.videoAudioItem.fields,
          ...docs.videoImageItem.fields,
        },
        {
          type: z.string(),
          text,
          image_url: acceptedMedia,
          video_url: acceptedMedia,
          audio_url: acceptedMedia,
          role: text,
        },
      ),
    ),
  ),
});
