import { OpenRouter } from '@openrouter/sdk';

import { key, messages } from '../client.ts';
import type { Client } from '../client.ts';

export const client: Client = {
  request: (base) => {
    const openRouter = new OpenRouter({ apiKey: key, serverURL: `${base}/json/v1` });
    return async () => {
      const response = await openRouter.chat.send({ chatRequest: { model: 'bench', messages } });
      if (!('choices' in response)) throw new Error('received a stream');
      const { content } = response.choices[0]!.message;
      return typeof content === 'string' ? content : '';
    };
  },

  stream: (base) => {
    const openRouter = new OpenRouter({ apiKey: key, serverURL: `${base}/v1` });
    return async (onText) => {
      const chatRequest = { model: 'bench', messages, stream: true } as const;
      const response = await openRouter.chat.send({ chatRequest });
      if ('choices' in response) throw new Error('received no stream');
      for await (const chunk of response) {
        const content = chunk.choices[0]?.delta.content;
        if (content) onText(content);
      }
    };
  },
};
