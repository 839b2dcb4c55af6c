import { describe, expect, test } from 'vitest';

import { BudgetExceededError } from '../../../src/index.ts';
import { caught, chat, errorReply, image, methodOf, onMock, scripted } from '../support.ts';

const video = { model: 'tide-video', prompt: 'Waves', duration: 5, resolution: '1080p' };
const submits = 'POST /v1/images/tasks';

describe('with known prices', () => {
  test('a thousand parallel submits use the whole budget and never exceed it', async () => {
    const { mock, gateway } = onMock({ concurrencyLimit: 8 }, { budget: { maxUsd: 1.01 } });
    await gateway.models.retrieve(image.model);
    const calls = Array.from({ length: 1_000 }, () => gateway.images.submit(image));
    const results = await mock.clock.settle(Promise.allSettled(calls));
    expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(50);
    expect(mock.invoice).toHaveLength(50);
    expect(gateway.spend.totalUsd).toBe(1);
  });

  test.each([
    ['an image', 0.04, 'prism-image', { resolution: '2K', n: 1 }],
    ['a request for three images', 0.06, 'prism-image', { num_images: 3 }],
    ['a sketch', 0.005, 'prism-sketch', {}],
  ])('%s is rejected if it would exceed the budget', async (_, price, model, more) => {
    const { mock, gateway } = onMock({}, { budget: { maxUsd: price * 1.5 } });
    await gateway.models.list();
    const call = () => gateway.images.submit({ model, prompt: 'A harbor', ...more });
    await call();
    const error = await caught(call());
    expect(error).toBeInstanceOf(BudgetExceededError);
    expect(error.message).toContain(`this request costs ${price} USD`);
    expect(mock.invoice).toEqual([expect.objectContaining({ usd: price })]);
  });

  test('videos, music, speech and voices are rejected as well', async () => {
    const { mock, gateway } = onMock({}, { budget: { maxUsd: 0.0001, strict: true } });
    await gateway.models.list();
    const calls = [
      [gateway.videos.submit(video), 0.2],
      [gateway.audio.music.submit({ model: 'anthem-music', prompt: 'A shanty' }), 0.03],
      [
        gateway.audio.speech.submit({ model: 'echo-speech', text: 'Ahoy, all!', voice_id: 'v' }),
        0.0003,
      ],
      [gateway.voices.clone({ audio_url: 'https://files.example/a.mp3', text: 'Ahoy' }), 1.5012],
      [gateway.voices.design({ prompt: 'A sailor', preview_text: 'Ahoy' }), 3.000_12],
    ] as const;
    for (const [call, price] of calls) {
      expect((await caught(call)).message).toContain(`this request costs ${price} USD`);
    }
    expect(mock.invoice).toEqual([]);
  });

  test('the price of a request that the service rejects is released', async () => {
    const { mock, gateway } = onMock({}, { budget: { maxUsd: 0.03 } });
    await gateway.models.list();
    mock.fail({ route: submits, status: 400, times: 1 });
    await caught(gateway.images.submit(image));
    await gateway.images.submit(image);
    expect(mock.invoice).toHaveLength(1);
  });

  test('the price of a request with an unknown outcome stays reserved until its key is sent again', async () => {
    const { mock, gateway } = onMock({}, { budget: { maxUsd: 0.03 }, maxRetries: 0 });
    await gateway.models.list();
    mock.fail({ route: submits, reset: 'after', times: 1 });
    await caught(gateway.images.submit(image, { idempotencyKey: 'row-1' }));
    expect(await caught(gateway.images.submit(image))).toBeInstanceOf(BudgetExceededError);
    const task = await gateway.images.submit(image, { idempotencyKey: 'row-1' });
    expect(task.replayed).toBe(true);
    expect(mock.invoice).toHaveLength(1);
    expect(gateway.spend.totalUsd).toBe(0.02);
  });

  test('a charge that an error reports counts once, without its reservation', async () => {
    const { mock, gateway: other } = onMock();
    const { apiKey, baseURL, clock } = mock;
    const failed = errorReply(500, 'internal_error', { 'x-svc-charge-usd': '0.02' });
    const { fetch: failing } = scripted(failed);
    const fetch: typeof mock.fetch = async (input, init) =>
      methodOf(input, init) === 'POST' ? failing(input, init) : mock.fetch(input, init);
    const settings = { apiKey, baseURL, clock, fetch, budget: { maxUsd: 0.05 }, maxRetries: 0 };
    const gateway = other.withOptions(settings);
    await gateway.models.list();
    for (let count = 0; count < 2; count += 1) {
      expect(await caught(gateway.images.submit(image))).not.toBeInstanceOf(BudgetExceededError);
    }
    expect(gateway.spend.totalUsd).toBe(0.04);
  });

  test('a retry after an unknown outcome is sent, because its price is already reserved', async () => {
    const { mock, gateway } = onMock({}, { budget: { maxUsd: 0.03 } });
    await gateway.models.list();
    mock.fail({ route: submits, reset: 'after', times: 2 });
    await mock.clock.settle(gateway.images.submit(image));
    expect(mock.invoice).toHaveLength(1);
  });
});

