import type { Endpoint } from './endpoint.ts';

export const retrieveStatus = {
  method: 'GET',
  path: '/v1/status',
  audience: 'public',
  replay: 'safe',
  query: ['locale'],
} as const satisfies Endpoint;

export const retrieveCapabilities = {
  method: 'GET',
  path: '/v1/capabilities',
  audience: 'public',
  replay: 'safe',
} as const satisfies Endpoint;

export const listErrors = {
  method: 'GET',
  path: '/v1/errors',
  audience: 'public',
  replay: 'safe',
} as const satisfies Endpoint;

export const retrieveError = {
  method: 'GET',
  path: '/v1/errors/{code}',
  audience: 'public',
  replay: 'safe',
} as const satisfies Endpoint;

export const retrieveChangelog = {
  method: 'GET',
  path: '/v1/changelog',
  audience: 'public',
  replay: 'safe',
} as const satisfies Endpoint;

export const retrievePricing = {
  method: 'GET',
  path: '/v1/pricing',
  audience: 'public',
  replay: 'safe',
  query: ['type'],
} as const satisfies Endpoint;

export const retrieveRateLimits = {
  method: 'GET',
  path: '/v1/rate-limits',
  audience: 'public',
  replay: 'safe',
} as const satisfies Endpoint;

export const retrieveOpenapi = {
  method: 'GET',
  path: '/v1/openapi.json',
  audience: 'public',
  replay: 'safe',
} as const satisfies Endpoint;
