import type { ImageBody } from '../../wire/schemas/media/images.ts';
import type { RequestContext } from '../http/request-context.ts';
import { invalidParameter } from '../http/response/gateway-error.ts';
import { resolutionPrice } from '../models/prices.ts';
import { checkSourceUrl, integerBetween } from './field-checks.ts';
import type { PricedGeneration } from './submit.ts';

/** Maximum number of images per task. */
const maxImages = 100;

/** Validates and prices an image generation. Specification: Image generation. */
export function prepareImage(context: RequestContext, body: ImageBody): PricedGeneration {
  const model = context.services.catalog.getOfType(body.model, 'image');
  const sources = [body.image, ...(body.reference_image_urls ?? [])];
  if (body.image !== undefined) checkSourceUrl(body.image, 'image');
  for (const [index, url] of (body.reference_image_urls ?? []).entries()) {
    checkSourceUrl(url, `reference_image_urls[${index}]`);
  }
  const hasSource = sources.some((url) => url !== undefined);
  if ((body.prompt ?? '') === '' && !hasSource) throw invalidParameter('`prompt` is required');
  if (body.task_type === 'image2image' && !hasSource) {
    throw invalidParameter('`image` or `reference_image_urls` is required for image2image');
  }
  const n = integerBetween(body.n, 'n', 1, maxImages);
  const count = integerBetween(body.num_images, 'num_images', 1, maxImages) ?? n ?? 1;
  const size = resolutionOf(body.size);
  const priceUsd =
    body.resolution === undefined
      ? resolutionPrice(model, size, count, '`size` must match one of the resolutions')
      : resolutionPrice(model, body.resolution, count, '`resolution` must be one of');
  return { model, prompt: body.prompt ?? '', count, priceUsd };
}

/** Returns the resolution of a size in pixels, by its longer side. */
function resolutionOf(size: string | undefined): string | undefined {
  if (size === undefined) return undefined;
  const [, width = '', height = ''] = /^(\d{1,5})x(\d{1,5})$/.exec(size) ?? [];
  const longer = Math.max(Number(width), Number(height));
  if (Math.min(Number(width), Number(height)) < 1 || longer > 8192) {
    throw invalidParameter('`size` must be <width>x<height> in pixels, at most 8192 each');
  }
  if (longer <= 1024) return '1K';
  return longer <= 2048 ? '2K' : '4K';
}
