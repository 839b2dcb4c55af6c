import { createFalClient } from '@fal-ai/client';

import { key, prompt } from '../client.ts';
import type { Chunk, Client, Completion } from '../client.ts';

/** The client has a fixed base URL, so a middleware redirects each request to the benchmark server. */
function falAt(base: string) {
  return createFalClient({
    credentials: key,
    requestMiddleware: async (request) => ({
      ...request,
      url: base + new URL(request.url).pathname,
    }),
  });
}

export const client: Client = {
  request: (base) => {
    const fal = falAt(`${base}/json`);
    return async () => {
      const { data } = await fal.run('bench/model', { input: { prompt } });
      const completion: Completion = data;
      return completion.choices[0]!.message.content;
    };
  },

  stream: (base) => {
    const fal = falAt(base);
    return async (onText) => {
      const stream = await fal.stream('bench/model', { input: { prompt } });
      // The client parses every event as JSON, so it reports [DONE] as an error after the last chunk.
      stream.done().catch(() => undefined);
      for await (const event of stream) {
        const chunk: Chunk = event;
        const content = chunk.choices[0]?.delta.content;
        if (content) onText(content);
      }
    };
  },

  wait: (base, interval) => {
    const fal = falAt(`${base}/wait/IN_PROGRESS/COMPLETED`);
    return async (requestId) => {
      const status = await fal.queue.subscribeToStatus('bench/model', {
        requestId,
        pollInterval: interval,
      });
      return status.response_url;
    };
  },
};
