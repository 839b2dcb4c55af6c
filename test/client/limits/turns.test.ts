/** Calls of unknown price, which are sent one at a time, and the slots that they hold. */
import { describe, expect, test } from 'vitest';

import { BudgetExceededError } from '../../../src/index.ts';
import type { RequestOptions } from '../../../src/index.ts';
import { caught, chat, image, onMock } from '../support.ts';

const route = 'POST /v1/chat/completions';

test.each(['auto', 1] as const)(
  'a call whose hooks have run does not wait for one that waits for its slot (concurrency: %s)',
  async (concurrency) => {
    const hook = () => clock.sleep(200);
    const { mock, gateway } = onMock(
      {},
      { budget: { maxUsd: 1 }, concurrency, hooks: { beforeRequest: [hook] } },
    );
    const { clock } = mock;
    const calls = [0, 1, 2, 3, 4, 5].map(async (index) => {
      await clock.sleep(index * 20);
      return gateway.chat.completions.create(chat, { maxRetries: 0 });
    });
    const results = await clock.settle(Promise.allSettled(calls));
    expect(results.filter(({ status }) => status === 'rejected')).toEqual([]);
    expect(mock.invoice).toHaveLength(6);
  },
);

test('a call that is sent again lets one pass that holds the only slot', async () => {
  let runs = 0;
  const hook = async () => {
    runs += 1;
    if (runs < 3) await clock.sleep(runs * 100);
  };
  const { mock, gateway } = onMock({}, { budget: { maxUsd: 1 }, hooks: { beforeRequest: [hook] } });
  const { clock } = mock;
  // If no limit is reported, a rejection halves the window, which the other call then fills.
  const names = ['limit', 'remaining', 'source'].map((name) => `x-svc-concurrency-${name}`);
  const headers = Object.fromEntries(names.map((name) => [name, null]));
  const code = 'concurrency_limit_exceeded';
  mock.fail({ route, status: 429, code, headers, delayMs: 300, times: 1 });
  const first = gateway.chat.completions.create(chat);
  await clock.advance(50);
  const second = gateway.chat.completions.create(chat);
  await clock.settle(Promise.all([first, second]));
  expect(mock.invoice).toHaveLength(2);
});

test('a call without hooks that has got its slot waits for one that has passed it', async () => {
  const { mock, gateway } = onMock({}, { budget: { maxUsd: 0.02 }, concurrency: 1 });
  mock.fail({ route: 'GET /v1/models', status: 500 });
  mock.fail({ route, delayMs: 700, times: 1 });
  mock.fail({ route: 'POST /v1/images/tasks', delayMs: 1_000, times: 1 });
  const { clock } = mock;
  const hook = async ({ request }: { readonly request: Request }) => {
    if (request.method === 'POST') await clock.sleep(500);
  };
  const hooked = gateway.withOptions({ hooks: { beforeRequest: [hook] } });
  const inSlot = gateway.chat.completions.create(chat);
  const first = hooked.images.submit(image);
  await clock.advance(250);
  const second = caught(gateway.images.submit(image));
  await clock.settle(Promise.all([inSlot, first]));
  expect(await clock.settle(second)).toBeInstanceOf(BudgetExceededError);
  expect(mock.invoice).toHaveLength(2);
});

test('a call that may have been charged, and is sent again, keeps its turn', async () => {
  const hook = async ({ request }: { readonly request: Request }) => {
    if (request.method === 'POST') await clock.sleep(100);
  };
  const { mock, gateway } = onMock(
    {},
    { budget: { maxUsd: 0.02 }, hooks: { beforeRequest: [hook] } },
  );
  const { clock } = mock;
  mock.fail({ route: 'GET /v1/models', status: 500 });
  mock.fail({ route: 'POST /v1/images/tasks', reset: 'after', times: 1 });
  const first = gateway.images.submit(image);
  await clock.advance(50);
  const second = caught(gateway.images.submit(image));
  await clock.settle(first);
  expect(await clock.settle(second)).toBeInstanceOf(BudgetExceededError);
  expect(mock.invoice).toHaveLength(1);
});

describe('a call whose hooks have run, and that waits for the response to another one,', () => {
  /** Two calls that reach the end of their hooks before the first one is sent. The service needs a minute for it. */
  const start = async (options: RequestOptions) => {
    const { mock, gateway } = onMock(
      {},
      {
        budget: { maxUsd: 1 },
        hooks: { beforeRequest: [() => mock.clock.sleep(100)] },
      },
    );
    mock.fail({ route, delayMs: 60_000, times: 1 });
    const first = gateway.chat.completions.create(chat);
    await mock.clock.advance(50);
    const second = gateway.chat.completions.create(chat, { maxRetries: 0, ...options });
    return { mock, first, second };
  };

  test('has its whole timeout when it is its turn', async () => {
    const { mock, first, second } = await start({ timeout: 5_000 });
    mock.fail({ route, delayMs: 4_000, times: 1 });
    await mock.clock.settle(Promise.all([first, second]));
    expect(mock.invoice).toHaveLength(2);
  });

  test('ends with its timeout after that', async () => {
    const { mock, first, second } = await start({ timeout: 5_000 });
    mock.fail({ route, delayMs: 6_000, times: 1 });
    const error = caught(second);
    await mock.clock.settle(first);
    expect(await mock.clock.settle(error)).toMatchObject({
      name: 'RequestTimeoutError',
      outcome: 'unknown',
    });
  });

  test('ends with its totalTimeout', async () => {
    const { mock, first, second } = await start({ totalTimeout: 5_000 });
    const error = caught(second);
    await mock.clock.settle(first);
    expect(await error).toMatchObject({ name: 'RequestTimeoutError', outcome: 'not-sent' });
    expect(mock.invoice).toHaveLength(1);
  });
});
