import type { Endpoint } from './endpoint.ts';

export const submitVideo = {
  method: 'POST',
  path: '/v1/videos',
  audience: 'user',
  replay: 'keyed',
  paid: true,
  usesSlot: true,
  kind: 'video',
  price: 'video',
} as const satisfies Endpoint;

export const submitVideoGeneration = {
  method: 'POST',
  path: '/v1/video/generations',
  audience: 'user',
  replay: 'keyed',
  paid: true,
  usesSlot: true,
  kind: 'video',
  price: 'video',
} as const satisfies Endpoint;

export const submitVideosGeneration = {
  method: 'POST',
  path: '/v1/videos/generations',
  audience: 'user',
  replay: 'keyed',
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
  replay: 'safe',
  isAssumed: true,
} as const satisfies Endpoint;

export const pollVideoGeneration = {
  method: 'GET',
  path: '/v1/video/generations/{id}',
  audience: 'user',
  replay: 'safe',
  isAssumed: true,
} as const satisfies Endpoint;

export const pollVideosGeneration = {
  method: 'GET',
  path: '/v1/videos/generations/{id}',
  audience: 'user',
  replay: 'safe',
  isAssumed: true,
} as const satisfies Endpoint;
