import type { Endpoint } from './endpoint.ts';

export const listModels = {
  method: 'GET',
  path: '/v1/models',
  audience: 'user',
  safety: 'safe',
} as const satisfies Endpoint;

export const retrieveModel = {
  method: 'GET',
  path: '/v1/models/{model}',
  audience: 'user',
  safety: 'safe',
} as const satisfies Endpoint;
