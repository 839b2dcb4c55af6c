import { describe, expect, test, vi } from 'vitest';

import { BudgetExceededError, Polygate } from '../../../src/index.ts';
import type { Charge } from '../../../src/index.ts';
import type { MockGateway } from '../../../src/mock/index.ts';
import { caught, chat, drain, image, onMock } from '../support.ts';

const total = (mock: MockGateway) => mock.invoice.reduce((sum, { usd }) => sum + usd, 0);
const video = { model: 'tide-video', prompt: 'Waves', duration: 5, resolution: '720p' };
const speech = { model: 'echo-speech', text: 'Ahoy', voice_id: 'v' };
const music = { model: 'anthem-music', prompt: 'A shanty', is_instrumental: true };
const submits = 'POST /v1/images/tasks';

describe('gateway.spend', () => {
  test("matches the gateway's invoice, model by model", async () => {
    const { mock, gateway } = onMock();
    const voice = (await mock
      .fetch(`${mock.baseURL}/v1/audio/voices?model=echo-speech`, {
        headers: { authorization: `Bearer ${mock.apiKey}` },
      })
      .then((response) => response.json())) as { data: { voice_id: string }[] };
    await gateway.images.submit(image);
    await gateway.images.submit({ ...image, resolution: '2K' }, { route: 'generations' });
    await gateway.videos.submit(video);
    await gateway.audio.music.submit(music);
    await gateway.audio.speech.submit({ ...speech, voice_id: voice.data[0]?.voice_id ?? '' });
    await gateway.chat.completions.create(chat);
    await drain(gateway.chat.completions.stream(chat));
    await gateway.models.list();
    expect(mock.invoice).toHaveLength(7);
    expect(gateway.spend.totalUsd).toBeCloseTo(total(mock), 9);
    expect(gateway.spend.requests).toBe(7);
    const models = new Map<string, { usd: number; requests: number }>();
    for (const { model, usd } of mock.invoice) {
      const before = models.get(model) ?? { usd: 0, requests: 0 };
      models.set(model, { usd: before.usd + usd, requests: before.requests + 1 });
    }
    expect([...gateway.spend.byModel.keys()].toSorted()).toEqual([...models.keys()].toSorted());
    for (const [model, { usd, requests }] of models) {
      expect(gateway.spend.byModel.get(model)?.usd).toBeCloseTo(usd, 9);
      expect(gateway.spend.byModel.get(model)?.requests).toBe(requests);
    }
  });

  test('is a live view', async () => {
    const { gateway } = onMock();
    const { spend } = gateway;
    expect(spend).toMatchObject({ totalUsd: 0, requests: 0 });
    await gateway.images.submit(image);
    expect(spend).toMatchObject({ totalUsd: 0.02, requests: 1 });
  });

  test('has no floating-point rounding errors', async () => {
    const { gateway } = onMock();
    for (let call = 0; call < 10; call += 1) {
      await gateway.images.submit({ ...image, model: 'prism-sketch' });
    }
    expect(gateway.spend.totalUsd).toBeCloseTo(0.05, 12);
  });

  test('counts a charge once if its first response was lost', async () => {
    const { mock, gateway } = onMock();
    mock.fail({ route: submits, reset: 'after', times: 2 });
    mock.fail({ route: 'POST /v1/videos', truncateBody: 10, times: 1 });
    await mock.clock.settle(gateway.images.submit(image));
    await mock.clock.settle(gateway.videos.submit(video));
    await mock.clock.settle(gateway.images.submit(image));
    expect(mock.requests).toHaveLength(6);
    expect(mock.invoice).toHaveLength(3);
    expect(gateway.spend.totalUsd).toBeCloseTo(total(mock), 9);
    expect(gateway.spend.requests).toBe(3);
  });

  test('counts a charge once if a replay reports it before the first response arrives', async () => {
    const { mock, gateway } = onMock();
    mock.fail({ route: submits, delayMs: 5_000, attempt: 1 });
    const both = [1, 2].map(() => gateway.images.submit(image, { idempotencyKey: 'row-1' }));
    await mock.clock.settle(Promise.all(both));
    await gateway.images.submit(image, { idempotencyKey: 'row-1' });
    expect(mock.invoice).toHaveLength(1);
    expect(gateway.spend).toMatchObject({ totalUsd: 0.02, requests: 1 });
  });

  test('counts each chat, even with the same key, because a chat is never replayed', async () => {
    const { mock, gateway } = onMock();
    for (let call = 0; call < 2; call += 1) {
      await gateway.chat.completions.create(chat, { idempotencyKey: 'row-1' });
    }
    expect(mock.invoice).toHaveLength(2);
    expect(gateway.spend.totalUsd).toBeCloseTo(total(mock), 9);
  });

  test('adds nothing for a replay of a counted charge', async () => {
    const { mock, gateway } = onMock();
    const options = { idempotencyKey: 'row-1' };
    const first = await gateway.images.submit(image, options);
    const again = await gateway.images.submit(image, options);
    expect(again.id).toBe(first.id);
    expect([first.replayed, again.replayed]).toEqual([false, true]);
    expect(mock.invoice).toHaveLength(1);
    expect(gateway.spend).toMatchObject({ totalUsd: 0.02, requests: 1 });
    expect(gateway.spend.byModel.get('prism-image')).toEqual({ usd: 0.02, requests: 1 });
  });

  test('counts two requests for two chats with the same key', async () => {
    const { mock, gateway } = onMock();
    await gateway.chat.completions.create(chat, { idempotencyKey: 'row-1' });
    await gateway.chat.completions.create(chat, { idempotencyKey: 'row-1' });
    expect(mock.invoice).toHaveLength(2);
    expect(gateway.spend.totalUsd).toBeCloseTo(total(mock), 9);
    expect(gateway.spend.requests).toBe(2);
  });

  test('of another client counts a charge that it has not counted yet', async () => {
    const { mock, gateway } = onMock();
    await gateway.images.submit(image, { idempotencyKey: 'row-1' });
    const { apiKey, baseURL, fetch, clock } = mock;
    const other = new Polygate({ apiKey, baseURL, fetch, clock });
    await other.images.submit(image, { idempotencyKey: 'row-1' });
    expect(other.spend.totalUsd).toBeCloseTo(total(mock), 9);
  });

  test('counts nothing for a rejected request', async () => {
    const { mock, gateway } = onMock();
    mock.fail({ route: submits, status: 400, times: 1 });
    await caught(gateway.images.submit(image));
    expect(gateway.spend).toMatchObject({ totalUsd: 0, requests: 0 });
  });
});

