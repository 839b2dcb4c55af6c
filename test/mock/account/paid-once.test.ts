import { describe, expect, test } from 'vitest';

import { Polygate } from '../../../src/index.ts';
import { createMockGateway } from '../../../src/mock/index.ts';
import { callerOf, chat, video } from '../caller.ts';

const start = () => {
  const mock = createMockGateway({ clock: 'virtual' });
  return { mock, caller: callerOf(mock), key: { 'x-idempotency-key': 'row-17' } };
};

describe('assertPaidOnce()', () => {
  test('accepts a submit request that was charged once although its response was lost', async () => {
    const { mock } = start();
    const { apiKey, baseURL, fetch, clock } = mock;
    const gateway = new Polygate({ apiKey, baseURL, fetch, clock });
    mock.fail({ route: 'POST /v1/videos', reset: 'after', times: 1 });
    await clock.settle(gateway.videos.submit(video, { idempotencyKey: 'row-17' }));
    await gateway.videos.submit(video);
    expect(() => mock.assertPaidOnce('row-17')).not.toThrow();
    expect(() => mock.assertPaidOnce()).not.toThrow();
  });

  test('throws for a key that was charged twice, and lists its charges', async () => {
    const { mock, caller, key } = start();
    const body = { audio_url: 'https://files.example/a.wav' };
    for (let count = 0; count < 2; count += 1)
      await caller.post('/v1/audio/voices/clone', body, key);
    const line = String.raw`\$1.5 POST /v1/audio/voices/clone echo-voice-clone, row-17, task_\w+, req_\w+`;
    const twice = new RegExp(`^The key row-17 was charged 2 times:\n  ${line}\n  ${line}$`);
    expect(() => mock.assertPaidOnce('row-17')).toThrow(twice);
    expect(() => mock.assertPaidOnce()).toThrow(twice);
  });

  test('throws for a key that was never charged, and shows the invoice', async () => {
    const { mock, caller, key } = start();
    expect(() => mock.assertPaidOnce()).toThrow('Nothing was charged');
    expect(() => mock.assertPaidOnce('row-18')).toThrow('was never charged; the invoice is empty');
    await caller.post('/v1/videos', video, key);
    expect(() => mock.assertPaidOnce('row-18')).toThrow(/row-18 was never charged[^]+row-17/);
  });

  test('throws for a charge without a key', async () => {
    const { mock, caller } = start();
    await caller.post('/v1/chat/completions', chat);
    expect(() => mock.assertPaidOnce()).toThrow(
      /^A charge has no idempotency key[^]+aurora-chat, no key/,
    );
  });
});
