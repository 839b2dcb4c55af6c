import type { Endpoint } from './endpoint.ts';

export const listModels = {
  method: 'GET',
  path: '/v1/models',
  audience: 'user',
  safety: 'safe',
} as const satisfies Endpoint;

export const retrieveModel = {
  method: 'GET',
  path: '/v1/models/{model}',
  audience: 'user',
  safety: 'safe',
} as const satisfies Endpoint;

export const createChatCompletion = {
  method: 'POST',
  path: '/v1/chat/completions',
  audience: 'user',
  safety: 'once',
  keyedIf: 'chat',
  paid: true,
  usesSlot: true,
  timeout: 'chatTimeout',
} as const satisfies Endpoint;
