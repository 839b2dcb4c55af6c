import * as z from 'zod/mini';

import type { VideoExtraBody, VideoParams } from '../../types/media/videos.ts';
import { bodySchema, openString } from '../record-schema.ts';
import type { WithOptional } from '../record-schema.ts';

/** A request body as the service accepts it. */
export type VideoBody = WithOptional<Omit<VideoParams, 'content'>, 'prompt'> & {
  content?: { type: string; text?: string | undefined }[] | undefined;
};

const reference = z.optional(z.looseObject({ url: z.string() }));

export const videoBody = bodySchema<VideoBody>({
  model: z.string(),
  prompt: z.optional(z.string()),
  size: z.optional(z.string()),
  resolution: z.optional(z.string()),
  aspect_ratio: z.optional(z.string()),
  duration: z.optional(z.int()),
  image: z.optional(z.string()),
  last_image: z.optional(z.string()),
  images: z.optional(z.array(z.string())),
  video: z.optional(z.string()),
  content: z.optional(
    z.array(
      z.looseObject({
        type: z.string(),
        text: z.optional(z.string()),
        image_url: reference,
        video_url: reference,
        audio_url: reference,
        role: z.optional(z.string()),
      }),
    ),
  ),
  extra_body: z.optional(
    bodySchema<VideoExtraBody>({
      generate_audio: z.optional(z.boolean()),
      negative_prompt: z.optional(z.string()),
      seed: z.optional(z.int()),
      operation: z.optional(openString<'edit_video'>()),
      input_video_seconds: z.optional(z.number()),
    }),
  ),
});
