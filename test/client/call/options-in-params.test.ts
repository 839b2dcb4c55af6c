import { describe, expect, test } from 'vitest';

import { ConfigurationError } from '../../../src/index.ts';
import type { Polygate } from '../../../src/index.ts';
import { caught, chat, image, onMock } from '../support.ts';

/** The list of the contract, written again, so that a mistake in the source does not hide itself. */
const options: Readonly<Record<string, unknown>> = {
  idempotencyKey: 'k',
  signal: new AbortController().signal,
  timeout: 1_000,
  totalTimeout: 1_000,
  maxRetries: 0,
  headers: {},
  requestId: 'r',
  fallback: [],
  fallbackOn: () => true,
  extraBody: {},
  pollInterval: 1_000,
  maxPollInterval: 1_000,
  waitTimeout: 1_000,
  onUpdate: () => undefined,
  onSubmit: () => undefined,
};

const clone = { audio_url: 'https://files.example/ann.mp3', text: 'Ahoy' };
const design = { prompt: 'A calm voice', preview_text: 'Ahoy' };
const material = { url: 'https://files.example/a.png', type: 'image' as const };
const video = { model: 'tide-video', prompt: 'A wave' };
const music = { model: 'anthem-music', prompt: 'A shanty' };
const speech = { model: 'echo-speech', text: 'Ahoy', voice_id: 'system_1' };

/** Passes params with further fields to a method. */
type Call = (gateway: Polygate, extra: object) => Promise<unknown>;

const calls: Readonly<Record<string, Call>> = {
  'images.submit': ({ images }, extra) => images.submit({ ...image, ...extra }),
  'images.generate': ({ images }, extra) => images.generate({ ...image, ...extra }),
  'images.submission': ({ images }, extra) => images.submission({ ...image, ...extra }).send(),
  'videos.submit': ({ videos }, extra) => videos.submit({ ...video, ...extra }),
  'audio.music.submit': ({ audio }, extra) => audio.music.submit({ ...music, ...extra }),
  'audio.speech.submit': ({ audio }, extra) => audio.speech.submit({ ...speech, ...extra }),
  'chat.completions.create': ({ chat: { completions } }, extra) =>
    completions.create({ ...chat, ...extra }),
  'chat.completions.stream': ({ chat: { completions } }, extra) =>
    completions.stream({ ...chat, ...extra }).final(),
  'chat.completions.run': ({ chat: { completions } }, extra) =>
    completions.run({ ...chat, tools: [], ...extra }),
  'chat.completions.submission': ({ chat: { completions } }, extra) =>
    completions.submission({ ...chat, ...extra }).send(),
  'voices.clone': ({ voices }, extra) => voices.clone({ ...clone, ...extra }),
  'voices.design': ({ voices }, extra) => voices.design({ ...design, ...extra }),
  'materials.create': ({ materials }, extra) => materials.create({ ...material, ...extra }),
  'materials.register': ({ materials }, extra) => materials.register({ ...material, ...extra }),
};

describe.each(Object.entries(calls))('%s', (_, call) => {
  test.each(Object.keys(options))(
    'rejects %s among the params, and sends nothing',
    async (name) => {
      const { mock, gateway } = onMock();
      const error = await caught(call(gateway, { [name]: options[name] }));
      expect(error).toBeInstanceOf(ConfigurationError);
      expect(error.message).toContain(
        `${name}: is an option of the call, not a param. Pass it in the second argument. To send a field of this name, use extraBody.`,
      );
      expect(mock.requests).toEqual([]);
    },
  );
});

test.each(['maxRounds', 'onToolError', 'onStream'])(
  'run() rejects its own option %s',
  async (name) => {
    const { mock, gateway } = onMock();
    const error = await caught(calls['chat.completions.run']!(gateway, { [name]: 3 }));
    expect(error).toBeInstanceOf(ConfigurationError);
    expect(error.message).toContain(`${name}: is an option of the call`);
    expect(mock.requests).toEqual([]);
  },
);

test('a name without a value is no param', async () => {
  const { mock, gateway } = onMock();
  await gateway.images.submit(Object.assign({ idempotencyKey: undefined }, image));
  expect(mock.requests[0]?.body).toEqual(image);
});

test('extraBody sends a field of this name', async () => {
  const { mock, gateway } = onMock();
  const extraBody = { timeout: 5, idempotencyKey: 'k' };
  await gateway.images.submit(image, { extraBody });
  await gateway.chat.completions.create(chat, { extraBody });
  expect(mock.requests.map(({ body }) => body)).toEqual([
    { ...image, ...extraBody },
    { ...chat, ...extraBody },
  ]);
});

test('gateway.fetch and gateway.request send bodies as they are', async () => {
  const { mock, gateway } = onMock();
  const body = { ...chat, timeout: 5, signal: 'x' };
  const path = '/v1/chat/completions';
  await gateway.request({ method: 'POST', path, body });
  await gateway.fetch(path, { method: 'POST', body: JSON.stringify(body) });
  expect(mock.requests.map((request) => request.body)).toEqual([body, body]);
});

test('other unknown fields are sent', async () => {
  const { mock, gateway } = onMock();
  const params = { ...image, style_strength: 0.4, route: 'fast' };
  await gateway.images.submit(params);
  expect(mock.requests[0]?.body).toEqual(params);
});

test('a row of a batch with an option among its params fails, and is not sent', async () => {
  const { mock, gateway } = onMock();
  const rows = [{ ...image, idempotencyKey: 'k' }];
  const batch = gateway.batch(rows, (params) => gateway.images.submission(params));
  const error = await caught(
    (async () => {
      for await (const row of batch) if (row.status === 'failed') throw row.error;
    })(),
  );
  expect(error.message).toContain('idempotencyKey: is an option of the call');
  expect(mock.requests).toEqual([]);
});
