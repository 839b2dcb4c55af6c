import type { ImageParams } from '../../schemas/images.ts';
import { imageBody } from '../../schemas/images.ts';
import { videoBody } from '../../schemas/videos.ts';
import { parseBody } from '../http/endpoint.ts';
import type { RequestContext } from '../http/request-context.ts';
import { invalidParameter } from '../http/response/gateway-error.ts';
import { audioJob } from '../tasks/audio-job.ts';
import { imageJob } from '../tasks/image-job.ts';
import { videoJob } from '../tasks/video-job.ts';

/** The caller's charges and refunds. Assumption A20. */
export function usageRecords(call: RequestContext): unknown {
  const lines = call.services.ledger.lines.filter((line) => line.user === call.user.name);
  return {
    object: 'usage.list',
    data: lines.map((line) => ({
      id: `usage_${line.requestId}`,
      request_id: line.requestId,
      task_id: line.taskId ?? null,
      model: line.model,
      operation: line.route,
      charge_usd: line.usd,
      created_at: Math.floor(line.at / 1000),
    })),
    has_more: false,
    next_cursor: null,
  };
}

/** The estimated price of a generation. Assumption A20. */
export function estimateCost(
  call: RequestContext,
  body: { model: string; [field: string]: unknown },
): unknown {
  const model = call.services.catalog.find(body.model);
  return {
    object: 'cost.estimate',
    model: body.model,
    estimated_charge_usd: priceUsd(call, body, model?.type ?? ''),
    currency: 'USD',
    billing_unit: model?.pricing.profiles.api.billingUnit,
  };
}

function priceUsd(
  call: RequestContext,
  body: { model: string; [field: string]: unknown },
  type: string,
): number {
  switch (type) {
    case 'image': {
      const fields: ImageParams = parseBody(imageBody, body);
      return imageJob(call, fields).priceUsd;
    }
    case 'video':
      return videoJob(call, parseBody(videoBody, body)).priceUsd;
    case 'audio':
      return audioJob(call, body).priceUsd;
    default:
      throw invalidParameter('`model` must be an image, video or audio model');
  }
}
