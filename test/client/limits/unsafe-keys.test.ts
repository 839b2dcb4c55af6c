/** What a budget limits if keys do not protect, prices are wrong, or nothing is known about them. */
import { describe, expect, test } from 'vitest';

import {
  AbortedError,
  BudgetExceededError,
  Polygate,
  RequestTimeoutError,
} from '../../../src/index.ts';
import { contextOf } from '../../../src/internal.ts';
import { caught, chat, image, onMock, turns } from '../support.ts';

const submits = 'POST /v1/images/tasks';
const video = { model: 'tide-video', prompt: 'Waves', duration: 4, resolution: '720p' };

/** A client of a service that ignores idempotency keys. */
function ignoringKeys(maxUsd: number) {
  const { mock, gateway } = onMock();
  const budgeted = gateway.withOptions({
    budget: { maxUsd },
    fetch: (input, init) => {
      const request = new Request(input, init);
      request.headers.delete('x-idempotency-key');
      return mock.fetch(request);
    },
  });
  return { mock, gateway: budgeted };
}

describe('a service that ignores keys', () => {
  test('one key with many bodies does not pass a budget that is used up', async () => {
    const { mock, gateway } = ignoringKeys(0.04);
    await gateway.models.list();
    for (let index = 0; index < 10; index += 1) {
      const params = { ...image, prompt: `A harbor ${index}` };
      await gateway.images.submit(params, { idempotencyKey: 'k' }).catch(() => undefined);
    }
    expect(mock.invoice).toHaveLength(2);
  });

  test('one key with one body passes only until it is charged again', async () => {
    const { mock, gateway } = ignoringKeys(0.02);
    await gateway.models.list();
    const submit = () => gateway.images.submit(image, { idempotencyKey: 'k' });
    await submit();
    await submit();
    expect(await caught(submit())).toBeInstanceOf(BudgetExceededError);
    expect(mock.invoice).toHaveLength(2);
  });
});

test('a key that the service remembers passes a budget that is used up', async () => {
  const { mock, gateway } = onMock({}, { budget: { maxUsd: 0.02 } });
  await gateway.models.list();
  const same = { idempotencyKey: 'k' };
  const { id } = await gateway.images.submit(image, same);
  for (let index = 0; index < 3; index += 1) {
    expect((await gateway.images.submit(image, same)).id).toBe(id);
  }
  expect(mock.invoice).toHaveLength(1);
});

test('a lost request stays reserved if another body of its key is rejected', async () => {
  const { mock, gateway } = onMock({}, { budget: { maxUsd: 0.02 }, maxRetries: 0 });
  await gateway.models.list();
  const same = { idempotencyKey: 'k' };
  mock.fail({ route: submits, reset: 'after', times: 1 });
  await caught(gateway.images.submit(image, same));
  mock.fail({ route: submits, status: 400, code: 'invalid_idempotency_key', times: 1 });
  await caught(gateway.images.submit({ ...image, prompt: 'A storm' }, same));
  expect(await caught(gateway.images.submit(image))).toBeInstanceOf(BudgetExceededError);
  expect(mock.invoice).toHaveLength(1);
});

