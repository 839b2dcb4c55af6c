import type { Endpoint } from './endpoint.ts';

export const submitVideo = {
  method: 'POST',
  path: '/v1/videos',
  audience: 'user',
  safety: 'keyed',
  paid: true,
  usesSlot: true,
  kind: 'video',
  price: 'video',
} as const satisfies Endpoint;

export const submitVideoGeneration = {
  method: 'POST',
  path: '/v1/video/generations',
  audience: 'user',
  safety: 'keyed',
  paid: true,
  usesSlot: true,
  kind: 'video',
  price: 'video',
} as const satisfies Endpoint;

export const submitVideosGeneration = {
  method: 'POST',
  path: '/v1/videos/generations',
  audience: 'user',
  safety: 'keyed',
  paid: true,
  usesSlot: true,
  kind: 'video',
  price: 'video',
} as const satisfies Endpoint;

/** Assumption A1, like the other poll paths of videos. */
export const pollVideo = {
  method: 'GET',
  path: '/v1/videos/{id}',
  audience: 'user',
  safety: 'safe',
  isAssumed: true,
} as const satisfies Endpoint;

export const pollVideoGeneration = {
  method: 'GET',
  path: '/v1/video/generations/{id}',
  audience: 'user',
  safety: 'safe',
  isAssumed: true,
} as const satisfies Endpoint;

export const pollVideosGeneration = {
  method: 'GET',
  path: '/v1/videos/generations/{id}',
  audience: 'user',
  safety: 'safe',
  isAssumed: true,
} as const satisfies Endpoint;
