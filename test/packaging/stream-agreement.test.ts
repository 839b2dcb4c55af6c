import { cp, readdir } from 'node:fs/promises';
import { join } from 'node:path';

import { beforeAll, describe, expect, inject, test } from 'vitest';

import { addFixture, createApp } from './app.ts';
import { run } from './run.ts';

const folder = new URL('fixtures/streams/', import.meta.url);
const streams = (await readdir(folder))
  .filter((name) => name.endsWith('.sse'))
  .map((name) => name.replace('.sse', ''));

/** For each aspect of a stream, what each client reads. */
type Readings = Record<'chunks' | 'choices' | 'usage' | 'first', Record<string, unknown>>;
let report: Record<string, Readings>;

beforeAll(async () => {
  const clients = ['openai@7.55.0', 'ai@7.0.173', '@ai-sdk/openai-compatible@3.0.92', 'zod@4.6.7'];
  const app = await createApp('stream-agreement', [inject('tarball'), ...clients]);
  await cp(folder, join(app, 'streams'), { recursive: true });
  await addFixture(app, 'stream-agreement.mjs');
  report = JSON.parse(await run('node', ['stream-agreement.mjs', ...streams], app));
});

/** Where the AI SDK differs: it reads a refusal as text, and two choices as one. */
const aiSdkDifferences: Record<string, object> = {
  refusal: { text: 'I cannot tell you that.', finish: 'content_filter' },
  'two-choices': { text: 'HighLow water tide soon.' },
};

test('there are ten recorded streams', () => {
  expect(streams).toHaveLength(10);
});

describe('on a recorded stream, this client and the other clients agree', () => {
  test.each(streams)('%s', (name) => {
    const { chunks, choices, usage, first } = report[name] ?? expect.fail('not read');
    expect(chunks.ours).toEqual(chunks.openai);
    expect(choices.ours).toEqual(choices.openai);
    expect(usage.ours).toEqual(usage.openai);
    expect(usage.ai).toEqual(usage.ours);
    expect(first.ai).toEqual({ ...(first.ours as object), ...aiSdkDifferences[name] });
  });
});
