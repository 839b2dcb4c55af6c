import { expect, test } from 'vitest';

import { createMockGateway } from '../../../src/mock/index.ts';
import { callerOf, chat, image, music, speech, video } from '../caller.ts';

const clone = { audio_url: 'https://files.example/me.wav' };
const design = { prompt: 'warm' };

test.each([
  ['/v1/images/tasks', image, 0.02],
  ['/v1/images/tasks', { ...image, n: 3 }, 0.06],
  ['/v1/images/tasks', { ...image, num_images: 2, resolution: '2k' }, 0.08],
  ['/v1/images/tasks', { ...image, resolution: '2K' }, 0.04],
  ['/v1/images/tasks', { ...image, size: '1024x768' }, 0.02],
  ['/v1/images/tasks', { ...image, size: '1024x2048' }, 0.04],
  ['/v1/videos', video, 0.1],
  ['/v1/videos', { ...video, duration: 8 }, 0.16],
  ['/v1/videos', { ...video, duration: 8, resolution: '1080P' }, 0.32],
  ['/v1/videos', { ...video, duration: 2, size: '1080p' }, 0.08],
  ['/v1/videos', { ...video, extra_body: { input_video_seconds: 2.5 } }, 0.05],
  ['/v1/audio/tasks', music, 0.03],
  ['/v1/audio/tasks', { ...speech, text: 'Hello' }, 0.00015],
  ['/v1/audio/tasks', { ...speech, text: '你好，\n👋🏽 !' }, 0.00024],
  ['/v1/audio/tasks', { ...speech, text: 'Hello', input: 'much longer' }, 0.00015],
  ['/v1/audio/tasks', { ...speech, text: undefined, input: 'abcd' }, 0.00012],
  ['/v1/audio/tasks', { ...speech, model: 'echo-speech-hd' }, 0.0003],
  ['/v1/audio/voices/clone', clone, 1.5],
  ['/v1/audio/voices/clone', { ...clone, text: 'a'.repeat(100) }, 1.53],
  ['/v1/audio/voices/clone', { ...clone, preview_text: '👋👋' }, 1.5006],
  ['/v1/audio/voices/design', { ...design, preview_text: 'Hello' }, 3.00015],
  ['/v1/audio/voices/design', { ...design, text: 'Hi' }, 3.00006],
])('POST %s with %j costs %d USD', async (path, body, usd) => {
  const mock = createMockGateway({ clock: 'virtual' });
  const response = await callerOf(mock).post(path, body, { 'x-idempotency-key': 'k' });
  expect(Number(response.headers.get('x-svc-charge-usd'))).toBe(usd);
  expect(mock.invoice).toEqual([
    {
      usd,
      kind: 'charge',
      model: expect.any(String),
      route: `POST ${path}`,
      idempotencyKey: 'k',
      taskId: response.headers.get('x-svc-task-id'),
      requestId: response.headers.get('x-request-id'),
      user: 'demo',
      at: mock.clock.now(),
    },
  ]);
  expect(mock.wallet.usd).toBeCloseTo(1000 - usd, 9);
});

test('chat is charged by tokens, and a stream costs the same', async () => {
  const mock = createMockGateway();
  const caller = callerOf(mock);
  const plain = await caller.post('/v1/chat/completions', chat);
  const { usage } = await plain.json();
  const usd = (usage.prompt_tokens * 0.0005 + usage.completion_tokens * 0.0015) / 1000;
  expect(Number(plain.headers.get('x-svc-charge-usd'))).toBeCloseTo(usd, 9);
  const stream = await caller.post('/v1/chat/completions', { ...chat, stream: true });
  expect(stream.headers.get('x-svc-charge-usd')).toBe(plain.headers.get('x-svc-charge-usd'));
});

test('a request that exceeds the balance is rejected and not charged', async () => {
  const mock = createMockGateway({ wallet: { usd: 0.05 } });
  const caller = callerOf(mock);
  expect((await caller.post('/v1/images/tasks', { ...image, n: 3 })).status).toBe(402);
  expect((await caller.post('/v1/images/tasks', { ...image, n: 2 })).status).toBe(202);
  expect(mock.wallet.usd).toBe(0.01);
});

test('an invalid request is not charged', async () => {
  const mock = createMockGateway();
  const caller = callerOf(mock);
  for (const body of [{}, { ...video, duration: -1 }, { ...video, model: 'none' }]) {
    await caller.post('/v1/videos', body);
  }
  expect(mock.invoice).toEqual([]);
});

test('a thousand small charges add up exactly', async () => {
  const mock = createMockGateway({ wallet: { usd: 1 } });
  const caller = callerOf(mock);
  for (let count = 0; count < 1000; count += 1) {
    await caller.post('/v1/audio/tasks', { ...speech, text: 'abc' });
  }
  expect(mock.wallet).toEqual({ usd: 0.91, spentUsd: 0.09 });
});