describe('onCharge', () => {
  const setup = () => {
    const charges: Charge[] = [];
    const onCharge = (charge: Charge) => void charges.push(charge);
    return { charges, ...onMock({}, { onCharge }) };
  };

  test('is called for every charge', async () => {
    const { charges, gateway } = setup();
    const task = await gateway.images.submit(image, { requestId: 'req-a' });
    await gateway.chat.completions.create(chat, { requestId: 'req-b' });
    await gateway.models.list();
    expect(charges).toEqual(
      [
        {
          usd: 0.02,
          model: 'prism-image',
          route: 'POST /v1/images/tasks',
          requestId: 'req-a',
          taskId: task.id,
          replay: false,
        },
        {
          usd: gateway.spend.totalUsd - 0.02,
          model: 'aurora-chat',
          route: 'POST /v1/chat/completions',
          requestId: 'req-b',
          taskId: undefined,
          replay: false,
        },
      ].map((charge) => ({ ...charge, usd: expect.closeTo(charge.usd, 9) as number })),
    );
  });

  test('is called for a replay with usd: 0', async () => {
    const { charges, gateway } = setup();
    const task = await gateway.images.submit(image, { idempotencyKey: 'row-1' });
    await gateway.images.submit(image, { idempotencyKey: 'row-1' });
    expect(charges[1]).toMatchObject({ usd: 0, replay: true, taskId: task.id });
  });

  test('adds up to the total spend, even if responses were lost', async () => {
    const { charges, gateway, mock } = setup();
    mock.fail({ route: submits, reset: 'after', times: 1 });
    await mock.clock.settle(gateway.images.submit(image, { idempotencyKey: 'row-1' }));
    await gateway.images.submit(image, { idempotencyKey: 'row-1' });
    await gateway.images.submit(image);
    const sum = charges.reduce((usd, charge) => usd + charge.usd, 0);
    expect(sum).toBeCloseTo(gateway.spend.totalUsd, 9);
    expect(sum).toBeCloseTo(total(mock), 9);
  });

  test.each([
    ['throws', () => thrownBy('the disk is full')],
    ['rejects', () => Promise.reject(new Error('the disk is full'))],
  ])('that %s is logged and does not affect the call', async (_, onCharge) => {
    const error = vi.fn<(message: string) => void>();
    const quiet = () => undefined;
    const logger = { error, warn: quiet, info: quiet, debug: quiet };
    const callback = onCharge as () => void;
    const { gateway } = onMock({}, { onCharge: callback, logger, logLevel: 'error' });
    const task = await gateway.images.submit(image);
    await new Promise((resolve) => {
      setImmediate(resolve);
    });
    expect(task.id).toMatch(/^task_/);
    expect(gateway.spend.totalUsd).toBe(0.02);
    expect(error).toHaveBeenCalledTimes(1);
    expect(error.mock.calls[0]?.[0]).toMatch(/onCharge.*the disk is full/);
  });
});

