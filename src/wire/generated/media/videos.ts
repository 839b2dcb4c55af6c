// Generated from the interfaces in `src/wire/types` by `npm run schema-docs`.
import * as z from 'zod/mini';

import { limited, listOf, oneOf, openString, paramsSchema, recordSchema } from '../../schemas/record-schema.ts';
import type { Schema, WithOptional } from '../../schemas/record-schema.ts';
import type { MediaReference, VideoAudioItem, VideoContentItem, VideoExtraBody, VideoImageItem, VideoParams, VideoTextItem, VideoVideoItem } from '../../types/media/videos.ts';

const videoTextItem: Schema<VideoTextItem> = paramsSchema({
  type: ["Item type.", z.literal("text")],
  text: ["Text prompt. Must not contain an `asset://` URI.", z.string()],
});

const mediaReference: Schema<MediaReference> = paramsSchema({
  url: ["URL of the media. The specification allows `asset://` URIs here, and forbids them in `prompt` and other text fields.", openString()],
});

const videoImageItem: Schema<VideoImageItem> = paramsSchema({
  type: ["Item type.", z.literal("image_url")],
  image_url: ["Reference to the image.", mediaReference],
  role: ["Role of the image.", z.optional(openString("first_frame", "last_frame", "reference_image"))],
});

const videoVideoItem: Schema<VideoVideoItem> = paramsSchema({
  type: ["Item type.", z.literal("video_url")],
  video_url: ["Reference to the video.", mediaReference],
  role: ["Role of the video.", z.optional(openString("reference_video"))],
});

const videoAudioItem: Schema<VideoAudioItem> = paramsSchema({
  type: ["Item type.", z.literal("audio_url")],
  audio_url: ["Reference to the audio.", mediaReference],
  role: ["Role of the audio.", z.optional(openString("reference_audio"))],
});

const videoExtraBody: Schema<VideoExtraBody> = recordSchema({
  generate_audio: ["Whether to generate audio with the video.", z.optional(z.boolean())],
  negative_prompt: ["Text describing what the video should not show. Must not contain an `asset://` URI.", z.optional(z.string())],
  seed: ["Random seed, an integer.", z.optional(z.int())],
  operation: ["Operation to perform on the source video.", z.optional(openString("edit_video", "video_extend", "avatar"))],
  input_video_seconds: ["Length of the input video in seconds.", z.optional(z.number())],
});

export const videoParams: Schema<WithOptional<VideoParams, 'prompt'>> = paramsSchema({
  model: ["Id of a model whose `type` in `models.list()` is `'video'`.", limited(z.string(), z.minLength(1))],
  prompt: ["Text prompt. Must not contain an `asset://` URI.", z.optional(z.string())],
  size: ["Size, such as `720p` or `1080p`.", z.optional(z.string())],
  resolution: ["Resolution, for requests with `content`, such as `720p`.", z.optional(z.string())],
  aspect_ratio: ["Aspect ratio, such as `16:9` or `9:16`.", z.optional(z.string())],
  duration: ["Duration in seconds, an integer.", z.optional(limited(z.int(), z.gte(1)))],
  image: ["URL of the first frame or source image.", z.optional(z.string())],
  last_image: ["URL of the last frame.", z.optional(z.string())],
  images: ["URLs of multiple reference images.", z.optional(listOf(z.string()))],
  video: ["URL of the source video to continue, edit or extend.", z.optional(z.string())],
  content: ["The request as a list of text and media items. Media can come from the material library.", z.optional(listOf(oneOf("type", [videoTextItem, videoImageItem, videoVideoItem, videoAudioItem])))],
  extra_body: ["Additional options for the model.", z.optional(videoExtraBody)],
});

export const videoParamsKeywords = {
  "model": {
    "minLength": 1
  },
  "size": {
    "example": "720p"
  },
  "resolution": {
    "example": "720p"
  },
  "aspect_ratio": {
    "example": "16:9"
  },
  "duration": {
    "minimum": 1
  },
  "image": {
    "format": "uri"
  },
  "last_image": {
    "format": "uri"
  },
  "video": {
    "format": "uri"
  }
} as const;

export const videoContentItem: Schema<VideoContentItem> = oneOf("type", [videoTextItem, videoImageItem, videoVideoItem, videoAudioItem]);
