import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { generateText, streamText } from 'ai';
import OpenAI from 'openai';
import { expect, test } from 'vitest';

import { canary, chat, image, startRecording } from './support.ts';

test('the openai package works over a tape', async () => {
  const { baseURL, record, replay } = await startRecording();
  const program = async (fetch: typeof globalThis.fetch, apiKey: string) => {
    const client = new OpenAI({ apiKey, baseURL: `${baseURL}/v1`, fetch, maxRetries: 0 });
    const { choices } = await client.chat.completions.create(chat('Hello'));
    const parts = [];
    const stream = await client.chat.completions.create({ ...chat('Hi'), stream: true });
    for await (const chunk of stream) parts.push(chunk.choices[0]?.delta.content);
    return [choices[0]?.message.content, parts];
  };
  const recorded = await record((_, fetch) => program(fetch, canary));
  expect(await program(replay().tape.fetch, 'sk-x')).toEqual(recorded);
});

test('the AI SDK works over a tape', async () => {
  const { baseURL, record, replay } = await startRecording();
  const program = async (fetch: typeof globalThis.fetch) => {
    const provider = createOpenAICompatible({
      name: 'gateway',
      apiKey: canary,
      baseURL: `${baseURL}/v1`,
      fetch,
    });
    const model = provider('aurora-chat');
    const { text } = await generateText({ model, prompt: 'Hello', maxRetries: 0 });
    const { textStream } = streamText({ model, prompt: 'Hi', maxRetries: 0 });
    const parts = [];
    for await (const part of textStream) parts.push(part);
    return [text, parts];
  };
  const recorded = await record((_, fetch) => program(fetch));
  expect(await program(replay().tape.fetch)).toEqual(recorded);
});

test('a batch works over a tape', async () => {
  const { record, replay } = await startRecording();
  const program = async (gateway: ReturnType<typeof replay>['gateway']) => {
    const rows = [];
    const prompts = Array.from({ length: 6 }, (_, index) => `A harbor, number ${index}`);
    const batch = gateway.batch(
      prompts,
      (prompt) => gateway.images.submission({ ...image, prompt }),
      { pollInterval: 1, maxPollInterval: 50 },
    );
    for await (const { id, status } of batch) rows.push([id, status]);
    return rows.toSorted(([a = ''], [b = '']) => a.localeCompare(b));
  };
  const recorded = await record(program);
  const { gateway, tape } = replay();
  expect(await program(gateway)).toEqual(recorded);
  expect(recorded.map(([, status]) => status)).toEqual(Array(6).fill('succeeded'));
  expect(tape.unused.filter(({ method }) => method === 'POST')).toEqual([]);
});
