import type { Endpoint } from './endpoint.ts';

/** The endpoints of `polygate/chat`, which loads no others and none of the helpers. */
export const chatEndpoints = {
  models: {
    list: { method: 'GET', path: '/v1/models', audience: 'user', safety: 'safe' },
    retrieve: { method: 'GET', path: '/v1/models/{model}', audience: 'user', safety: 'safe' },
  },
  chat: {
    create: {
      method: 'POST',
      path: '/v1/chat/completions',
      audience: 'user',
      safety: 'once',
      keyedIf: 'chat',
      paid: true,
      usesSlot: true,
      timeout: 'chatTimeout',
    },
  },
} as const satisfies Readonly<Record<string, Readonly<Record<string, Endpoint>>>>;
