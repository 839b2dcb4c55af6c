import { expect, test } from 'vitest';

import { BudgetExceededError, Polygate } from '../../../src/index.ts';
import { caught, chat, image, onMock } from '../support.ts';

const video = { model: 'tide-video', prompt: 'Waves', duration: 5, resolution: '1080p' };

test('a limit that was computed, such as 1 - 0.9, covers the amount that was meant', async () => {
  const { mock, gateway } = onMock({}, { budget: { maxUsd: 1 - 0.98 } });
  await gateway.models.list();
  await gateway.images.submit(image);
  expect(mock.invoice).toHaveLength(1);
  const error = await caught(gateway.images.submit(image));
  expect(error.message).toContain('Budget exceeded: 0.02 of 0.02 USD spent, 0 USD reserved;');
});

test('an image that is paid for under a key does not make a video with the same key free', async () => {
  const { mock, gateway } = onMock({}, { budget: { maxUsd: 0.02 } });
  await gateway.models.list();
  const options = { idempotencyKey: 'row-1' };
  await gateway.images.submit(image, options);
  expect(await caught(gateway.videos.submit(video, options))).toBeInstanceOf(BudgetExceededError);
  expect(mock.invoice).toEqual([expect.objectContaining({ usd: 0.02 })]);
});

test('requests for one kind that differ only in their path share a key', async () => {
  const { mock, gateway } = onMock({}, { budget: { maxUsd: 0.02 } });
  const options = { idempotencyKey: 'row-1' };
  const first = await gateway.images.submit(image, options);
  const again = await gateway.images.submit(image, { ...options, route: 'generations' });
  expect(again.id).toBe(first.id);
  expect(mock.invoice).toHaveLength(1);
  expect(gateway.spend.totalUsd).toBe(0.02);
});

test('parallel chats exceed a budget by at most the price of one chat', async () => {
  const { mock, gateway } = onMock({ concurrencyLimit: 50 });
  const { data, meta } = await gateway.chat.completions.create(chat).withResponse();
  expect(data.choices).toHaveLength(1);
  const price = meta.chargeUsd ?? NaN;
  const { apiKey, baseURL, fetch, clock } = mock;
  const budget = { maxUsd: price * 5.5 };
  const limited = new Polygate({ apiKey, baseURL, fetch, clock, budget });
  await limited.chat.completions.create(chat);
  const calls = Array.from({ length: 50 }, () => limited.chat.completions.create(chat));
  const results = await mock.clock.settle(Promise.allSettled(calls));
  expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(5);
  expect(limited.spend.requests).toBe(6);
  expect(mock.invoice).toHaveLength(7);
});

test('chats that wait for a slot reserve nothing, so one expensive chat does not reject them', async () => {
  const { mock, gateway } = onMock({ concurrencyLimit: 4 }, { budget: { maxUsd: 1 } });
  const route = 'POST /v1/chat/completions';
  mock.fail({ route, times: 1, headers: { 'x-svc-charge-usd': '0.05' } });
  await gateway.chat.completions.create(chat);
  const calls = Array.from({ length: 100 }, () => gateway.chat.completions.create(chat));
  const results = await mock.clock.settle(Promise.allSettled(calls));
  expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(100);
  expect(mock.invoice).toHaveLength(101);
});

test.each([
  ['a count of 0', { ...image, num_images: 0 }, 'images'],
  ['a duration of 0', { ...video, duration: 0 }, 'videos'],
] as const)('%s does not make a request free', async (_, params, namespace) => {
  const { mock, gateway } = onMock({}, { budget: { maxUsd: 0.001, strict: true } });
  await gateway.models.list();
  const submit =
    namespace === 'images'
      ? gateway.fetch('/v1/images/tasks', post(params))
      : gateway.fetch('/v1/videos', post(params));
  expect(await caught(submit)).toBeInstanceOf(BudgetExceededError);
  expect(mock.requests.filter(({ method }) => method === 'POST')).toEqual([]);
});

test('a strict budget rejects a model that is priced by its tokens, whose price per image is 0', async () => {
  const { mock, gateway } = onMock({}, { budget: { maxUsd: 1, strict: true } });
  const pricing = { unitPriceUsd: 0, inputPricePer1kUsd: 0.01, outputPricePer1kUsd: 0.04 };
  const model = { id: image.model, object: 'model', created: 0, owned_by: '', pricing };
  mock.fail({ route: 'GET /v1/models', status: 200, body: { object: 'list', data: [model] } });
  await gateway.models.list();
  expect(await caught(gateway.images.submit(image))).toBeInstanceOf(BudgetExceededError);
  expect(mock.invoice).toEqual([]);
});

function post(body: unknown): RequestInit {
  return {
    method: 'POST',
    body: JSON.stringify(body),
    headers: { 'content-type': 'application/json' },
  };
}
