import { describe, expect, test } from 'vitest';

import { BudgetExceededError, ConfigurationError } from '../../../src/index.ts';
import type { Polygate } from '../../../src/index.ts';
import { caught, chat, image, onMock } from '../support.ts';

const extraBody = { style_strength: 0.4 };
const clone = { audio_url: 'https://files.example/ann.mp3', text: 'Ahoy' };
const material = { url: 'https://files.example/a.png', type: 'image' as const };

test('extraBody is merged into the body of every POST', async () => {
  const { mock, gateway } = onMock();
  const options = { extraBody };
  await gateway.images.submit(image, options);
  await gateway.images.submission(image, options).send();
  await gateway.videos.submit({ model: 'tide-video', prompt: 'A wave' }, options);
  await gateway.audio.music.submit({ model: 'anthem-music', prompt: 'A shanty' }, options);
  await gateway.chat.completions.create(chat, options);
  await gateway.chat.completions.stream(chat, options).final();
  await gateway.chat.completions.run({ ...chat, tools: [] }, options);
  await gateway.voices.clone(clone, options);
  await gateway.materials.create(material, options);
  await gateway.request({ method: 'POST', path: '/v1/images/tasks', body: image }, options);
  expect(mock.requests).toHaveLength(10);
  for (const { body } of mock.requests) expect(body).toMatchObject(extraBody);
});

test('extraBody replaces a param of the same name, and is not modified', async () => {
  const { mock, gateway } = onMock();
  const options = { extraBody: { prompt: 'A lighthouse' } };
  await gateway.images.submit(image, options);
  expect(mock.requests[0]?.body).toEqual({ ...image, prompt: 'A lighthouse' });
  expect(options).toEqual({ extraBody: { prompt: 'A lighthouse' } });
});

test('checks and price estimates see the merged body', async () => {
  const { mock, gateway } = onMock({}, { budget: { maxUsd: 0.5 } });
  await gateway.models.list();
  const many = await caught(gateway.images.submit(image, { extraBody: { num_images: 100 } }));
  expect(many).toBeInstanceOf(BudgetExceededError);
  const asset = { extraBody: { prompt: 'asset://mat_1' } };
  const video = await caught(gateway.videos.submit({ model: 'tide-video', prompt: 'A' }, asset));
  expect(video).toBeInstanceOf(ConfigurationError);
  expect(mock.requests.map(({ method }) => method)).toEqual(['GET']);
});

test('a retry sends the merged body again, byte for byte', async () => {
  const { mock, gateway } = onMock();
  mock.fail({ route: 'POST /v1/images/tasks', status: 503, times: 2 });
  await mock.clock.settle(gateway.images.submit(image, { extraBody }));
  expect(new Set(mock.requests.map(({ body }) => JSON.stringify(body))).size).toBe(1);
  expect(mock.requests).toHaveLength(3);
});

test('extraBody is rejected by a request without a body', async () => {
  const { mock, gateway } = onMock();
  const options = { extraBody };
  const errors = [
    await caught(gateway.models.list({}, options)),
    await caught(gateway.images.retrieve('task_1', options)),
    await caught(gateway.materials.delete('mat_1', options)),
    await caught(gateway.request({ method: 'GET', path: '/v1/models' }, options)),
  ];
  for (const { message } of errors) {
    expect(message).toBe('extraBody: must be omitted, because the body is not an object.');
  }
  expect(mock.requests).toEqual([]);
});

test('extraBody that is not an object is rejected', async () => {
  const { gateway } = onMock();
  const options: object = { extraBody: 'style' };
  const error = await caught(gateway.images.submit(image, options));
  expect(error.message).toBe('extraBody: must be a plain object.');
});

describe('extraBody cannot change whether a call streams:', () => {
  const streamed = { extraBody: { stream: true } };
  test.each<[string, (gateway: Polygate) => Promise<unknown>]>([
    ['create', (gateway) => gateway.chat.completions.create(chat, streamed)],
    [
      'create with stream: true',
      (gateway) =>
        gateway.chat.completions.create(
          { ...chat, stream: true },
          { extraBody: { stream: false } },
        ),
    ],
    [
      'stream',
      (gateway) => gateway.chat.completions.stream(chat, { extraBody: { stream: false } }).final(),
    ],
    ['run', (gateway) => gateway.chat.completions.run({ ...chat, tools: [] }, streamed)],
  ])('%s', async (_, call) => {
    const { mock, gateway } = onMock();
    const error = await caught(call(gateway));
    expect(error).toBeInstanceOf(ConfigurationError);
    expect(error.message).toMatch(/^stream: must be (true|false)\./);
    expect(mock.requests).toEqual([]);
  });
});
