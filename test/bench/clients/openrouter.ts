import { OpenRouter } from '@openrouter/sdk';

import { key, messages } from '../client.ts';
import type { Client } from '../client.ts';

export const client: Client = {
  request: (base) => {
    const openRouter = new OpenRouter({ apiKey: key, serverURL: `${base}/json/v1` });
    return async () => {
      const answer = await openRouter.chat.send({ chatRequest: { model: 'bench', messages } });
      if (!('choices' in answer)) throw new Error('a stream came');
      const { content } = answer.choices[0]!.message;
      return typeof content === 'string' ? content : '';
    };
  },

  stream: (base) => {
    const openRouter = new OpenRouter({ apiKey: key, serverURL: `${base}/v1` });
    return async (each) => {
      const chatRequest = { model: 'bench', messages, stream: true } as const;
      const answer = await openRouter.chat.send({ chatRequest });
      if ('choices' in answer) throw new Error('no stream came');
      for await (const chunk of answer) {
        const content = chunk.choices[0]?.delta.content;
        if (content) each(content);
      }
    };
  },
};
