import { describe, expect, inject, test } from 'vitest';

import { addFixture, createApp } from './app.ts';
import { run } from './run.ts';

const clients = [
  {
    name: 'openai',
    packages: ['openai@7.55.0'],
    extraSteps: { models: expect.arrayContaining(['aurora-chat']), unlistedModel: { status: 404 } },
  },
  {
    name: 'ai-sdk',
    packages: ['ai@7.0.173', '@ai-sdk/openai-compatible@3.0.92', 'zod@4.6.7'],
    extraSteps: {},
  },
];

const echoed = expect.stringMatching(/^You said: Hello\. /);

/** What the program of each client reports, with one entry per step. */
const report = {
  text: echoed,
  stream: { text: echoed, finished: 'stop', parts: expect.any(Number) },
  toolCalls: [{ name: 'get_weather', input: { city: 'Lisbon' } }],
  afterTool: expect.stringContaining('sunny in Lisbon'),
  structured: { animal: 'A fox', legs: 1 },
  image: expect.stringContaining('PNG'),
  insufficientBalance: {
    status: 402,
    message: expect.stringContaining('Insufficient balance for this request'),
  },
  unknownModel: { status: 400, message: expect.stringContaining('nothing') },
};

describe.each(clients)('an OpenAI-compatible client: $name', ({ name, packages, extraSteps }) => {
  test('chats, streams, calls tools, generates images and receives errors from the reference gateway', async () => {
    const app = await createApp(name, [inject('tarball'), ...packages]);
    await addFixture(app, 'gateway.mjs');
    await addFixture(app, `${name}.mjs`);
    expect(JSON.parse(await run('node', [`${name}.mjs`], app))).toMatchObject({
      ...report,
      ...extraSteps,
    });
  });
});
