import * as z from 'zod/mini';

import { imageBody } from '../../wire/schemas/media/images.ts';
import { imageTaskRecord } from '../../wire/schemas/tasks/task.ts';
import { usageRecords } from '../account/records.ts';
import { defineEndpoint, defineJsonEndpoint } from '../http/endpoint.ts';
import type { RequestContext } from '../http/request-context.ts';
import { GatewayError, unknownEndpoint } from '../http/response/gateway-error.ts';
import { json } from '../http/response/response.ts';
import { estimateCost } from '../tasks/cost-estimate.ts';
import { prepareImage } from '../tasks/prepare-image.ts';
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
    responseSchema: imageTaskRecord,
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
