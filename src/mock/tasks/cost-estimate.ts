import { imageBody } from '../../wire/schemas/media/images.ts';
import { videoBody } from '../../wire/schemas/media/videos.ts';
import { parseBody } from '../http/endpoint.ts';
import type { RequestContext } from '../http/request-context.ts';
import { invalidParameter } from '../http/response/gateway-error.ts';
import { prepareAudio } from './prepare-audio.ts';
import { prepareImage } from './prepare-image.ts';
import { prepareVideo } from './prepare-video.ts';

/** Estimates the price of a generation. Assumption A20. */
export function estimateCost(
  context: RequestContext,
  body: { model: string; [field: string]: unknown },
): unknown {
  const model = context.services.catalog.find(body.model);
  return {
    object: 'cost.estimate',
    model: body.model,
    estimated_charge_usd: computePriceUsd(context, body, model?.type ?? ''),
    currency: 'USD',
    billing_unit: model?.pricing.profiles.api.billingUnit,
  };
}

function computePriceUsd(
  context: RequestContext,
  body: { model: string; [field: string]: unknown },
  type: string,
): number {
  switch (type) {
    case 'image':
      return prepareImage(context, parseBody(imageBody, body)).priceUsd;
    case 'video':
      return prepareVideo(context, parseBody(videoBody, body)).priceUsd;
    case 'audio':
      return prepareAudio(context, body).priceUsd;
    default:
      throw invalidParameter('`model` must be an image, video or audio model');
  }
}
