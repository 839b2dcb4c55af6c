import { Polygate } from '../../../dist/index.js';
import type { Hooks } from '../../../dist/index.js';
import { key, messages, prompt } from '../client.ts';
import type { Client } from '../client.ts';

/** polygate, with hooks or without. */
export const createClient = (hooks?: Hooks): Client => ({
  request: (base) => {
    const gateway = new Polygate({ apiKey: key, baseURL: `${base}/json`, hooks });
    return async () => {
      const completion = await gateway.chat.completions.create({ model: 'bench', messages });
      return completion.choices[0]!.message.content!;
    };
  },

  stream: (base) => {
    const gateway = new Polygate({ apiKey: key, baseURL: base, hooks });
    return async (onText) => {
      const params = { model: 'bench', messages, stream: true } as const;
      for await (const chunk of await gateway.chat.completions.create(params)) {
        const content = chunk.choices[0]?.delta.content;
        if (content) onText(content);
      }
    };
  },

  wait: (base, interval) => {
    const gateway = new Polygate({ apiKey: key, baseURL: `${base}/wait/running/succeeded`, hooks });
    const options = { pollInterval: interval, maxPollInterval: interval };
    return async (id) => (await gateway.images.wait(id, options)).urls[0];
  },

  submit: (base, interval) => {
    const gateway = new Polygate({ apiKey: key, baseURL: `${base}/wait/running/succeeded`, hooks });
    const options = { pollInterval: interval, maxPollInterval: interval };
    return async () => {
      const task = await gateway.images.submit({ model: 'bench', prompt });
      return (await task.wait(options)).urls[0];
    };
  },
});

export const client = createClient();
