import { expect, test } from 'vitest';

import { createMockGateway } from '../../../src/mock/index.ts';
import { callerOf, image, music, video } from '../caller.ts';

const page = async (prompts: string[], body: object = image, path = '/v1/images/tasks') => {
  const mock = createMockGateway({
    clock: 'virtual',
    tasks: { outcome: ({ prompt }) => (prompt.startsWith('fail') ? 'failed' : 'succeeded') },
  });
  const caller = callerOf(mock);
  for (const prompt of prompts) await caller.submit(path, { ...body, prompt });
  const read = async () => (await mock.fetch(`${mock.baseURL}/`)).text();
  const running = await read();
  await mock.clock.advance(60_000);
  return { running, ended: await read() };
};

test('the page shows the balance, and that there are no tasks yet', async () => {
  const { running } = await page([]);
  expect(running).toContain('<th scope="row">demo</th><td>$1000</td>');
  expect(running).toContain('No tasks yet.');
});

test.each([
  ['/v1/images/tasks', image, /<img src="\S+\.png\S*" alt="Image: a fox">/],
  ['/v1/videos', video, /<video src="\S+\.mp4\S*" controls[^>]*aria-label="Video: a fox">/],
  ['/v1/audio/tasks', music, /<audio src="\S+\.wav\S*" controls aria-label="Audio: a fox">/],
])('a task of %s shows its progress, then its result', async (path, body, result) => {
  const { running, ended } = await page(['a fox'], body, path);
  expect(running).toContain('<progress max="100" value="0" aria-label="Progress: a fox">');
  expect(running).not.toMatch(result);
  expect(ended).toMatch(result);
});

test('a failed task shows its error and its refund', async () => {
  const { ended } = await page(['fail']);
  expect(ended).toMatch(/The model could not finish this task.*\$0\.02 refunded/s);
  expect(ended).toContain('<td>$1000</td>\n<td>$0</td>');
});

test('the page lists the latest twelve tasks, newest first', async () => {
  const { ended } = await page(Array.from({ length: 14 }, (_, index) => `picture ${index + 1}`));
  const numbers = Array.from(
    ended.matchAll(/<p class="prompt">picture (\d+)/g),
    ([, number]) => number,
  );
  expect(numbers).toEqual(['14', '13', '12', '11', '10', '9', '8', '7', '6', '5', '4', '3']);
  expect(ended).toContain('Latest 12 of 14 tasks');
});

test('a prompt is escaped and shortened', async () => {
  const { ended } = await page([`"><script>alert(1)</script>`, '👋'.repeat(5_000)]);
  expect(ended).not.toMatch(/<script|"">/);
  expect(ended).toContain('&quot;&gt;&lt;script&gt;');
  expect(ended).toContain(`<p class="prompt">${'👋'.repeat(200)}…</p>`);
});

test('a page loads nothing from other origins', async () => {
  const { ended } = await page(['a fox']);
  expect(ended).toContain("default-src 'none'");
  const urls = Array.from(ended.matchAll(/(?:src|href)="([^"]*)"/g), ([, url]) => url);
  expect(urls.length).toBeGreaterThan(5);
  for (const url of urls) expect(url).toMatch(/^\/|^https:\/\/mock\.polygate|^data:,$/);
});
