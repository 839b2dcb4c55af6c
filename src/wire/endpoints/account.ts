import type { Endpoint } from './endpoint.ts';

export const retrieveAccount = {
  method: 'GET',
  path: '/v1/account',
  audience: 'owner',
  safety: 'safe',
} as const satisfies Endpoint;

export const retrieveReadiness = {
  method: 'GET',
  path: '/v1/readiness',
  audience: 'owner',
  safety: 'safe',
} as const satisfies Endpoint;

export const retrieveBalance = {
  method: 'GET',
  path: '/api/usage/balance',
  audience: 'owner',
  safety: 'safe',
} as const satisfies Endpoint;
