/** What clients without a budget have lost, and a budget of a client that is derived from them. */
import { describe, expect, test } from 'vitest';

import { BudgetExceededError } from '../../../src/index.ts';
import type { MockGateway } from '../../../src/mock/index.ts';
import { caught, chat, image, onMock } from '../support.ts';

const submits = 'POST /v1/images/tasks';
const chats = 'POST /v1/chat/completions';
const same = { idempotencyKey: 'row-1' };

const invoiceOf = (mock: MockGateway) => mock.invoice.reduce((sum, { usd }) => sum + usd, 0);

/** A client without a budget, which has loaded the prices. */
async function start() {
  const { mock, gateway } = onMock({}, { maxRetries: 0 });
  await gateway.models.list();
  const limited = (maxUsd: number) => gateway.withOptions({ budget: { maxUsd } });
  return { mock, gateway, limited };
}

test.each([false, true])(
  'a lost request counts for a budget of a derived client (that was used before: %s)',
  async (wasUsed) => {
    const { mock, gateway, limited } = await start();
    if (wasUsed) await limited(5).images.submit(image);
    mock.fail({ route: submits, reset: 'after', times: 1 });
    await caught(gateway.images.submit(image, same));
    const used = wasUsed ? 0.02 : 0;
    const error = await caught(limited(used + 0.03).images.submit(image));
    expect(error).toBeInstanceOf(BudgetExceededError);
    expect(error.message).toContain(`${used} of ${used + 0.03} USD spent, 0.02 USD reserved`);
    // Its repetition needs nothing more, and shows what it has cost.
    await limited(used + 0.03).images.submit(image, same);
    expect(gateway.spend.totalUsd).toBe(used + 0.02);
    await limited(used + 0.04).images.submit(image);
  },
);

test('a lost request that was replayed is not reserved any longer', async () => {
  const { mock, gateway, limited } = await start();
  mock.fail({ route: submits, reset: 'after', times: 1 });
  await caught(gateway.images.submit(image, same));
  await gateway.images.submit(image, same);
  await limited(0.04).images.submit(image);
  expect(mock.invoice).toHaveLength(2);
});

test('a lost request of unknown price that was replayed is not reserved any longer', async () => {
  const { mock, gateway } = onMock({}, { maxRetries: 0 });
  mock.fail({ route: 'GET /v1/models', status: 500 });
  mock.fail({ route: submits, reset: 'after', times: 2 });
  for (let count = 0; count < 2; count += 1) await caught(gateway.images.submit(image, same));
  await gateway.images.submit(image, same);
  const limited = gateway.withOptions({ budget: { maxUsd: 0.06 } });
  await limited.images.submit(image);
  await limited.images.submit(image);
  expect(mock.invoice).toHaveLength(3);
});

test('a rejected request is not reserved', async () => {
  const { mock, gateway, limited } = await start();
  mock.fail({ route: submits, status: 402, times: 1 });
  await caught(gateway.images.submit(image));
  await limited(0.02).images.submit(image);
  expect(mock.invoice).toHaveLength(1);
});

test('a request that is lost after the first limit was used counts as well', async () => {
  const { mock, gateway, limited } = await start();
  mock.fail({ route: submits, reset: 'after', delayMs: 60_000, times: 1 });
  const slow = caught(gateway.images.submit(image));
  await mock.clock.advance(1);
  await limited(5).images.submit(image);
  await mock.clock.settle(slow);
  expect(await caught(limited(0.05).images.submit(image))).toBeInstanceOf(BudgetExceededError);
});

test('lost chats count as much as the largest charge, once one is known', async () => {
  const { mock, gateway, limited } = await start();
  for (let count = 0; count < 2; count += 1) {
    mock.fail({ route: chats, reset: 'after', times: 1 });
    await caught(gateway.chat.completions.create(chat));
  }
  mock.fail({ route: chats, headers: { 'x-svc-charge-usd': '0.02' }, times: 1 });
  await limited(0.07).chat.completions.create(chat);
  const error = await caught(limited(0.07).chat.completions.create(chat));
  expect(error.message).toContain('0.02 of 0.07 USD spent, 0.04 USD reserved');
});