describe('a budget', () => {
  test('rejects paid requests once it is reached', async () => {
    const { mock, gateway } = onMock({}, { budget: { maxUsd: 0.04 } });
    await gateway.images.submit(image);
    await gateway.images.submit(image);
    const calls = [
      () => gateway.images.submit(image, { idempotencyKey: 'row-3' }),
      () => gateway.videos.generate(video),
      () => gateway.audio.music.submit(music),
      () => gateway.chat.completions.create(chat),
      () => gateway.chat.completions.stream(chat).final(),
    ];
    for (const call of calls) {
      const error = await caught(call());
      expect(error).toBeInstanceOf(BudgetExceededError);
      expect(error).toMatchObject({ spentUsd: 0.04, maxUsd: 0.04, outcome: 'not-sent' });
    }
    // The price list was loaded before the first call.
    expect(mock.requests).toHaveLength(3);
    await gateway.models.list();
    expect(mock.requests).toHaveLength(4);
  });

  test('is not exceeded by a request whose price is not known, once such a request was charged', async () => {
    const { mock, gateway } = onMock({}, { budget: { maxUsd: 0.03 }, maxRetries: 0 });
    mock.fail({ route: 'GET /v1/models', status: 500 });
    await gateway.images.submit(image);
    const error = await caught(gateway.images.submit(image));
    expect(error).toMatchObject({ name: 'BudgetExceededError', spentUsd: 0.02 });
    expect(error.message).toContain(
      '0.01 USD is left, and such a request has cost up to 0.02 USD. The price of this one is not in the price list of the service.',
    );
    expect(mock.invoice).toHaveLength(1);
  });

  test('of 0 rejects the first paid request', async () => {
    const { mock, gateway } = onMock({}, { budget: { maxUsd: 0 } });
    expect(await caught(gateway.images.submit(image))).toBeInstanceOf(BudgetExceededError);
    expect(mock.requests).toHaveLength(0);
  });

  test('applies to requests that were queued before it was reached', async () => {
    const { mock, gateway } = onMock({}, { budget: { maxUsd: 0.04 }, concurrency: 1 });
    const calls = Array.from({ length: 10 }, () => gateway.images.submit(image));
    const results = await Promise.allSettled(calls);
    expect(mock.invoice).toHaveLength(2);
    expect(results.filter(({ status }) => status === 'rejected')).toHaveLength(8);
  });

  test('that is reached between two attempts rejects with outcome unknown and the key', async () => {
    const { mock, gateway } = onMock({}, { budget: { maxUsd: 0.05 } });
    mock.fail({ route: 'GET /v1/models', status: 500 });
    mock.fail({ route: submits, reset: 'after', times: 1 });
    const lost = caught(gateway.images.submit(image, { idempotencyKey: 'row-1' }));
    await gateway.videos.submit(video);
    const error = await mock.clock.settle(lost);
    expect(error).toBeInstanceOf(BudgetExceededError);
    expect(error).toMatchObject({ outcome: 'unknown', idempotencyKey: 'row-1' });
    expect(mock.requests.filter(({ method }) => method === 'POST')).toHaveLength(2);
  });

  test('can be raised by withOptions', async () => {
    const { gateway } = onMock({}, { budget: { maxUsd: 0.02 } });
    await gateway.images.submit(image);
    await caught(gateway.images.submit(image));
    await gateway.withOptions({ budget: { maxUsd: 1 } }).images.submit(image);
    expect(gateway.spend.requests).toBe(2);
  });

  test('puts the idempotency key of the rejected call on the error', async () => {
    const { gateway } = onMock({}, { budget: { maxUsd: 0 } });
    const error = await caught(gateway.images.submit(image, { idempotencyKey: 'row-1' }));
    expect(error.idempotencyKey).toBe('row-1');
  });
});

function thrownBy(message: string): never {
  throw new Error(message);
}
