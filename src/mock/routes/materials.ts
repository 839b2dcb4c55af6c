import { materialCreateBody } from '../../schemas/material-params.ts';
import { materialPageRecord, materialRecord as materialSchema } from '../../schemas/materials.ts';
import type { MaterialState } from '../account/state.ts';
import { defineEndpoint, defineJsonEndpoint } from '../http/endpoint.ts';
import { param } from '../http/request-context.ts';
import type { RequestContext } from '../http/request-context.ts';
import { GatewayError } from '../http/response/gateway-error.ts';
import { json } from '../http/response/response.ts';
import { invalidMaterialRequest, createMaterial, materialBodySchema } from '../materials/create.ts';
import { listMaterials } from '../materials/list.ts';
import { createResponseRecord, materialRecord } from '../materials/record.ts';
import { statusOf } from '../materials/store.ts';
import { verify } from '../materials/verification.ts';

/** Specification: Materials (video reference library). */
export const materialRoutes = [
  defineJsonEndpoint({
    method: 'POST',
    path: '/v1/materials',
    summary: 'Create a material',
    body: materialBodySchema,
    documentedBody: materialCreateBody,
    toError: invalidMaterialRequest,
    responseSchema: materialSchema,
    status: 202,
    errors: [400, 401, 403, 404, 409, 413, 503],
    handle: (call, body) => {
      const { material, replayed } = createMaterial(call, body);
      const headers = replayed ? { 'x-svc-idempotent-replay': 'true' } : undefined;
      return json(202, createResponseRecord(call, material), headers);
    },
  }),
  defineEndpoint({
    method: 'GET',
    path: '/v1/materials',
    summary: 'List materials',
    query: ['type', 'status', 'limit', 'after'],
    toError: invalidMaterialRequest,
    responseSchema: materialPageRecord,
    errors: [400, 401, 403],
    handle: (call) => json(200, listMaterials(call)),
  }),
  defineEndpoint({
    method: 'GET',
    path: '/v1/materials/{material_id}',
    summary: 'Retrieve a material',
    responseSchema: materialSchema,
    errors: [401, 403, 404],
    handle: (call) => {
      const material = find(call);
      if (statusOf(material, call.now) === 'deleted') throw notFound();
      return json(200, materialRecord(call, material));
    },
  }),
  defineEndpoint({
    method: 'DELETE',
    path: '/v1/materials/{material_id}',
    summary: 'Delete a material',
    responseSchema: materialSchema,
    otherStatuses: [202],
    errors: [401, 403, 404],
    handle: (call) => {
      const material = find(call);
      call.services.materials.delete(material, call.now);
      const record = materialRecord(call, material);
      return json(record.status === 'deleted' ? 200 : 202, record);
    },
  }),
  defineEndpoint({
    method: 'GET',
    path: '/verify/{token}',
    summary: 'Verify a real person; `?outcome=failed` fails the verification',
    auth: 'none',
    hidden: true,
    handle: verify,
  }),
];

/** The caller's own material. An archived material counts as unknown. */
function find(call: RequestContext): MaterialState {
  const material = call.services.materials.byId(param(call, 'material_id'));
  if (material?.user !== call.user || statusOf(material, call.now) === 'expired') throw notFound();
  return material;
}

function notFound(): GatewayError {
  return new GatewayError(404, 'material_not_found', 'No material has this id');
}
