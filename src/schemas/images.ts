import * as z from 'zod/mini';

import { openString, bodySchema } from './record-schema.ts';
import type { Open } from './schema.ts';

/**
 * What to draw. Sent exactly as given; which fields a model accepts varies by model.
 * Specification: Image generation.
 */
export interface ImageParams {
  /** Model id, such as one of `models.list()` with `type: 'image'`. */
  model: string;
  /** What the image should show. */
  prompt?: string | undefined;
  /** Number of images (OpenAI style). */
  n?: number | undefined;
  /** Size in pixels, `<width>x<height>`. */
  size?: string | undefined;
  /** URLs of reference images. */
  reference_image_urls?: string[] | undefined;
  /** Draw from text alone, or from an image. */
  task_type?: Open<'text2image' | 'image2image'> | undefined;
  /** URL of the one source image. */
  image?: string | undefined;
  /** Aspect ratio, such as `1:1` or `auto`. */
  aspect_ratio?: string | undefined;
  /** Resolution, such as `1k` or `2k`. */
  resolution?: string | undefined;
  /** File format, such as `jpeg` or `webp`. */
  output_format?: string | undefined;
  /** Number of images. */
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