describe('after chats of a client without a budget, those of a derived client', () => {
  /** The price of a chat, which only its charge shows. */
  const startWithCharge = async () => {
    const { mock, gateway, limited } = await start();
    await gateway.chat.completions.create(chat);
    return { mock, gateway, limited, priceUsd: gateway.spend.totalUsd };
  };

  test('reserve the largest charge, also if they are lost', async () => {
    const { mock, limited, priceUsd } = await startWithCharge();
    const maxUsd = 3 * priceUsd;
    mock.fail({ route: chats, reset: 'after' });
    const send = () => caught(limited(maxUsd).chat.completions.create(chat));
    const errors = [await send(), await send(), await send()];
    expect(errors.map(({ name }) => name)).toEqual([
      'ConnectionError',
      'ConnectionError',
      'BudgetExceededError',
    ]);
    expect(invoiceOf(mock)).toBeCloseTo(maxUsd, 9);
  });

  test('count those whose charge was not reported', async () => {
    const { mock, gateway, limited, priceUsd } = await startWithCharge();
    mock.fail({ route: chats, headers: { 'x-svc-charge-usd': null }, times: 1 });
    await gateway.chat.completions.create(chat);
    const maxUsd = 3 * priceUsd;
    await limited(maxUsd).chat.completions.create(chat);
    expect(await caught(limited(maxUsd).chat.completions.create(chat))).toBeInstanceOf(
      BudgetExceededError,
    );
    expect(invoiceOf(mock)).toBeCloseTo(maxUsd, 9);
  });

  test('do not wait for each other', async () => {
    const { mock, gateway, limited } = await startWithCharge();
    mock.fail({ route: chats, delayMs: 60_000 });
    const sent = [0, 1].map(() => limited(5).chat.completions.create(chat));
    await mock.clock.advance(1);
    expect(gateway.concurrency.inFlight).toBe(2);
    await mock.clock.settle(Promise.all(sent));
  });

  test('count those that are still in flight when the first limit is used', async () => {
    const { mock, gateway, limited, priceUsd } = await startWithCharge();
    mock.fail({ route: chats, reset: 'after', delayMs: 60_000, times: 1 });
    const lost = caught(gateway.chat.completions.create(chat));
    await mock.clock.advance(1);
    const maxUsd = 3 * priceUsd;
    await limited(maxUsd).chat.completions.create(chat);
    await mock.clock.settle(lost);
    expect(await caught(limited(maxUsd).chat.completions.create(chat))).toBeInstanceOf(
      BudgetExceededError,
    );
    expect(invoiceOf(mock)).toBeCloseTo(maxUsd, 9);
  });
});

test('a charge of a request that was sent before the first limit shows what its route costs', async () => {
  const { mock, gateway, limited } = await start();
  mock.fail({ route: chats, delayMs: 60_000, times: 1 });
  const slow = gateway.chat.completions.create(chat);
  await mock.clock.advance(1);
  await limited(5).images.submit(image);
  await mock.clock.settle(slow);
  const before = gateway.spend.totalUsd;
  const error = await caught(limited(before + 1e-9).chat.completions.create(chat));
  expect(error).toBeInstanceOf(BudgetExceededError);
});

test('a charge above the listed price, of a client without a budget, is what others like it reserve', async () => {
  const { mock, gateway, limited } = await start();
  await limited(5).images.submit(image);
  mock.fail({ route: submits, headers: { 'x-svc-charge-usd': '0.2' }, times: 1 });
  await gateway.images.submit(image);
  mock.fail({ route: submits, headers: { 'x-svc-charge-usd': null }, times: 1 });
  await gateway.images.submit(image);
  const error = await caught(limited(0.5).images.submit(image));
  expect(error.message).toContain(
    '0.22 of 0.5 USD spent, 0.2 USD reserved; this request costs 0.2 USD',
  );
});
