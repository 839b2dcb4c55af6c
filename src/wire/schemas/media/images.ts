import type { ImageEditParams, ImageFromReferencesParams, ImageParams } from 'polygate';
import * as z from 'zod/mini';

import * as docs from '../docs/media.ts';
import { accepted, count, modelId, withProblem } from '../params.ts';
import { listOf, openString, paramsSchema } from '../record-schema.ts';
import type { Docs, WithOptional } from '../record-schema.ts';

/** A request body as the service accepts it. */
export type ImageBody = WithOptional<ImageParams, 'prompt'>;

/** The fields are the same; another one can replace `prompt`. */
const bodyDocs: Docs<ImageBody> = docs.imageParams;

/** The body of an image generation: of text, of a source image, or of reference images. */
export const imageParams: z.ZodMiniType<
  ImageEditParams | ImageFromReferencesParams | ImageParams,
  ImageEditParams | ImageFromReferencesParams | ImageParams
> = withProblem(
  paramsSchema(bodyDocs, {
    model: modelId,
    prompt: z.optional(z.string()),
    n: z.optional(count),
    size: z.optional(z.string()),
    reference_image_urls: z.optional(listOf(z.string())),
    task_type: z.optional(openString('text2image', 'image2image')),
    image: z.optional(z.string()),
    aspect_ratio: z.optional(z.string()),
    resolution: z.optional(z.string()),
    output_format: z.optional(z.string()),
    num_images: z.optional(count),
  }),
  imageParamsProblem,
);

function imageParamsProblem({
  prompt,
  image,
  reference_image_urls: references,
}: Record<string, unknown>): string | undefined {
  return (prompt ?? image ?? references) === undefined
    ? 'prompt: is required, unless image or reference_image_urls is given'
    : undefined;
}

export const imageBody = /* @__PURE__ */ accepted<ImageBody>(imageParams);
