import type { Endpoint } from './endpoint.ts';

export const retrieveAccount = {
  method: 'GET',
  path: '/v1/account',
  audience: 'owner',
  replay: 'safe',
} as const satisfies Endpoint;

export const retrieveReadiness = {
  method: 'GET',
  path: '/v1/readiness',
  audience: 'owner',
  replay: 'safe',
} as const satisfies Endpoint;

export const retrieveBalance = {
  method: 'GET',
  path: '/api/usage/balance',
  audience: 'owner',
  replay: 'safe',
} as const satisfies Endpoint;
