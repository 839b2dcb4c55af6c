import type { ModelId, ModelResolution } from '../catalog/models.ts';
import type { OpenString } from '../schema.ts';

/** Parameters of an image generation from a source image. The prompt is optional. */
export interface ImageEditParams extends Omit<ImageParams, 'prompt' | 'image'> {
  /** URL of a single source image. */
  image: string;
  /** Text prompt. */
  prompt?: string | undefined;
}

/** Parameters of an image generation from reference images. The prompt is optional. */
export interface ImageFromReferencesParams extends Omit<
  ImageParams,
  'prompt' | 'reference_image_urls'
> {
  /** URLs of reference images. */
  reference_image_urls: readonly string[];
  /** Text prompt. */
  prompt?: string | undefined;
}

// The last member of a union of params is the one that compilers quote when a required field is missing.
/**
 * Parameters of an image generation, sent unchanged. Each model accepts some of the fields.
 *
 * A field that is not listed here does not compile. Pass it in the `extraBody` option, or declare it once for your
 * project by augmenting this interface.
 *
 * @example
 * ```ts
 * await gateway.images.generate(params, { extraBody: { style_strength: 0.4 } });
 * ```
 *
 * @example
 * ```ts
 * declare module 'polygate' {
 *   interface ImageParams {
 *     style_strength?: number;
 *   }
 * }
 * ```
 */
export interface ImageParams {
  /**
   * Id of a model whose `type` in `models.list()` is `'image'`.
   * @minLength 1
   */
  model: ModelId<'image'>;
  /**
   * Text prompt.
   * @alternative image, reference_image_urls
   */
  prompt: string;
  /**
   * Number of images (OpenAI style).
   * @integer
   * @minimum 1
   */
  n?: number | undefined;
  /**
   * Size in pixels, in the form `<width>x<height>`.
   * @pattern ^\d{1,5}x\d{1,5}$
   * @sample 1024x1024
   */
  size?: string | undefined;
  /** URLs of reference images. */
  reference_image_urls?: readonly string[] | undefined;
  /** Task type: text to image, or image to image. */
  task_type?: OpenString<'text2image' | 'image2image'> | undefined;
  /**
   * URL of a single source image.
   * @format uri
   */
  image?: string | undefined;
  /**
   * Aspect ratio, such as `1:1` or `auto`.
   * @sample 1:1
   */
  aspect_ratio?: string | undefined;
  /**
   * Resolution, such as `1k` or `2k`.
   * @sample 2k
   */
  resolution?: ModelResolution<'image'> | undefined;
  /**
   * Output format, such as `jpeg` or `webp`.
   * @sample webp
   */
  output_format?: string | undefined;
  /**
   * Number of images. Price estimates use it instead of `n` if both are set.
   * @integer
   * @minimum 1
   */
  num_images?: number | undefined;
}

// A union of interfaces that share their fields would leave hovers empty: editors show the documentation of a field only if
// all members of a union have the same declaration of it. So each of the fields that replace each other is in one member.
/**
 * What an image can be generated from: {@link ImageParams}, {@link ImageEditParams} or {@link ImageFromReferencesParams}.
 */
export type ImageInput = Omit<ImageParams, 'prompt' | 'image' | 'reference_image_urls'> &
  (
    | Pick<ImageEditParams, 'image'>
    | Pick<ImageFromReferencesParams, 'reference_image_urls'>
    | Pick<ImageParams, 'prompt'>
  );
