// Generated from the interfaces in `src/wire/types` by `npm run schema-docs`.
import * as z from 'zod/mini';

import { limited, listOf, openString, paramsSchema } from '../../schemas/record-schema.ts';
import type { Schema, WithOptional } from '../../schemas/record-schema.ts';
import type { ImageParams } from '../../types/media/images.ts';

export const imageParams: Schema<WithOptional<ImageParams, 'prompt'>> = paramsSchema({
  model: ["Id of a model whose `type` in `models.list()` is `'image'`.", limited(z.string(), z.minLength(1))],
  prompt: ["Text prompt.", z.optional(z.string())],
  n: ["Number of images (OpenAI style).", z.optional(limited(z.int(), z.gte(1)))],
  size: ["Size in pixels, in the form `<width>x<height>`.", z.optional(z.string())],
  reference_image_urls: ["URLs of reference images.", z.optional(listOf(z.string()))],
  task_type: ["Task type: text to image, or image to image.", z.optional(openString("text2image", "image2image"))],
  image: ["URL of a single source image.", z.optional(z.string())],
  aspect_ratio: ["Aspect ratio, such as `1:1` or `auto`.", z.optional(z.string())],
  resolution: ["Resolution, such as `1k` or `2k`.", z.optional(z.string())],
  output_format: ["Output format, such as `jpeg` or `webp`.", z.optional(z.string())],
  num_images: ["Number of images. Price estimates use it instead of `n` if both are set.", z.optional(limited(z.int(), z.gte(1)))],
});

export const imageParamsKeywords = {
  "model": {
    "minLength": 1
  },
  "n": {
    "minimum": 1
  },
  "size": {
    "pattern": "^\\d{1,5}x\\d{1,5}$",
    "example": "1024x1024"
  },
  "image": {
    "format": "uri"
  },
  "aspect_ratio": {
    "example": "1:1"
  },
  "resolution": {
    "example": "2k"
  },
  "output_format": {
    "example": "webp"
  },
  "num_images": {
    "minimum": 1
  }
} as const;
