import {
  materialCreateBody,
  materialPageRecord,
  materialRecord as materialSchema,
} from '../../wire/schemas/media/materials.ts';
import { defineEndpoint, defineJsonEndpoint } from '../http/endpoint.ts';
import { param } from '../http/request-context.ts';
import type { RequestContext } from '../http/request-context.ts';
import { GatewayError } from '../http/response/gateway-error.ts';
import { json } from '../http/response/response.ts';
import { invalidMaterialRequest, createMaterial, looseMaterialBody } from '../materials/create.ts';
import { listMaterials } from '../materials/list.ts';
import { createdMaterialRecord, toMaterialRecord } from '../materials/record.ts';
import { statusOf } from '../materials/store.ts';
import { verify } from '../materials/verification.ts';
import type { MaterialState } from '../state.ts';

/** Specification: Materials. */
export const materialRoutes = [
  defineJsonEndpoint({
    method: 'POST',
    path: '/v1/materials',
    summary: 'Create a material',
    body: looseMaterialBody,
    documentedBody: materialCreateBody,
    toError: invalidMaterialRequest,
    responseSchema: materialSchema,
    status: 202,
    errors: [400, 401, 403, 404, 409, 413, 503],
    handle: (context, body) => {
      const { material, replayed } = createMaterial(context, body);
      const headers = replayed ? { 'x-svc-idempotent-replay': 'true' } : undefined;
      return json(202, createdMaterialRecord(context, material), headers);
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
    handle: (context) => json(200, listMaterials(context)),
  }),
  defineEndpoint({
    method: 'GET',
    path: '/v1/materials/{material_id}',
    summary: 'Retrieve a material',
    responseSchema: materialSchema,
    errors: [401, 403, 404],
    handle: (context) => {
      const material = find(context);
      if (statusOf(material, context.now) === 'deleted') throw notFound();
      return json(200, toMaterialRecord(context, material));
    },
  }),
  defineEndpoint({
    method: 'DELETE',
    path: '/v1/materials/{material_id}',
    summary: 'Delete a material',
    responseSchema: materialSchema,
    otherStatuses: [202],
    errors: [401, 403, 404],
    handle: (context) => {
      const material = find(context);
      context.services.materials.delete(material, context.now);
      const record = toMaterialRecord(context, material);
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

/** Finds the caller's material, or throws a 404. An expired material counts as not found. */
function find(context: RequestContext): MaterialState {
  const material = context.services.materials.byId(param(context, 'material_id'));
  if (material?.user !== context.user || statusOf(material, context.now) === 'expired') {
    throw notFound();
  }
  return material;
}

function notFound(): GatewayError {
  return new GatewayError(404, 'material_not_found', 'The material does not exist');
}
