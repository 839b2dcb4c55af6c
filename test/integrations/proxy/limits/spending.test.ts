import { APIError, NotFoundError, PaymentRequiredError, PermissionDeniedError } from 'polygate';
import { describe, expect, test } from 'vitest';

import { eventually } from '../../../support/eventually.ts';
import { rejection } from '../../../support/rejection.ts';
import { startProxy, unusedOrigin } from '../support.ts';
import { chargedUsd, chat, image, imageUsd, received, usageOf } from './support.ts';

const submits = 'POST /v1/images/tasks';
const once = { maxRetries: 0 };
const nothing = { usd: 0, reservedUsd: 0, requests: 0, inFlight: 0 };

describe('limits.usd', () => {
  test.each([8, 50])('covers %i parallel requests without a race', async (count) => {
    const setup = await startProxy({ limits: { usd: 0.1 } }, { concurrencyLimit: 100 });
    const { mock, page } = setup;
    const results = await Promise.allSettled(
      Array.from({ length: count }, () => page(once).images.submit(image)),
    );
    const refused = results.filter(({ status }) => status === 'rejected');
    expect(refused).toHaveLength(count - 5);
    for (const result of refused) {
      expect(result).toMatchObject({ reason: { status: 402, code: 'user_limit_exceeded' } });
    }
    expect(chargedUsd(mock)).toBe(0.1);
    expect(received(mock)).toHaveLength(5);
    expect(await usageOf(setup)).toEqual({ usd: 0.1, reservedUsd: 0, requests: 5, inFlight: 0 });
  });

  test('is exceeded with the error of the service, with which limit, when, and the amounts', async () => {
    const setup = await startProxy({ limits: { usd: 0.03 } });
    const client = setup.page(once);
    await client.images.submit(image);
    const error = await rejection(PaymentRequiredError, client.images.submit(image));
    expect(error).toMatchObject({ code: 'user_limit_exceeded', outcome: 'rejected' });
    expect(error.message).toContain('Nothing was charged');
    const { windowEndsAt } = await setup.handler.usage('ann');
    expect(error.body).toMatchObject({
      error: {
        type: 'billing_error',
        limit: 'usd',
        window_ends_at: windowEndsAt.toISOString(),
        spent_usd: imageUsd,
        limit_usd: 0.03,
      },
    });
    expect(windowEndsAt.getTime() % 86_400_000).toBe(0);
    const seconds = Number(error.meta.headers.get('retry-after'));
    expect(Date.now() + seconds * 1_000).toBeGreaterThan(windowEndsAt.getTime() - 60_000);
    expect(received(setup.mock)).toHaveLength(1);
  });

  test('hides the amounts if exposeCharges is false', async () => {
    const { page } = await startProxy({ limits: { usd: 0.01 }, exposeCharges: false });
    const error = await rejection(PaymentRequiredError, page(once).images.submit(image));
    expect(Object.keys((error.body as { error: object }).error).toSorted()).toEqual(
      ['message', 'type', 'code', 'limit', 'window_ends_at'].toSorted(),
    );
  });

  test('is counted for each user', async () => {
    const { mock, page } = await startProxy({ limits: { usd: imageUsd } });
    await page(once, 'ann').images.submit(image);
    await page(once, 'bob').images.submit(image);
    await rejection(PaymentRequiredError, page(once, 'ann').images.submit(image));
    expect(mock.invoice).toHaveLength(2);
  });

  test('reserves chatUsd for a chat, and replaces it with the charge', async () => {
    const limits = { usd: 0.1, chatUsd: 0.06 };
    const setup = await startProxy({ limits }, { clock: 'virtual' });
    const { mock, page } = setup;
    // The other chats are refused before the charge of the first one is known.
    mock.fail({ route: 'POST /v1/chat/completions', delayMs: 1 });
    const first = page(once).chat.completions.create(chat);
    void first.catch(() => undefined);
    await eventually(() => expect(mock.requests).toHaveLength(1));
    for (let index = 0; index < 2; index += 1) {
      await rejection(PaymentRequiredError, page(once).chat.completions.create(chat));
    }
    await mock.clock.advance(1);
    await first;
    expect(await usageOf(setup)).toEqual({
      usd: chargedUsd(mock),
      reservedUsd: 0,
      requests: 1,
      inFlight: 0,
    });
    expect(mock.invoice).toHaveLength(1);
  });

  test('counts the estimate if the response has no charge', async () => {
    const setup = await startProxy({ limits: { usd: 1 } });
    setup.mock.fail({ route: submits, headers: { 'x-svc-charge-usd': null } });
    await setup.page(once).images.submit({ ...image, num_images: 3 });
    expect(await usageOf(setup)).toMatchObject({ usd: 0.06, reservedUsd: 0 });
  });

  test('counts a charge that an error response reports', async () => {
    const setup = await startProxy({ limits: { usd: 1 } });
    const headers = { 'x-svc-charge-usd': '0.3' };
    setup.mock.fail({ route: 'POST /v1/chat/completions', status: 400, headers });
    await setup
      .page(once)
      .chat.completions.create(chat)
      .catch(() => {});
    expect(await usageOf(setup)).toMatchObject({ usd: 0.3, reservedUsd: 0 });
  });

  test.each([400, 401, 402, 403, 404, 422, 429, 503])(
    'is not used by a request that the service rejects with a %i',
    async (status) => {
      const setup = await startProxy({ limits: { usd: imageUsd } });
      const code = status === 429 ? { code: 'rate_limit_exceeded' } : {};
      setup.mock.fail({ route: submits, status, times: 1, ...code });
      await rejection(APIError, setup.page(once).images.submit(image));
      expect(await usageOf(setup)).toEqual({ ...nothing, requests: 1 });
      await setup.page(once).images.submit(image);
    },
  );

  test('is not used by a request that could not be sent', async () => {
    const setup = await startProxy({
      limits: { usd: imageUsd },
      fetch: (input, init) => fetch(init?.method === 'POST' ? unused : input, init),
    });
    const unused = await unusedOrigin();
    await setup
      .page(once)
      .images.submit(image)
      .catch(() => {});
    expect(await usageOf(setup)).toEqual({ ...nothing, requests: 1 });
  });
});

