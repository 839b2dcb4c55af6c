import { materialCreateParamsSchema } from '../../schemas/material-params.ts';
import { materialPageRecord, materialRecord as recordSchema } from '../../schemas/materials.ts';
import { json } from '../http/response/response.ts';
import { param } from '../http/request-context.ts';
import type { RequestContext } from '../http/request-context.ts';
import { reads, writes } from '../http/endpoint.ts';
import { badMaterial, createMaterial, materialBody } from '../materials/create.ts';
import { materialPage } from '../materials/list.ts';
import { createdRecord, materialRecord } from '../materials/record.ts';
import { statusOf } from '../materials/store.ts';
import { GatewayError } from '../http/response/gateway-error.ts';
import type { MaterialState } from '../account/state.ts';
import { verify } from '../materials/verification.ts';

/** Specification: Materials (video reference library). */
export const materialRoutes = [
  writes({
    method: 'POST',
    path: '/v1/materials',
    summary: 'Registers a public file; the header Idempotency-Key is required',
    body: materialBody,
    shownBody: materialCreateParamsSchema,
    refuse: badMaterial,
    reply: recordSchema,
    status: 202,
    errors: [400, 401, 403, 404, 409, 413, 503],
    handle: (call, body) => {
      const { material, replayed } = createMaterial(call, body);
      const replay = { 'x-svc-idempotent-replay': 'true' };
      return json(202, createdRecord(call, material), replayed ? replay : {});
    },
  }),
  reads({
    method: 'GET',
    path: '/v1/materials',
    summary: 'Lists materials page by page',
    query: ['type', 'status', 'limit', 'after'],
    refuse: badMaterial,
    reply: materialPageRecord,
    errors: [400, 401, 403],
    handle: (call) => json(200, materialPage(call)),
  }),
  reads({
    method: 'GET',
    path: '/v1/materials/{material_id}',
    summary: 'Tells where a material stands',
    reply: recordSchema,
    errors: [401, 403, 404],
    handle: (call) => {
      const material = find(call);
      if (statusOf(material, call.now) === 'deleted') throw notFound();
      return json(200, materialRecord(call, material));
    },
  }),
  reads({
    method: 'DELETE',
    path: '/v1/materials/{material_id}',
    summary: 'Deletes a material',
    reply: recordSchema,
    otherStatuses: [202],
    errors: [401, 403, 404],
    handle: (call) => {
      const material = find(call);
      call.services.materials.delete(material, call.now);
      const record = materialRecord(call, material);
      return json(record.status === 'deleted' ? 200 : 202, record);
    },
  }),
  reads({
    method: 'GET',
    path: '/verify/{token}',
    summary: 'Where a person shows that they are alive and agree; ?outcome=failed fails',
    auth: 'none',
    hidden: true,
    handle: verify,
  }),
];

/** The caller's own material; archived ones are as good as unknown. */
function find(call: RequestContext): MaterialState {
  const material = call.services.materials.byId(param(call, 'material_id'));
  if (material?.user !== call.user || statusOf(material, call.now) === 'expired') throw notFound();
  return material;
}

function notFound(): GatewayError {
  return new GatewayError(404, 'material_not_found', 'There is no material with this id');
}
