import type { Endpoint } from './endpoint.ts';

export const listModels = {
  method: 'GET',
  path: '/v1/models',
  audience: 'user',
  replay: 'safe',
} as const satisfies Endpoint;

export const retrieveModel = {
  method: 'GET',
  path: '/v1/models/{model}',
  audience: 'user',
  replay: 'safe',
} as const satisfies Endpoint;
