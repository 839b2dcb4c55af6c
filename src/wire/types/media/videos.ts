import type { ModelId, ModelResolution } from '../catalog/models.ts';
import type { OpenString } from '../schema.ts';
import { isRecord } from '../type-guards.ts';
import type { FieldProblem } from '../type-guards.ts';
import type { AssetUri } from './materials.ts';

/** URL of a media file: an HTTP(S) URL, or the `asset://` URI of an available material. */
export type MediaUrl = OpenString<AssetUri>;

/** Reference to media in a content item. */
export interface MediaReference {
  /**
   * URL of the media. The specification allows `asset://` URIs here, and forbids them in `prompt` and other text
   * fields.
   */
  url: MediaUrl;
}

/** Text item of `content`. */
export interface VideoTextItem {
  /** Item type. */
  type: 'text';
  /** Text prompt. Must not contain an `asset://` URI. */
  text: string;
}

/** Image item of `content`. */
export interface VideoImageItem {
  /** Item type. */
  type: 'image_url';
  /** Reference to the image. */
  image_url: MediaReference;
  /** Role of the image. */
  role?: OpenString<'first_frame' | 'last_frame' | 'reference_image'> | undefined;
}

/** Video item of `content`. Model-specific; the specification does not document its fields. */
export interface VideoVideoItem {
  /** Item type. */
  type: 'video_url';
  /** Reference to the video. */
  video_url: MediaReference;
  /** Role of the video. */
  role?: OpenString<'reference_video'> | undefined;
}

/** Audio item of `content`. Model-specific; the specification does not document its fields. */
export interface VideoAudioItem {
  /** Item type. */
  type: 'audio_url';
  /** Reference to the audio. */
  audio_url: MediaReference;
  /** Role of the audio. */
  role?: OpenString<'reference_audio'> | undefined;
}

/** One item of `content`. */
export type VideoContentItem = VideoTextItem | VideoImageItem | VideoVideoItem | VideoAudioItem;

/** Additional options for the model. */
export interface VideoExtraBody {
  /** Whether to generate audio with the video. */
  generate_audio?: boolean | undefined;
  /** Text describing what the video should not show. Must not contain an `asset://` URI. */
  negative_prompt?: string | undefined;
  /**
   * Random seed, an integer.
   * @integer
   */
  seed?: number | undefined;
  /** Operation to perform on the source video. */
  operation?: OpenString<'edit_video' | 'video_extend' | 'avatar'> | undefined;
  /** Length of the input video in seconds. */
  input_video_seconds?: number | undefined;
  /** Model-specific options. */
  [field: string]: unknown;
}

/** Parameters of a video generation whose prompt and media are in `content`. */
export interface VideoContentParams extends Omit<VideoParams, 'prompt' | 'content'> {
  /** The request as a list of text and media items. Media can come from the material library. */
  content: readonly VideoContentItem[];
  /** Text prompt. Must not contain an `asset://` URI. */
  prompt?: string | undefined;
}

/**
 * Parameters of a video generation, sent unchanged. Each model accepts some of the fields.
 *
 * A field that is not listed here does not compile. Pass it in the `extraBody` option, or declare it once for your
 * project by augmenting this interface.
 *
 * @example
 * ```ts
 * await gateway.videos.generate(params, { extraBody: { camera_motion: 0.4 } });
 * ```
 *
 * @example
 * ```ts
 * declare module 'polygate' {
 *   interface VideoParams {
 *     camera_motion?: number;
 *   }
 * }
 * ```
 */
export interface VideoParams {
  /**
   * Id of a model whose `type` in `models.list()` is `'video'`.
   * @minLength 1
   */
  model: ModelId<'video'>;
  /**
   * Text prompt. Must not contain an `asset://` URI.
   * @alternative content
   */
  prompt: string;
  /**
   * Size, such as `720p` or `1080p`.
   * @sample 720p
   */
  size?: ModelResolution<'video'> | undefined;
  /**
   * Resolution, for requests with `content`, such as `720p`.
   * @sample 720p
   */
  resolution?: ModelResolution<'video'> | undefined;
  /**
   * Aspect ratio, such as `16:9` or `9:16`.
   * @sample 16:9
   */
  aspect_ratio?: string | undefined;
  /**
   * Duration in seconds, an integer.
   * @integer
   * @minimum 1
   */
  duration?: number | undefined;
  /**
   * URL of the first frame or source image.
   * @format uri
   */
  image?: string | undefined;
  /**
   * URL of the last frame.
   * @format uri
   */
  last_image?: string | undefined;
  /** URLs of multiple reference images. */
  images?: readonly string[] | undefined;
  /**
   * URL of the source video to continue, edit or extend.
   * @format uri
   */
  video?: string | undefined;
  /** The request as a list of text and media items. Media can come from the material library. */
  content?: readonly VideoContentItem[] | undefined;
  /** Additional options for the model. */
  extra_body?: VideoExtraBody | undefined;
}

// As with images, each of the fields that replace each other is in one member, so that editors show its documentation.
/** What a video can be generated from: {@link VideoParams} or {@link VideoContentParams}. */
export type VideoInput = Omit<VideoParams, 'prompt' | 'content'> &
  (Pick<VideoContentParams, 'content'> | Pick<VideoParams, 'prompt'>);

/**
 * Checks video generation params and returns the problem, or undefined. The specification allows `asset://` URIs only
 * in the media items of `content`, never in a text field, not even as part of a longer text.
 */
export function videoParamsProblem({
  prompt,
  extra_body: extra,
  content,
}: Record<string, unknown>): FieldProblem | undefined {
  const items: unknown[] = Array.isArray(content) ? content : [];
  const texts: (readonly [field: string, text: unknown])[] = [
    ['prompt', prompt],
    ['extra_body.negative_prompt', isRecord(extra) && extra.negative_prompt],
    ...items.map((item, index) => [`content[${index}].text`, isRecord(item) && item.text] as const),
  ];
  const invalid = texts.find(([, text]) => typeof text === 'string' && /asset:\/\//i.test(text));
  return (
    invalid && [
      invalid[0],
      'must not contain an asset:// URI; use it as the url of a content item instead',
    ]
  );
}
