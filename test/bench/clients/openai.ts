import OpenAI from 'openai';

import { key, messages } from '../client.ts';
import type { Client } from '../client.ts';

export const client: Client = {
  request: (base) => {
    const openai = new OpenAI({ apiKey: key, baseURL: `${base}/json/v1` });
    return async () => {
      const completion = await openai.chat.completions.create({ model: 'bench', messages });
      return completion.choices[0]!.message.content!;
    };
  },

  stream: (base) => {
    const openai = new OpenAI({ apiKey: key, baseURL: `${base}/v1` });
    return async (onText) => {
      const params = { model: 'bench', messages, stream: true } as const;
      for await (const chunk of await openai.chat.completions.create(params)) {
        const content = chunk.choices[0]?.delta.content;
        if (content) onText(content);
      }
    };
  },

  // The only polling helper in this client waits for vector store files.
  wait: (base, interval) => {
    const openai = new OpenAI({ apiKey: key, baseURL: `${base}/wait/in_progress/completed` });
    return async (id) => {
      const file = await openai.vectorStores.files.poll('vs_1', id, { pollIntervalMs: interval });
      return `https://files.example/${file.id}.png`;
    };
  },
};
