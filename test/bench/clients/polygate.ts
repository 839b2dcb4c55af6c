import { Polygate } from '../../../dist/index.js';
import type { PolygateOptions } from '../../../dist/index.js';
import { key, messages, prompt } from '../client.ts';
import type { Client } from '../client.ts';

/** polygate, with or without hooks, telemetry and another `fetch`. */
export const createClient = (
  options: Pick<PolygateOptions, 'fetch' | 'hooks' | 'telemetry'> = {},
): Client => ({
  request: (base) => {
    const gateway = new Polygate({ apiKey: key, baseURL: `${base}/json`, ...options });
    return async () => {
      const completion = await gateway.chat.completions.create({ model: 'bench', messages });
      return completion.choices[0]!.message.content!;
    };
  },

  stream: (base) => {
    const gateway = new Polygate({ apiKey: key, baseURL: base, ...options });
    return async (onText) => {
      const params = { model: 'bench', messages, stream: true } as const;
      for await (const chunk of await gateway.chat.completions.create(params)) {
        const content = chunk.choices[0]?.delta.content;
        if (content) onText(content);
      }
    };
  },

  wait: (base, interval) => {
    const baseURL = `${base}/wait/running/succeeded`;
    const gateway = new Polygate({ apiKey: key, baseURL, ...options });
    const delays = { pollInterval: interval, maxPollInterval: interval };
    return async (id) => (await gateway.images.wait(id, delays)).urls[0];
  },

  submit: (base, interval) => {
    const baseURL = `${base}/wait/running/succeeded`;
    const gateway = new Polygate({ apiKey: key, baseURL, ...options });
    const delays = { pollInterval: interval, maxPollInterval: interval };
    return async () => {
      const task = await gateway.images.submit({ model: 'bench', prompt });
      return (await task.wait(delays)).urls[0];
    };
  },
});

export const client = createClient();
