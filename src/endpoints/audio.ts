import type { Endpoint } from './endpoint.ts';

/** Music and speech. */
export const submitAudioTask = {
  method: 'POST',
  path: '/v1/audio/tasks',
  audience: 'user',
  replay: 'keyed',
  paid: true,
  usesSlot: true,
  kind: 'audio',
  price: 'audio',
} as const satisfies Endpoint;

export const pollAudioTask = {
  method: 'GET',
  path: '/v1/audio/tasks/{id}',
  audience: 'user',
  replay: 'safe',
} as const satisfies Endpoint;
