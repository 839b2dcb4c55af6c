import type { Endpoint } from './endpoint.ts';

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
