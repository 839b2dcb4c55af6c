import * as z from 'zod/mini';

import type { AssetUri } from './materials.ts';
import { notAnObjectProblem } from './param-checks.ts';
import { isRecord } from './record.ts';
import { openString, bodySchema } from './record-schema.ts';
import type { Open } from './schema.ts';

/** Where media is: the `asset://` URI of an available material, or an HTTP(S) URL. */
export type MediaUrl = Open<AssetUri>;

/** A pointer to media inside a content item. Specification: Video generation, `content`. */
export interface MediaReference {
  /** Where the media is; here, and only here, an `asset://` URI may stand. */
  url: MediaUrl;
}

/** Words as part of a structured request. Specification: Video generation, `content`. */
export interface VideoTextItem {
  /** Kind of item. */
  type: 'text';
  /** What the video should show; never an `asset://` URI. */
  text: string;
}

/** An image as part of a structured request. Specification: Video generation, `content`. */
export interface VideoImageItem {
  /** Kind of item. */
  type: 'image_url';
  /** The image. */
  image_url: MediaReference;
  /** What the image is for. */
  role?: Open<'first_frame' | 'last_frame' | 'reference_image'> | undefined;
}

/** A video as part of a structured request. The specification leaves this kind to the models. */
export interface VideoVideoItem {
  /** Kind of item. */
  type: 'video_url';
  /** The video. */
  video_url: MediaReference;
  /** What the video is for. */
  role?: Open<'reference_video'> | undefined;
}

/** A sound as part of a structured request. The specification leaves this kind to the models. */
export interface VideoAudioItem {
  /** Kind of item. */
  type: 'audio_url';
  /** The sound. */
  audio_url: MediaReference;
  /** What the sound is for. */
  role?: Open<'reference_audio'> | undefined;
}

/** Any other kind of item that a model takes. */
export interface VideoOtherItem {
  /** Kind of item. */
  type: string;
  /** Fields of the model's own. */
  [field: string]: unknown;
}

/** One part of a structured request. Specification: Video generation, `content`. */
export type VideoContentItem =
  | VideoTextItem
  | VideoImageItem
  | VideoVideoItem
  | VideoAudioItem
  | VideoOtherItem;

/** Options that are passed through to the model. Specification: Video generation, `extra_body`. */
export interface VideoExtraBody {
  /** Whether the video gets sound. */
  generate_audio?: boolean | undefined;
  /** What the video should not show; never an `asset://` URI. */
  negative_prompt?: string | undefined;
  /** Seed of the model's randomness, a whole number. */
  seed?: number | undefined;
  /** What to do with the source video. */
  operation?: Open<'edit_video' | 'video_extend' | 'avatar'> | undefined;
  /** Length of the source video, in seconds. */
  input_video_seconds?: number | undefined;
  /** Options of the model's own. */
  [field: string]: unknown;
}

/**
 * What to film. Sent exactly as given; which fields a model accepts varies by model.
 * Specification: Video generation.
 */
export interface VideoParams {
  /** Model id, such as one of `models.list()` with `type: 'video'`. */
  model: string;
  /** What the video should show; never an `asset://` URI. */
  prompt?: string | undefined;
  /** Size, such as `720p` or `1080p`. */
  size?: string | undefined;
  /** Resolution in the structured form, such as `720p`. */
  resolution?: string | undefined;
  /** Aspect ratio, such as `16:9` or `9:16`. */
  aspect_ratio?: string | undefined;
  /** Length in seconds, a whole number. */
  duration?: number | undefined;
  /** URL of the first frame or the source image. */
  image?: string | undefined;
  /** URL of the last frame. */
  last_image?: string | undefined;
  /** URLs of several reference images. */
  images?: string[] | undefined;
  /** URL of the source video: to continue, edit or extend. */
  video?: string | undefined;
  /** The structured form: words and media, where media may come from the material library. */
  content?: VideoContentItem[] | undefined;
  /** Options that are passed through to the model. */
  extra_body?: VideoExtraBody | undefined;
}

export const videoBody = /* @__PURE__ */ (() => {
  const reference = z.optional(z.looseObject({ url: z.string() }));
  return bodySchema<VideoParams>({
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
})();

const assetUri = /asset:\/\//i;

/**
 * What the specification forbids in a video request, or undefined: an `asset://` URI is for
 * structured media items and never stands in plain text, not even inside a sentence. Specification:
 * Video generation.
 */
export function videoParamsProblem(params: unknown): string | undefined {
  if (!isRecord(params)) return notAnObjectProblem;
  const { prompt, extra_body: extra, content } = params;
  if (containsAssetUri(prompt)) return assetUriProblem('prompt');
  if (isRecord(extra) && containsAssetUri(extra.negative_prompt)) {
    return assetUriProblem('extra_body.negative_prompt');
  }
  if (!Array.isArray(content)) return undefined;
  const item = content.findIndex((part: unknown) => isRecord(part) && containsAssetUri(part.text));
  return item < 0 ? undefined : assetUriProblem(`content[${item}].text`);
}

function containsAssetUri(text: unknown): boolean {
  return typeof text === 'string' && assetUri.test(text);
}

function assetUriProblem(field: string): string {
  return `${field}: must not contain an asset:// URI, which belongs in the url of a content item`;
}