describe('voices, which are charged again under the same key,', () => {
  const voice = { prompt: 'A sailor', preview_text: 'Ahoy' };
  const same = { idempotencyKey: 'voice-1' };

  test('each need the whole price, in parallel', async () => {
    const { mock, gateway } = onMock({}, { budget: { maxUsd: 4 } });
    const calls = [1, 2].map(() => gateway.voices.design(voice, same));
    const results = await mock.clock.settle(Promise.allSettled(calls));
    expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected']);
    expect(mock.requests).toHaveLength(1);
  });

  test('each need the whole price, one after the other', async () => {
    const { mock, gateway } = onMock({}, { budget: { maxUsd: 4 } });
    await gateway.voices.design(voice, same);
    expect(await caught(gateway.voices.design(voice, same))).toBeInstanceOf(BudgetExceededError);
    expect(mock.requests).toHaveLength(1);
  });
});

test('a replay of a counted charge is sent even if the budget is spent, because it is free', async () => {
  const { mock, gateway } = onMock({}, { budget: { maxUsd: 0.02 } });
  const first = await gateway.images.submit(image, { idempotencyKey: 'row-1' });
  expect(await caught(gateway.images.submit(image))).toBeInstanceOf(BudgetExceededError);
  const again = await gateway.images.submit(image, { idempotencyKey: 'row-1' });
  expect(again.id).toBe(first.id);
  expect(mock.invoice).toHaveLength(1);
});

test.each([
  ['an image', 'is not in the price list of the service'],
  ['a chat', 'is known only when it is complete'],
] as const)(
  'a strict budget rejects %s whose price is not known, and says why',
  async (name, why) => {
    const { mock, gateway } = onMock({}, { budget: { maxUsd: 5, strict: true } });
    const isChat = name === 'a chat';
    // Only the service knows what an image of that size costs.
    const call = isChat
      ? gateway.chat.completions.create(chat)
      : gateway.images.submit({ ...image, size: '640x480' });
    const error = await caught(call);
    expect(error).toBeInstanceOf(BudgetExceededError);
    expect(error).toMatchObject({ outcome: 'not-sent', spentUsd: 0, maxUsd: 5 });
    expect(error.message).toContain(
      `The strict budget rejects this request, because its price ${why}: ` +
        '0 of 5 USD spent, 0 USD reserved. Nothing was charged.',
    );
    expect(mock.invoice).toEqual([]);
  },
);

describe('the price list', () => {
  const lists = ({ requests }: ReturnType<typeof onMock>['mock']) =>
    requests.filter(({ method }) => method === 'GET');
  const parallel = (call: () => Promise<unknown>) =>
    Promise.allSettled(Array.from({ length: 20 }, call));

  test('is loaded once by parallel calls, so that a budget without a loaded price holds', async () => {
    const { mock, gateway } = onMock({}, { budget: { maxUsd: 0.05 } });
    const calls = await mock.clock.settle(parallel(() => gateway.videos.submit(video)));
    expect(calls.filter(({ status }) => status === 'rejected')).toHaveLength(20);
    expect(mock.invoice).toEqual([]);
    await gateway.images.submit(image);
    expect(lists(mock)).toHaveLength(1);
  });

  test('is loaded for a strict budget', async () => {
    const { mock, gateway } = onMock({}, { budget: { maxUsd: 5, strict: true } });
    await gateway.images.submit(image);
    expect(mock.invoice).toHaveLength(1);
  });

  test.each([
    ['a chat', false, { budget: { maxUsd: 5 } }],
    ['a client without a budget', true, {}],
    ['a budget that is used up', true, { budget: { maxUsd: 0 } }],
  ] as const)('is not loaded for %s', async (_, isImage, options) => {
    const { mock, gateway } = onMock({}, options);
    await Promise.allSettled([
      isImage ? gateway.images.submit(image) : gateway.chat.completions.create(chat),
    ]);
    expect(lists(mock)).toEqual([]);
  });

  test('is loaded again after a failure, which no call reports', async () => {
    const { mock, gateway } = onMock({}, { budget: { maxUsd: 5 } });
    mock.fail({ route: 'GET /v1/models', status: 500, times: 1 });
    for (let count = 0; count < 3; count += 1) await gateway.images.submit(image);
    expect(lists(mock)).toHaveLength(1);
    await mock.clock.advance(11_000);
    for (let count = 0; count < 3; count += 1) await gateway.images.submit(image);
    expect(lists(mock)).toHaveLength(2);
    expect(mock.invoice).toHaveLength(6);
  });

  test('keeps no call that is aborted', async () => {
    const { mock, gateway } = onMock({}, { budget: { maxUsd: 5 } });
    mock.fail({ route: 'GET /v1/models', delayMs: 1e9, times: 1 });
    const error = await caught(gateway.images.submit(image, { signal: AbortSignal.timeout(5) }));
    expect(error).toMatchObject({ name: 'AbortedError', outcome: 'not-sent' });
    expect(mock.invoice).toEqual([]);
  });
});

test('an exhausted budget rejects a chat without recommending to load its price', async () => {
  const { gateway } = onMock({}, { budget: { maxUsd: 0 } });
  const error = await caught(gateway.chat.completions.create(chat));
  expect(error.message).toContain('the price of this request is known only when it is complete. ');
});
