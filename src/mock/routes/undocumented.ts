import * as z from 'zod/mini';

import { imageParamsSchema } from '../../schemas/images.ts';
import { imageTaskRecord } from '../../schemas/task.ts';
import { json } from '../http/response/response.ts';
import type { RequestContext } from '../http/request-context.ts';
import { estimateCost, usageRecords } from '../account/usage.ts';
import { reads, writes } from '../http/endpoint.ts';
import { imageJob } from '../tasks/image-job.ts';
import { GatewayError } from '../http/response/gateway-error.ts';
import { submitTask } from '../tasks/submit.ts';

/** Endpoints that the specification names without showing them: only under the switch A20. */
const unshown = { hidden: true } as const;

/** Assumption A20. */
export const undocumentedRoutes = [
  reads({
    ...unshown,
    method: 'GET',
    path: '/v1/usage/records',
    summary: 'What was charged',
    handle: (call) => {
      mustBeOn(call);
      return json(200, usageRecords(call));
    },
  }),
  writes({
    ...unshown,
    method: 'POST',
    path: '/v1/estimate',
    summary: 'What a request would cost',
    body: z.looseObject({ model: z.string() }),
    handle: (call, body) => {
      mustBeOn(call);
      return json(200, estimateCost(call, body));
    },
  }),
  writes({
    ...unshown,
    method: 'POST',
    path: '/v1/images/edits',
    summary: 'Submits an image task that starts from an image',
    slot: true,
    body: imageParamsSchema,
    reply: imageTaskRecord,
    status: 202,
    handle: (call, body) => {
      mustBeOn(call);
      return submitTask(call, 'image', { ...body }, () => imageJob(call, body));
    },
  }),
  writes({
    ...unshown,
    method: 'POST',
    path: '/v1beta/interactions',
    summary: 'Another family of requests',
    body: z.looseObject({}),
    handle: (call) => {
      mustBeOn(call);
      throw new GatewayError(501, 'not_implemented', 'This gateway does not know interactions');
    },
  }),
];

function mustBeOn(call: RequestContext): void {
  if (call.services.assumptions.A20 === 'on') return;
  throw new GatewayError(404, 'not_found', `This service has no ${call.route}`);
}
