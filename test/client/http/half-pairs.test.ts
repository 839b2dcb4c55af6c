import { createProxyHandler } from 'polygate/proxy';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';

import type { Polygate } from '../../../src/index.ts';
import { collect } from '../../support/rejection.ts';
import { baseURL, chat, clientOf, completed, drain, errorReply, scripted } from '../support.ts';

const high = '\ud83d';
const low = '\ude00';
const pair = `${high}${low}`;

/** The JSON that a service receives of these calls. */
async function received(call: (gateway: Polygate) => PromiseLike<unknown>): Promise<string[]> {
  const { fetch, sent } = scripted(completed);
  await Promise.resolve(call(clientOf(fetch, { maxRetries: 0 }))).catch(() => undefined);
  return sent.map(({ body }) => String(body));
}

const messages = (content: string) => [{ role: 'user' as const, content }];
const post = (body: BodyInit, type = 'application/json') => ({
  method: 'POST',
  headers: { 'content-type': type },
  body,
});
const path = '/v1/chat/completions';

/** Every way to send a text. */
const ways: readonly [string, (gateway: Polygate, text: string) => PromiseLike<unknown>][] = [
  [
    'a chat',
    ({ chat: { completions } }, text) => completions.create({ ...chat, messages: messages(text) }),
  ],
  [
    'a stream',
    ({ chat: { completions } }, text) =>
      drain(completions.stream({ ...chat, messages: messages(text) })),
  ],
  [
    'a parsed chat',
    ({ chat: { completions } }, text) =>
      completions.parse({ ...chat, messages: messages(text), response_format: z.object({}) }),
  ],
  [
    'a run with tools',
    ({ chat: { completions } }, text) =>
      completions.run({ ...chat, messages: messages(text), tools: [] }),
  ],
  ['an image', ({ images }, text) => images.submit({ model: 'prism-image', prompt: text })],
  ['a video', ({ videos }, text) => videos.submit({ model: 'tide-video', prompt: text })],
  ['music', ({ audio }, text) => audio.music.submit({ model: 'anthem-music', prompt: text })],
  ['a voice', ({ voices }, text) => voices.design({ prompt: text, preview_text: 'Ahoy' })],
  [
    'a material',
    ({ materials }, text) =>
      materials.create({ url: 'https://files.example/a.png', type: 'image', name: text }),
  ],
  [
    'gateway.request',
    (gateway, text) => gateway.request({ method: 'POST', path: '/v1/x', body: { text } }),
  ],
  [
    'extraBody',
    ({ images }, text) =>
      images.submit({ model: 'prism-image', prompt: 'x' }, { extraBody: { text } }),
  ],
  [
    'a batch',
    (gateway, text) =>
      collect(
        gateway.batch([1], () =>
          gateway.chat.completions.submission({ ...chat, messages: messages(text) }),
        ),
      ),
  ],
  [
    'a text of gateway.fetch',
    (gateway, text) => gateway.fetch(path, post(JSON.stringify({ text }))),
  ],
  [
    'a Request of gateway.fetch',
    (gateway, text) => gateway.fetch(new Request(baseURL + path, post(JSON.stringify({ text })))),
  ],
  [
    'bytes of gateway.fetch',
    (gateway, text) =>
      gateway.fetch(path, post(new TextEncoder().encode(JSON.stringify({ text })))),
  ],
];

describe.each(ways)('%s', (_, send) => {
  test.each([
    ['a cut emoji', `a${high}`, 'a\ufffd'],
    ['the other half', `${low}a`, '\ufffda'],
    ['halves in the wrong order', `${low}${high}`, '\ufffd\ufffd'],
    ['two first halves', `${high}${pair}`, `\ufffd${pair}`],
    ['half a pair before an escape', `${high}\\u0041\n"`, '\ufffd\\u0041\n"'],
  ])('is sent with the replacement character for %s', async (__, text, expected) => {
    const bodies = await received((gateway) => send(gateway, text));
    expect(bodies.length).toBeGreaterThan(0);
    for (const body of bodies) {
      expect(body).not.toMatch(/\\ud[89a-f]/i);
      expect(body).toContain(JSON.stringify(expected).slice(1, -1));
      expect(() => JSON.parse(body)).not.toThrow();
    }
  });

  test.each([
    ['a whole emoji', pair],
    ['the text of an escape', '\\ud83d'],
    ['the text of an escape behind a backslash', '\\\\ud83d'],
  ])('leaves %s as it is', async (__, text) => {
    for (const body of await received((gateway) => send(gateway, text))) {
      expect(body).toContain(JSON.stringify(text).slice(1, -1));
    }
  });
});

test('a body of gateway.fetch keeps escaped pairs, and loses escaped halves', async () => {
  const body = String.raw`{"a":"\uD83D\uDE00","b":"\uD83D","c":"\\uD83D","d":"\uDE00\ud83d\ude00"}`;
  expect(await received((gateway) => gateway.fetch(path, post(body)))).toEqual([
    String.raw`{"a":"\uD83D\uDE00","b":"` +
      '\ufffd' +
      String.raw`","c":"\\uD83D","d":"` +
      '\ufffd' +
      String.raw`\ud83d\ude00"}`,
  ]);
});

test('a body that is no JSON is sent as it is', async () => {
  const body = String.raw`C:\ud83d`;
  expect(await received((gateway) => gateway.fetch('/v1/x', post(body, 'text/plain')))).toEqual([
    body,
  ]);
});

test('the request to a fallback model has no half pairs either', async () => {
  const { fetch, sent } = scripted(errorReply(503), completed);
  await clientOf(fetch, { maxRetries: 0 }).chat.completions.create(
    { ...chat, messages: messages(high) },
    { fallback: ['other-chat'] },
  );
  expect(sent.map(({ body }) => JSON.parse(String(body)).messages[0].content)).toEqual([
    '\ufffd',
    '\ufffd',
  ]);
});

test('a proxy sends no half pairs of a page that uses another client', async () => {
  const { fetch, sent } = scripted(completed);
  const handler = createProxyHandler({
    apiKey: 'sk-test',
    baseURL,
    fetch: async (input, init) => fetch(new Request(input, init)),
    authorize: () => 'ann',
  });
  const body = JSON.stringify({ ...chat, messages: messages(`${pair}${high}`) });
  const request = new Request(`https://app.example/api/gateway${path}`, post(body));
  expect((await handler(request)).status).toBe(200);
  expect(JSON.parse(String(sent[0]?.body)).messages[0].content).toBe(`${pair}\ufffd`);
});
