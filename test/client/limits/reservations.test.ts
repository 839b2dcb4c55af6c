import { describe, expect, test } from 'vitest';

import { BudgetExceededError, Polygate } from '../../../src/index.ts';
import { caught, chat, image, onMock, turns } from '../support.ts';

const video = { model: 'tide-video', prompt: 'Waves', duration: 5, resolution: '1080p' };
const submits = 'POST /v1/images/tasks';

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

test('parallel chats do not exceed a budget once the price of a chat is known', async () => {
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
  expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(4);
  expect(limited.spend.requests).toBe(5);
  expect(mock.invoice).toHaveLength(6);
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

describe('a reservation that several requests share under one key', () => {
  /** A budget for one image, and a request with the key `row-1` that the service responds to after a minute. */
  async function slowRequest() {
    const { mock, gateway } = onMock({}, { budget: { maxUsd: 0.03 }, maxRetries: 0 });
    await gateway.models.list();
    mock.fail({ route: submits, delayMs: 30_000, attempt: 1 });
    const slow = gateway.images.submit(image, { idempotencyKey: 'row-1' });
    await turns();
    return { mock, gateway, slow };
  }
  const failures: [string, (world: Awaited<ReturnType<typeof slowRequest>>) => Promise<unknown>][] =
    [
      [
        'is rejected by the service',
        async ({ mock, gateway }) => {
          mock.fail({ route: submits, status: 400, attempt: 1 });
          return caught(gateway.images.submit(image, { idempotencyKey: 'row-1' }));
        },
      ],
      [
        'is aborted before it is sent',
        async ({ gateway }) => {
          const options = { idempotencyKey: 'row-1', signal: AbortSignal.abort() };
          return caught(gateway.images.submit(image, options));
        },
      ],
    ];

  test.each(failures)('stays while one is in flight, even if another one %s', async (_, fail) => {
    const world = await slowRequest();
    const { mock, gateway, slow } = world;
    await fail(world);
    expect(await caught(gateway.images.submit(image))).toBeInstanceOf(BudgetExceededError);
    await mock.clock.settle(slow);
    expect(mock.invoice).toHaveLength(1);
  });

  test('is released once all of them have been rejected', async () => {
    const { mock, gateway } = onMock({}, { budget: { maxUsd: 0.03 }, maxRetries: 0 });
    await gateway.models.list();
    mock.fail({ route: submits, status: 400, times: 3 });
    const same = { idempotencyKey: 'row-1' };
    await Promise.all([1, 2, 3].map(() => caught(gateway.images.submit(image, same))));
    await gateway.images.submit(image);
    expect(mock.invoice).toHaveLength(1);
  });

  test('stays after an unknown outcome if a later request with the key is not sent', async () => {
    const { mock, gateway } = onMock({}, { budget: { maxUsd: 0.03 }, maxRetries: 0 });
    await gateway.models.list();
    mock.fail({ route: submits, reset: 'after', times: 1 });
    const same = { idempotencyKey: 'row-1' };
    await caught(gateway.images.submit(image, same));
    const aborted = gateway.images.submit(image, { ...same, signal: AbortSignal.abort() });
    expect(await caught(aborted)).toMatchObject({ outcome: 'not-sent' });
    expect(await caught(gateway.images.submit(image))).toBeInstanceOf(BudgetExceededError);
    await gateway.images.submit(image, same);
    expect(mock.invoice).toHaveLength(1);
  });

  test('is released after an unknown outcome once the service rejects the key as invalid', async () => {
    const { mock, gateway } = onMock({}, { budget: { maxUsd: 0.03 }, maxRetries: 0 });
    await gateway.models.list();
    mock.fail({ route: submits, reset: 'before', times: 1 });
    const same = { idempotencyKey: 'row-1' };
    await caught(gateway.images.submit(image, same));
    mock.fail({ route: submits, status: 400, code: 'invalid_idempotency_key', times: 1 });
    await caught(gateway.images.submit(image, same));
    await gateway.images.submit(image);
    expect(mock.invoice).toHaveLength(1);
  });

  test.each([
    ...[401, 402, 403, 429, 503].map((status) => ({ status, code: 'unavailable' })),
    // The task that the key was charged for no longer exists.
    { status: 404, code: 'task_not_found' },
    // A load balancer, a model that is gone, and a voice that is no longer visible.
    { status: 404, code: '' },
    { status: 404, code: 'model_not_found' },
    { status: 400, code: 'invalid_request_parameter' },
  ])(
    'stays after an unknown outcome if a later request with the key gets a $status with $code',
    async (rejected) => {
      const { mock, gateway } = onMock({}, { budget: { maxUsd: 0.03 }, maxRetries: 0 });
      await gateway.models.list();
      mock.fail({ route: submits, reset: 'after', times: 1 });
      const same = { idempotencyKey: 'row-1' };
      await caught(gateway.images.submit(image, same));
      mock.fail({ route: submits, times: 1, ...rejected });
      await caught(gateway.images.submit(image, same));
      expect(await caught(gateway.images.submit(image))).toBeInstanceOf(BudgetExceededError);
      await gateway.images.submit(image, same);
      expect(mock.invoice).toHaveLength(1);
    },
  );
});

function post(body: unknown): RequestInit {
  return {
    method: 'POST',
    body: JSON.stringify(body),
    headers: { 'content-type': 'application/json' },
  };
}
