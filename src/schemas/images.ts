import * as z from 'zod/mini';

import { openString, bodySchema } from './record-schema.ts';
import type { Open } from './schema.ts';

/**
 * Image generation parameters, sent unchanged. The accepted fields depend on the model. Specification: Image
 * generation.
 */
export interface ImageParams {
  /** Id of a model whose `type` in `models.list()` is `'image'`. */
  model: string;
  /** Text prompt. */
  prompt?: string | undefined;
  /** Number of images (OpenAI style). */
  n?: number | undefined;
  /** Size in pixels, in the form `<width>x<height>`. */
  size?: string | undefined;
  /** URLs of reference images. */
  reference_image_urls?: string[] | undefined;
  /** Task type: text to image, or image to image. */
  task_type?: Open<'text2image' | 'image2image'> | undefined;
  /** URL of a single source image. */
  image?: string | undefined;
  /** Aspect ratio, such as `1:1` or `auto`. */
  aspect_ratio?: string | undefined;
  /** Resolution, such as `1k` or `2k`. */
  resolution?: string | undefined;
  /** Output format, such as `jpeg` or `webp`. */
  output_format?: string | undefined;
  /** Number of images. Price estimates use it instead of `n` if both are set. */
  num_images?: number | undefined;
}

export const imageBody = /* @__PURE__ */ (() =>
  bodySchema<ImageParams>({
    model: z.string(),
    prompt: z.optional(z.string()),
    n: z.optional(z.int()),
    size: z.optional(z.string()),
    reference_image_urls: z.optional(z.array(z.string())),
    task_type: z.optional(openString<'text2image' | 'image2image'>()),
    image: z.optional(z.string()),
    aspect_ratio: z.optional(z.string()),
    resolution: z.optional(z.string()),
    output_format: z.optional(z.string()),
    num_images: z.optional(z.int()),
  }))();
