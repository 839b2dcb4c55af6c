import type { Endpoint } from './endpoint.ts';

export const submitImageTask = {
  method: 'POST',
  path: '/v1/images/tasks',
  audience: 'user',
  safety: 'keyed',
  paid: true,
  usesSlot: true,
  kind: 'image',
  price: 'image',
} as const satisfies Endpoint;

export const submitImageGeneration = {
  method: 'POST',
  path: '/v1/images/generations',
  audience: 'user',
  safety: 'keyed',
  paid: true,
  usesSlot: true,
  kind: 'image',
  price: 'image',
} as const satisfies Endpoint;

export const pollImageTask = {
  method: 'GET',
  path: '/v1/images/tasks/{id}',
  audience: 'user',
  safety: 'safe',
} as const satisfies Endpoint;

/** Assumption A2. */
export const pollImageGeneration = {
  method: 'GET',
  path: '/v1/images/generations/{id}',
  audience: 'user',
  safety: 'safe',
  isAssumed: true,
} as const satisfies Endpoint;