describe('with list prices that are too low', () => {
  test.each([0, 0.01])('of %d, later requests reserve what such requests cost', async (usd) => {
    const { mock, gateway } = onMock({}, { budget: { maxUsd: 0.06 } });
    mock.fail({
      route: 'GET /v1/models',
      body: { data: [{ id: image.model, type: 'image', pricing: { unitPriceUsd: usd } }] },
    });
    await gateway.models.list();
    await gateway.images.submit(image);
    const error = await caught(gateway.images.submit({ ...image, n: 3 }));
    expect(error).toMatchObject({ message: expect.stringContaining('0.06 USD') });
    await gateway.images.submit({ ...image, n: 2 });
    expect(await caught(gateway.images.submit(image))).toBeInstanceOf(BudgetExceededError);
    expect(gateway.spend.totalUsd).toBe(0.06);
    expect(mock.invoice).toHaveLength(2);
  });

  test('of one resolution, the others keep their prices', async () => {
    const { mock, gateway } = onMock({}, { budget: { maxUsd: 0.06 } });
    const prices = { '1K': 0.01, '2K': 0.02 };
    const resolutionPrices = Object.entries(prices).map(([resolution, unitPriceUsd]) => ({
      resolution,
      unitPriceUsd,
    }));
    mock.fail({
      route: 'GET /v1/models',
      body: { data: [{ id: image.model, type: 'image', pricing: { resolutionPrices } }] },
    });
    await gateway.models.list();
    await gateway.images.submit({ ...image, resolution: '2K' });
    await gateway.images.submit({ ...image, resolution: '1K' });
    expect(await caught(gateway.images.submit({ ...image, resolution: '1K' }))).toBeInstanceOf(
      BudgetExceededError,
    );
    expect(gateway.spend.totalUsd).toBe(0.06);
  });

  test('requests that have reserved them are not sent after the budget is used up', async () => {
    const { mock, gateway } = onMock({}, { budget: { maxUsd: 0.05 }, concurrency: 1 });
    mock.fail({
      route: 'GET /v1/models',
      body: { data: [{ id: image.model, type: 'image', pricing: { unitPriceUsd: 0.002 } }] },
    });
    await gateway.models.list();
    const results = await mock.clock.settle(twenty(() => gateway.images.submit(image)));
    const errors = results.flatMap((each) => (each.status === 'rejected' ? [each.reason] : []));
    expect(errors.every((error) => BudgetExceededError.is(error))).toBe(true);
    expect(errors[0]).toMatchObject({ outcome: 'not-sent' });
    expect(mock.invoice.length).toBeLessThanOrEqual(2);
    expect(contextOf(gateway).reservedUsd).toBe(0);
  });
});

const twenty = <Result>(call: () => Promise<Result>) =>
  Promise.allSettled(Array.from({ length: 20 }, call));

