import * as z from 'zod/mini';

import * as shapes from '../../wire/generated/index.ts';
import { imageBody, videoBody } from '../../wire/schemas/bodies.ts';
import { defineEndpoint, defineJsonEndpoint } from '../http/endpoint.ts';
import type { RequestContext } from '../http/endpoint.ts';
import { GatewayError, unknownEndpoint, json, invalidParameter } from '../http/response.ts';
import { parseBody } from '../http/validate.ts';
import { prepareAudio, prepareImage, prepareVideo } from '../tasks/prepare.ts';
import { submitTask } from '../tasks/submit.ts';

/**
 * Endpoints that the specification mentions without details. They exist only if assumption A20 is
 * `on`.
 */
export const undocumentedRoutes = [
  defineEndpoint({
    method: 'GET',
    path: '/v1/usage/records',
    summary: 'List usage records',
    hidden: true,
    handle: (context) => {
      requireA20(context);
      return json(200, usageRecords(context));
    },
  }),
  defineJsonEndpoint({
    method: 'POST',
    path: '/v1/estimate',
    summary: 'Estimate the cost of a request',
    hidden: true,
    body: z.looseObject({ model: z.string() }),
    handle: (context, body) => {
      requireA20(context);
      return json(200, estimateCost(context, body));
    },
  }),
  defineJsonEndpoint({
    method: 'POST',
    path: '/v1/images/edits',
    summary: 'Create an image edit',
    hidden: true,
    usesSlot: true,
    body: imageBody,
    responseSchema: shapes.imageTaskRecord,
    status: 202,
    handle: (context, body) => {
      requireA20(context);
      return submitTask(context, 'image', { ...body }, () => prepareImage(context, body));
    },
  }),
  defineJsonEndpoint({
    method: 'POST',
    path: '/v1beta/interactions',
    summary: 'Create an interaction',
    hidden: true,
    body: z.looseObject({}),
    handle: (context) => {
      requireA20(context);
      throw new GatewayError(
        501,
        'not_implemented',
        'The reference gateway does not implement interactions',
      );
    },
  }),
];

function requireA20(context: RequestContext): void {
  if (context.services.assumptions.A20 === 'on') return;
  throw unknownEndpoint(context.route);
}

/** Estimates the price of a generation. Assumption A20. */
function estimateCost(
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

/** Lists the caller's charges and refunds. Assumption A20. */
function usageRecords(context: RequestContext): unknown {
  const lines = context.services.ledger.lines.filter((line) => line.user === context.user.name);
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
