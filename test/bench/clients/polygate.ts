import { Polygate } from '../../../dist/index.js';
import { interval, key, messages } from '../client.ts';
import type { Client } from '../client.ts';

export const client: Client = {
  request: (base) => {
    const gateway = new Polygate({ apiKey: key, baseURL: `${base}/json` });
    return async () => {
      const answer = await gateway.chat.completions.create({ model: 'bench', messages });
      return answer.choices[0]!.message.content!;
    };
  },

  stream: (base) => {
    const gateway = new Polygate({ apiKey: key, baseURL: base });
    return async (each) => {
      const params = { model: 'bench', messages, stream: true } as const;
      for await (const chunk of await gateway.chat.completions.create(params)) {
        const content = chunk.choices[0]?.delta.content;
        if (content) each(content);
      }
    };
  },

  wait: (base) => {
    const gateway = new Polygate({ apiKey: key, baseURL: `${base}/wait/running/succeeded` });
    const pace = { pollInterval: interval, maxPollInterval: interval };
    return async (id) => (await gateway.images.wait(id, pace)).urls[0]!;
  },
};
