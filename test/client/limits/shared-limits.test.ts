/** What clients without a budget have lost, and a budget of a client that is derived from them. */
import { expect, test } from 'vitest';

import { BudgetExceededError } from '../../../src/index.ts';
import { caught, chat, image, onMock } from '../support.ts';

const submits = 'POST /v1/images/tasks';
const chats = 'POST /v1/chat/completions';
const same = { idempotencyKey: 'row-1' };

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