describe('a response that is lost', () => {
  test.each([
    ['before the request was handled', { reset: 'before' as const }, 0],
    ['after the charge', { reset: 'after' as const }, 1],
    ['with a 500 after the charge', { status: 500, handled: true }, 1],
  ])(
    '%s keeps the reservation until the same key is charged or replayed',
    async (_, fault, charges) => {
      const setup = await startProxy({ limits: { usd: imageUsd } });
      const { mock, page } = setup;
      mock.fail({ route: submits, times: 1, ...fault });
      const key = { idempotencyKey: 'k' };
      await page(once)
        .images.submit(image, key)
        .catch(() => {});
      expect(mock.invoice).toHaveLength(charges);
      expect(await usageOf(setup)).toEqual({ ...nothing, reservedUsd: imageUsd, requests: 1 });
      await rejection(PaymentRequiredError, page(once).images.submit(image));
      await page(once).images.submit(image, key);
      expect(mock.invoice).toHaveLength(1);
      expect(await usageOf(setup)).toEqual({ ...nothing, usd: imageUsd, requests: 2 });
    },
  );

  test('of a chat keeps the reservation, because nothing can show whether it was charged', async () => {
    const setup = await startProxy({ limits: { usd: 1 } });
    setup.mock.fail({ route: 'POST /v1/chat/completions', reset: 'after', times: 1 });
    await setup
      .page(once)
      .chat.completions.create(chat)
      .catch(() => {});
    await setup.page(once).chat.completions.create(chat);
    expect(await usageOf(setup)).toMatchObject({ reservedUsd: 0.05, requests: 2 });
  });

  test('of a chat with a key keeps its reservation when a second request with the key succeeds', async () => {
    const setup = await startProxy({ limits: { usd: 1 } });
    setup.mock.fail({ route: 'POST /v1/chat/completions', reset: 'after', times: 1 });
    const key = { idempotencyKey: 'k' };
    await setup
      .page(once)
      .chat.completions.create(chat, key)
      .catch(() => {});
    await setup.page(once).chat.completions.create(chat, key);
    expect(await usageOf(setup)).toMatchObject({ reservedUsd: 0.05 });
  });

  test('is freed if the service rejects the key as invalid, and by no error that can have another reason', async () => {
    const setup = await startProxy({ limits: { usd: 1 } });
    const { mock, page } = setup;
    const key = { idempotencyKey: 'k' };
    for (const [fault, reservedUsd] of [
      [{ reset: 'before' }, imageUsd],
      [{ status: 429, code: 'rate_limit_exceeded' }, imageUsd],
      [{ status: 403 }, imageUsd],
      [{ status: 404, code: 'model_not_found' }, imageUsd],
      [{ status: 400, code: 'invalid_request_parameter' }, imageUsd],
      [{ status: 400, code: 'invalid_idempotency_key' }, 0],
    ] as const) {
      mock.fail({ route: submits, times: 1, ...fault });
      await page(once)
        .images.submit(image, key)
        .catch(() => {});
      expect([fault, await usageOf(setup)]).toMatchObject([fault, { reservedUsd }]);
    }
  });

  test('is not freed by a 400 for another body', async () => {
    const setup = await startProxy({ limits: { usd: 1 } });
    const { mock, page } = setup;
    const key = { idempotencyKey: 'k' };
    mock.fail({ route: submits, reset: 'after', times: 1 });
    await page(once)
      .images.submit(image, key)
      .catch(() => {});
    mock.fail({ route: submits, status: 400, code: 'invalid_idempotency_key', times: 1 });
    await page(once)
      .images.submit({ ...image, prompt: 'A storm' }, key)
      .catch(() => {});
    expect(await usageOf(setup)).toMatchObject({ reservedUsd: imageUsd });
  });

  test('because the page has left is read to its headers, and its charge is counted', async () => {
    const setup = await startProxy({ limits: { usd: imageUsd } });
    const { mock, page } = setup;
    mock.fail({ route: submits, delayMs: 200, times: 1 });
    const leaving = new AbortController();
    const key = { idempotencyKey: 'k' };
    const { signal } = leaving;
    const submitted = page(once)
      .images.submit(image, { ...key, signal })
      .catch(() => {});
    await eventually(() => expect(mock.invoice).toHaveLength(1));
    leaving.abort();
    await submitted;
    await expect.poll(() => usageOf(setup)).toEqual({ ...nothing, usd: imageUsd, requests: 1 });
    const task = await page(once).images.submit(image, key);
    expect(task.meta?.idempotentReplay).toBe(true);
    expect(await usageOf(setup)).toEqual({ ...nothing, usd: imageUsd, requests: 2 });
    expect(chargedUsd(mock)).toBe(imageUsd);
  });
});

