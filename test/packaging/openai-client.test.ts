import { expect, inject, test } from 'vitest';

import { addFixture, createApp } from './app.ts';
import { run } from './run.ts';

test('the official OpenAI client lists, chats and streams against the reference gateway', async () => {
  const app = await createApp('openai', [inject('tarball'), 'openai@7.55.0']);
  await addFixture(app, 'openai.mjs');
  const report: unknown = JSON.parse(await run('node', ['openai.mjs'], app));
  expect(report).toEqual({
    models: expect.any(Number),
    answer: expect.stringMatching(/\S/),
    streamed: expect.stringMatching(/\S/),
    finished: 'stop',
  });
});
