import * as z from 'zod/mini';

import type { ImageParams } from '../../types/media/images.ts';
import { bodySchema, openString } from '../record-schema.ts';
import type { WithOptional } from '../record-schema.ts';

/** A request body as the service accepts it. */
export type ImageBody = WithOptional<ImageParams, 'prompt'>;

export const imageBody = bodySchema<ImageBody>({
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
});
