import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { generateText, streamText } from 'ai';

import { key, messages } from '../client.ts';
import type { Client } from '../client.ts';

const [{ content: instructions }, { content: prompt }] = messages as [
  (typeof messages)[number],
  (typeof messages)[number],
];

function modelAt(baseURL: string) {
  return createOpenAICompatible({ name: 'bench', apiKey: key, baseURL })('bench');
}

export const client: Client = {
  request: (base) => {
    const model = modelAt(`${base}/json/v1`);
    return async () => (await generateText({ model, instructions, prompt })).text;
  },

  stream: (base) => {
    const model = modelAt(`${base}/v1`);
    return async (onText) => {
      for await (const text of streamText({ model, instructions, prompt }).textStream) onText(text);
    };
  },
};