describe('without known prices', () => {
  /** A service whose price list cannot be read. */
  const onUnlisted = (options: Parameters<typeof onMock>[1]) => {
    const world = onMock({}, options);
    world.mock.fail({ route: 'GET /v1/models', status: 500 });
    return world;
  };

  test('a replay without a charge tells nothing about the price of the next videos', async () => {
    const { mock, gateway: earlier } = onUnlisted({});
    const same = { idempotencyKey: 'k' };
    await earlier.videos.submit(video, same);
    const gateway = new Polygate({
      apiKey: mock.apiKey,
      baseURL: mock.baseURL,
      clock: mock.clock,
      budget: { maxUsd: 0.05 },
      fetch: async (input, init) => {
        const response = await mock.fetch(input, init);
        if (response.headers.has('x-svc-idempotent-replay')) {
          response.headers.delete('x-svc-charge-usd');
        }
        return response;
      },
    });
    expect(await gateway.videos.submit(video, same)).toMatchObject({ replayed: true });
    await mock.clock.settle(twenty(() => gateway.videos.submit(video)));
    expect(mock.invoice).toHaveLength(2);
  });

  test('lost calls count as much as the first charge that is reported afterwards', async () => {
    const { mock, gateway } = onUnlisted({ budget: { maxUsd: 0.1 }, maxRetries: 0 });
    mock.fail({ route: submits, reset: 'after', times: 3 });
    const lost = ['k1', 'k2', 'k2'].map((idempotencyKey) => ({ idempotencyKey }));
    for (const same of lost) await caught(gateway.images.submit(image, same));
    await gateway.images.submit(image);
    expect(contextOf(gateway).reservedUsd).toBe(0.04);
    const results = await mock.clock.settle(twenty(() => gateway.images.submit(image)));
    expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(2);
    expect(mock.invoice).toHaveLength(5);
    // Each replay reports the charge of its key.
    for (const same of lost) await gateway.images.submit(image, same);
    expect(contextOf(gateway).reservedUsd).toBe(0);
    expect(gateway.spend.totalUsd).toBe(0.1);
  });

  test.each([
    ['an error that reports it', { status: 500, headers: { 'x-svc-charge-usd': '0.01' } }],
    ['a body that is cut off', { truncateBody: 10 }],
  ])('a charge counts once with %s', async (_, fault) => {
    const { mock, gateway } = onUnlisted({ budget: { maxUsd: 1 }, maxRetries: 0 });
    mock.fail({ route: 'POST /v1/chat/completions', ...fault, times: 1 });
    expect(await caught(gateway.chat.completions.create(chat))).toMatchObject({
      outcome: 'unknown',
    });
    expect(gateway.spend.totalUsd).toBeGreaterThan(0);
    expect(contextOf(gateway).reservedUsd).toBe(0);
  });

  test('a call that is aborted while it waits for its slot reserves nothing afterwards', async () => {
    const { mock, gateway } = onUnlisted({ budget: { maxUsd: 1 } });
    await gateway.chat.completions.create(chat);
    const controller = new AbortController();
    const options = { signal: controller.signal, totalTimeout: 1_000 };
    const aborted = caught(gateway.chat.completions.create(chat, options));
    await Promise.resolve();
    controller.abort();
    expect(await aborted).toMatchObject({ outcome: 'not-sent' });
    await turns();
    expect(mock.requests).toHaveLength(1);
    expect(contextOf(gateway).reservedUsd).toBe(0);
  });

  test('twenty parallel videos pay for one whose charge uses up the budget', async () => {
    const { mock, gateway } = onUnlisted({ budget: { maxUsd: 0.05 } });
    const results = await mock.clock.settle(twenty(() => gateway.videos.submit(video)));
    expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    expect(mock.invoice).toHaveLength(1);
  });

  test('after the first charge, parallel calls reserve it', async () => {
    const { mock, gateway } = onUnlisted({ budget: { maxUsd: 0.1 } });
    await mock.clock.settle(twenty(() => gateway.images.submit(image)));
    expect(mock.invoice).toHaveLength(5);
  });

  test('a call that fails gives its turn to the next one', async () => {
    const { mock, gateway } = onUnlisted({ budget: { maxUsd: 0.02 }, maxRetries: 0 });
    mock.fail({ route: submits, status: 500, times: 2 });
    mock.fail({ route: submits, reset: 'before', times: 1 });
    const results = await mock.clock.settle(twenty(() => gateway.images.submit(image)));
    expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    expect(mock.invoice).toHaveLength(1);
  });

  test('a call that waits for its turn can be aborted, and one that is never answered ends with its timeout', async () => {
    const { mock, gateway } = onUnlisted({ budget: { maxUsd: 1 }, maxRetries: 0 });
    mock.fail({ route: submits, delayMs: 1e9, times: 1 });
    const controller = new AbortController();
    const first = caught(gateway.images.submit(image, { timeout: 1_000 }));
    const second = caught(gateway.images.submit(image, { signal: controller.signal }));
    const third = gateway.images.submit(image);
    controller.abort();
    expect(await second).toBeInstanceOf(AbortedError);
    expect(await mock.clock.settle(first)).toMatchObject({ outcome: 'unknown' });
    expect(await mock.clock.settle(third)).toMatchObject({ kind: 'image' });
  });

  test.each(['beforeRequest', 'afterResponse'] as const)(
    'a call that a %s hook makes does not wait for the call of the hook, and others still go one at a time',
    async (name) => {
      const nested: Promise<unknown>[] = [];
      const hook = async ({ request }: { readonly request: Request }) => {
        if (nested.length > 1 || request.method === 'GET') return;
        const inner = [0, 1].map(() => caught(gateway.images.submit(image)));
        nested.push(...inner);
        await Promise.all(inner);
      };
      const { mock, gateway } = onUnlisted({
        budget: { maxUsd: 0.02 },
        maxRetries: 0,
        hooks: { [name]: [hook] },
      });
      // A rejection shows no price, so that the calls still wait for each other.
      mock.fail({ route: submits, status: 403, times: 1 });
      const results = await mock.clock.settle(twenty(() => gateway.images.submit(image)));
      expect(nested).toHaveLength(2);
      const errors = results.map((each) => (each.status === 'rejected' ? each.reason : undefined));
      expect(errors.filter((error) => RequestTimeoutError.is(error))).toEqual([]);
      expect(mock.invoice).toHaveLength(1);
    },
  );

  test('chats wait for the first response, and no longer', async () => {
    const { mock, gateway } = onUnlisted({ budget: { maxUsd: 1 } });
    const results = await mock.clock.settle(twenty(() => gateway.chat.completions.create(chat)));
    expect(results.every(({ status }) => status === 'fulfilled')).toBe(true);
    expect(mock.requests).toHaveLength(20);
  });
});
