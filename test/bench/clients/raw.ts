import { createParser } from 'eventsource-parser';

import { key, messages } from '../client.ts';
import type { Chunk, Client, Completion } from '../client.ts';

const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };

/**
 * The baseline: `fetch` and `JSON.parse`, plus eventsource-parser for streams, without error handling, timeouts or
 * validation.
 */
export const client: Client = {
  request: (base) => async () => {
    const body = JSON.stringify({ model: 'bench', messages });
    const response = await fetch(`${base}/json/v1/chat/completions`, {
      method: 'POST',
      headers,
      body,
    });
    const completion: Completion = JSON.parse(await response.text());
    return completion.choices[0]!.message.content;
  },

  stream: (base) => async (onText) => {
    const body = JSON.stringify({ model: 'bench', messages, stream: true });
    const response = await fetch(`${base}/v1/chat/completions`, { method: 'POST', headers, body });
    const parser = createParser({
      onEvent: ({ data }) => {
        if (data === '[DONE]') return;
        const chunk: Chunk = JSON.parse(data);
        const { content } = chunk.choices[0]!.delta;
        if (content) onText(content);
      },
    });
    const decoder = new TextDecoder();
    const reader = response.body!.getReader();
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      parser.feed(decoder.decode(value, { stream: true }));
    }
  },

  wait: (base, interval) => async (id) => {
    for (;;) {
      const task = await poll(base, id);
      if (task.status === 'succeeded') return task.image_url;
      await new Promise((resolve) => setTimeout(resolve, interval));
    }
  },
};

/** Polls a task once. */
export async function poll(
  base: string,
  id: string,
): Promise<{ status: string; image_url: string }> {
  const response = await fetch(`${base}/wait/running/succeeded/tasks/${id}`, { headers });
  return JSON.parse(await response.text());
}
