import type { Endpoint } from './endpoint.ts';

export const createMaterial = {
  method: 'POST',
  path: '/v1/materials',
  audience: 'user',
  safety: 'keyed',
  idempotencyHeader: 'idempotency-key',
  resource: 'material',
  hasModel: false,
} as const satisfies Endpoint;

/** Lists the materials of all users of an app. */
export const listMaterials = {
  method: 'GET',
  path: '/v1/materials',
  audience: 'owner',
  safety: 'safe',
  isList: true,
  query: ['type', 'status', 'limit', 'after'],
} as const satisfies Endpoint;

export const retrieveMaterial = {
  method: 'GET',
  path: '/v1/materials/{material_id}',
  audience: 'user',
  safety: 'safe',
  resource: 'material',
} as const satisfies Endpoint;

export const deleteMaterial = {
  method: 'DELETE',
  path: '/v1/materials/{material_id}',
  audience: 'user',
  safety: 'safe',
} as const satisfies Endpoint;
