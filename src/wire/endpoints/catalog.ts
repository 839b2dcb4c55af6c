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

export const retrieveStatus = {
  method: 'GET',
  path: '/v1/status',
  audience: 'public',
  safety: 'safe',
  query: ['locale'],
} as const satisfies Endpoint;

export const retrieveCapabilities = {
  method: 'GET',
  path: '/v1/capabilities',
  audience: 'public',
  safety: 'safe',
} as const satisfies Endpoint;

export const listErrors = {
  method: 'GET',
  path: '/v1/errors',
  audience: 'public',
  safety: 'safe',
} as const satisfies Endpoint;

export const retrieveError = {
  method: 'GET',
  path: '/v1/errors/{code}',
  audience: 'public',
  safety: 'safe',
} as const satisfies Endpoint;

export const retrieveChangelog = {
  method: 'GET',
  path: '/v1/changelog',
  audience: 'public',
  safety: 'safe',
} as const satisfies Endpoint;

export const retrievePricing = {
  method: 'GET',
  path: '/v1/pricing',
  audience: 'public',
  safety: 'safe',
  query: ['type'],
} as const satisfies Endpoint;

export const retrieveRateLimits = {
  method: 'GET',
  path: '/v1/rate-limits',
  audience: 'public',
  safety: 'safe',
} as const satisfies Endpoint;

export const retrieveOpenapi = {
  method: 'GET',
  path: '/v1/openapi.json',
  audience: 'public',
  safety: 'safe',
} as const satisfies Endpoint;
