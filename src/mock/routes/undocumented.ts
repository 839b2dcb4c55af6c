import * as z from 'zod/mini';

import { imageBody } from '../../schemas/images.ts';
import { imageTaskRecord } from '../../schemas/task.ts';
import { estimateCost, usageRecords } from '../account/usage.ts';
import { defineEndpoint, defineJsonEndpoint } from '../http/endpoint.ts';
import type { RequestContext } from '../http/request-context.ts';
import { GatewayError } from '../http/response/gateway-error.ts';
import { json } from '../http/response/response.ts';
import { imageJob } from '../tasks/image-job.ts';
import { submitTask } from '../tasks/submit.ts';

const hiddenEndpoint = { hidden: true } as const;

/**
 * Endpoints that the specification mentions without their details. They respond only if A20 is
 * `on`. Assumption A20.
 */
export const undocumentedRoutes = [
  defineEndpoint({
    ...hiddenEndpoint,
    method: 'GET',
    path: '/v1/usage/records',
    summary: 'List usage records',
    handle: (call) => {
      requireA20(call);
      return json(200, usageRecords(call));
    },
  }),
  defineJsonEndpoint({
    ...hiddenEndpoint,
    method: 'POST',
    path: '/v1/estimate',
    summary: 'Estimate the cost of a request',
    body: z.looseObject({ model: z.string() }),
    handle: (call, body) => {
      requireA20(call);
      return json(200, estimateCost(call, body));
    },
  }),
  defineJsonEndpoint({
    ...hiddenEndpoint,
    method: 'POST',
    path: '/v1/images/edits',
    summary: 'Create an image edit',
    slot: true,
    body: imageBody,
    responseSchema: imageTaskRecord,
    status: 202,
    handle: (call, body) => {
      requireA20(call);
      return submitTask(call, 'image', { ...body }, () => imageJob(call, body));
    },
  }),
  defineJsonEndpoint({
    ...hiddenEndpoint,
    method: 'POST',
    path: '/v1beta/interactions',
    summary: 'Create an interaction',
    body: z.looseObject({}),
    handle: (call) => {
      requireA20(call);
      throw new GatewayError(
        501,
        'not_implemented',
        'The reference gateway does not implement interactions',
      );
    },
  }),
];

function requireA20(call: RequestContext): void {
  if (call.services.assumptions.A20 === 'on') return;
  throw new GatewayError(404, 'not_found', `There is no endpoint ${call.route}`);
}