describe('an idempotency key', () => {
  test('that was charged passes at the limit, so that its task stays reachable', async () => {
    const setup = await startProxy({ limits: { usd: imageUsd } });
    const client = setup.page(once);
    const task = await client.images.submit(image, { idempotencyKey: 'k' });
    await rejection(PaymentRequiredError, client.images.submit(image));
    const again = await client.images.submit(image, { idempotencyKey: 'k' });
    expect(again.id).toBe(task.id);
    expect(await usageOf(setup)).toEqual({ ...nothing, usd: imageUsd, requests: 2 });
  });

  test('has one reservation for its parallel requests', async () => {
    const setup = await startProxy({ limits: { usd: imageUsd } });
    const submit = () => setup.page(once).images.submit(image, { idempotencyKey: 'k' });
    await Promise.all([submit(), submit(), submit()]);
    expect(setup.mock.invoice).toHaveLength(1);
    expect(await usageOf(setup)).toEqual({ ...nothing, usd: imageUsd, requests: 3 });
  });

  test('has a separate reservation for each kind of task', async () => {
    const setup = await startProxy({ limits: { usd: 0.1 } });
    const client = setup.page(once);
    const key = { idempotencyKey: 'k' };
    await client.images.submit(image, key);
    const video = { model: 'tide-video', prompt: 'Waves', resolution: '720p', duration: 5 };
    await rejection(PaymentRequiredError, client.videos.submit(video, key));
    expect(setup.mock.invoice).toHaveLength(1);
  });

  test('of a voice has one reservation per request', async () => {
    const setup = await startProxy({ limits: { usd: 4 } }, { clock: 'virtual' });
    const submit = () =>
      setup
        .page(once)
        .voices.design({ prompt: 'A calm voice', preview_text: 'Hi' }, { idempotencyKey: 'k' });
    setup.mock.fail({ route: 'POST /v1/audio/voices/design', delayMs: 1 });
    const both = [submit(), submit()];
    // One of them is refused while the other is in flight.
    await expect(Promise.race(both)).rejects.toThrow(/./);
    await setup.mock.clock.advance(1);
    const results = await Promise.allSettled(both);
    expect(results.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected']);
  });
});

test('permit can refuse a request by its model and price, and reserves nothing', async () => {
  const setup = await startProxy({
    limits: { usd: 1 },
    permit: ({ model, reservedUsd = 0 }) => model === 'prism-image' && reservedUsd < 0.05,
  });
  const client = setup.page(once);
  await client.images.submit(image);
  await rejection(PermissionDeniedError, client.images.submit({ ...image, num_images: 4 }));
  expect(await usageOf(setup)).toMatchObject({ usd: imageUsd, reservedUsd: 0, requests: 1 });
});

test('a task is polled without limits, even at the limit', async () => {
  const setup = await startProxy({ limits: { usd: imageUsd, requests: 1 } });
  const task = await setup.page(once).images.submit(image);
  expect((await task.wait({ pollInterval: 5 })).status).toBe('succeeded');
  await rejection(NotFoundError, setup.page(once).images.retrieve('none'));
});
