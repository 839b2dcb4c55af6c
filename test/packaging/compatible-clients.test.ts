import { describe, expect, inject, test } from 'vitest';

import { addFixture, createApp } from './app.ts';
import { run } from './run.ts';

const clients = [
  {
    name: 'openai',
    packages: ['openai@7.55.0'],
    more: { models: expect.arrayContaining(['aurora-chat']), unlistedModel: { status: 404 } },
  },
  {
    name: 'ai-sdk',
    packages: ['ai@7.0.173', '@ai-sdk/openai-compatible@3.0.92', 'zod@4.6.7'],
    more: {},
  },
];

const said = expect.stringMatching(/^You said: Hello\. /);

/** What the programs of the clients report, one part for each thing that they do. */
const report = {
  text: said,
  stream: { text: said, finished: 'stop', parts: expect.any(Number) },
  toolCalls: [{ name: 'get_weather', input: { city: 'Lisbon' } }],
  afterTool: expect.stringContaining('sunny in Lisbon'),
  structured: { animal: 'A fox', legs: 1 },
  image: expect.stringMatching(/^<svg/),
  emptyWallet: { status: 402, message: expect.stringContaining('wallet') },
  unknownModel: { status: 400, message: expect.stringContaining('nothing') },
};

describe.each(clients)('a client for OpenAI’s protocol: $name', ({ name, packages, more }) => {
  test('chats, streams, calls tools, draws and sees errors on the reference gateway', async () => {
    const app = await createApp(name, [inject('tarball'), ...packages]);
    await addFixture(app, 'gateway.mjs');
    await addFixture(app, `${name}.mjs`);
    expect(JSON.parse(await run('node', [`${name}.mjs`], app))).toMatchObject({
      ...report,
      ...more,
    });
  });
});
