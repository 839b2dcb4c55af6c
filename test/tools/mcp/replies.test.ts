import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { Polygate } from 'polygate';
import { afterAll, expect, test } from 'vitest';

import { createMockGateway } from '../../../src/mock/index.ts';
import type { Call } from '../../../src/tools/mcp/call.ts';
import { encodePng } from '../../../src/tools/mcp/png.ts';
import { resultReply } from '../../../src/tools/mcp/replies.ts';

const folder = mkdtempSync(join(tmpdir(), 'polygate-replies-'));
afterAll(() => {
  rmSync(folder, { recursive: true });
});

const path = join(folder, 'image.png');
writeFileSync(path, encodePng({ width: 2, height: 2, data: new Uint8Array(16) }));
const files = [1, 2, 3, 4, 5].map(() => ({ path, bytes: 70, isUnverified: false }));

/** The reply of a call that must return after `ms`. */
async function replyWithin(ms: number, saved = files) {
  const { apiKey, baseURL, fetch } = createMockGateway({ tasks: { durationMs: 0 } });
  const { images } = new Polygate({ apiKey, baseURL, fetch });
  const task = await images.submit({ model: 'prism-image', prompt: 'A harbor' });
  const generation = await task.wait();
  const call: Call = {
    signal: new AbortController().signal,
    remainingMs: () => 0,
    limitMs: () => ms,
    report: () => undefined,
  };
  const clean = (text: string) => text;
  const { content } = await resultReply(task, generation, saved, { clean, lines: [], call });
  return content;
}

/** The types of the blocks in such a reply. */
const blocksWithin = async (ms: number) => (await replyWithin(ms)).map(({ type }) => type);

test('a reply has previews of four images as long as there is time, and is sent without them if not', async () => {
  expect(await blocksWithin(60_000)).toEqual(['text', 'image', 'image', 'image', 'image']);
  expect(await blocksWithin(100)).toEqual(['text']);
});

test('a broken image is left out of a reply, with a sentence', async () => {
  const broken = join(folder, 'broken.png');
  writeFileSync(broken, readFileSync(path).subarray(0, 8));
  const saved = [path, broken].map((file) => ({ path: file, bytes: 8, isUnverified: false }));
  const [text, ...images] = await replyWithin(60_000, saved);
  expect(images.map(({ type }) => type)).toEqual(['image']);
  expect(text).toMatchObject({
    text: expect.stringContaining(`\nNo preview: ${broken} is not a complete image.\n`),
  });
});
