import type { Endpoint } from './endpoint.ts';

/** Music and speech. */
export const submitAudioTask = {
  method: 'POST',
  path: '/v1/audio/tasks',
  audience: 'user',
  safety: 'keyed',
  paid: true,
  usesSlot: true,
  kind: 'audio',
  price: 'audio',
} as const satisfies Endpoint;

export const pollAudioTask = {
  method: 'GET',
  path: '/v1/audio/tasks/{id}',
  audience: 'user',
  safety: 'safe',
} as const satisfies Endpoint;
