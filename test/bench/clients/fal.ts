import { createFalClient } from '@fal-ai/client';

import { interval, key, prompt } from '../client.ts';
import type { Chunk, Client, Completion } from '../client.ts';

/** It knows one address only, so each request is led to ours on its way. */
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
  few: true,

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
    return async (each) => {
      const stream = await fal.stream('bench/model', { input: { prompt } });
      // It parses all data as JSON, and [DONE] is none: to it that is an error after the last chunk.
      stream.done().catch(() => undefined);
      for await (const event of stream) {
        const chunk: Chunk = event;
        const content = chunk.choices[0]?.delta.content;
        if (content) each(content);
      }
    };
  },

  wait: (base) => {
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
