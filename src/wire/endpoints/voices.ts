import type { Endpoint } from './endpoint.ts';

export const listVoices = {
  method: 'GET',
  path: '/v1/audio/voices',
  audience: 'user',
  safety: 'safe',
  isList: true,
  query: ['model'],
} as const satisfies Endpoint;

export const cloneVoice = {
  method: 'POST',
  path: '/v1/audio/voices/clone',
  audience: 'user',
  safety: 'once',
  keyedIf: 'voices',
  paid: true,
  usesSlot: true,
  sendsKey: true,
  hasModel: false,
  price: 'voiceClone',
  resource: 'voice',
} as const satisfies Endpoint;

export const designVoice = {
  method: 'POST',
  path: '/v1/audio/voices/design',
  audience: 'user',
  safety: 'once',
  keyedIf: 'voices',
  paid: true,
  usesSlot: true,
  sendsKey: true,
  hasModel: false,
  price: 'voiceDesign',
  resource: 'voice',
} as const satisfies Endpoint;
