/** Chats, whose price is known only afterwards: a budget reserves the largest charge of their route so far. */
import { describe, expect, test } from 'vitest';

import { BudgetExceededError } from '../../../src/index.ts';
import type { Polygate } from '../../../src/index.ts';
import { caught, chat, drain, onMock } from '../support.ts';

const route = 'POST /v1/chat/completions';
const charged = (usd: number) => ({ headers: { 'x-svc-charge-usd': String(usd) } });
const unreported = { headers: { 'x-svc-charge-usd': null } };

const waysToChat: readonly [string, (gateway: Polygate) => Promise<unknown>][] = [
  ['a chat', (gateway) => gateway.chat.completions.create(chat)],
  ['a streamed chat', (gateway) => drain(gateway.chat.completions.stream(chat))],
  [
    'a chat through gateway.fetch',
    (gateway) =>
      gateway.fetch('/v1/chat/completions', {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(chat),
      }),
  ],
];

test.each(waysToChat)(
  '%s is not sent if the largest charge so far would exceed the budget, and says what is left',
  async (_, send) => {
    const { mock, gateway } = onMock({}, { budget: { maxUsd: 0.05 } });
    mock.fail({ route, ...charged(0.02) });
    for (let count = 0; count < 2; count += 1) await mock.clock.settle(send(gateway));
    const error = await caught(mock.clock.settle(send(gateway)));
    expect(error).toBeInstanceOf(BudgetExceededError);
    expect(error).toMatchObject({ outcome: 'not-sent', spentUsd: 0.04, maxUsd: 0.05 });
    expect(error.message).toContain(
      'Budget exceeded: 0.04 of 0.05 USD spent, 0 USD reserved; 0.01 USD is left, and such a request has ' +
        'cost up to 0.02 USD. The price of this one is known only when it is complete. ' +
        'Nothing was charged. Raise budget.maxUsd.',
    );
    expect(mock.requests).toHaveLength(2);
    // The limit can be raised, and covers the cheaper requests that fit.
    const raised = gateway.withOptions({ budget: { maxUsd: 0.06 } });
    await mock.clock.settle(send(raised));
    expect(gateway.spend.totalUsd).toBe(0.06);
  },
);

describe('while chats are in flight that may use up the budget', () => {
  /** A budget for two chats, of which one is spent, and a chat that takes a minute. */
  const start = async (charge: number) => {
    const { mock, gateway } = onMock({}, { budget: { maxUsd: 0.05 } });
    mock.fail({ route, ...charged(0.02), times: 1 });
    await gateway.chat.completions.create(chat);
    mock.fail({ route, ...charged(charge), delayMs: 60_000, times: 1 });
    const slow = gateway.chat.completions.create(chat);
    await mock.clock.advance(1);
    return { mock, gateway, slow };
  };

  test('another one is rejected, and sent once they have cost less', async () => {
    const { mock, gateway, slow } = await start(0.001);
    const error = await caught(gateway.chat.completions.create(chat));
    expect(error.message).toContain('0.02 of 0.05 USD spent, 0.02 USD reserved; 0.01 USD is left');
    expect(error.message).toContain(
      'Raise budget.maxUsd, or try again once the requests in flight have ended.',
    );
    await mock.clock.settle(slow);
    await gateway.chat.completions.create(chat);
    expect(mock.requests).toHaveLength(3);
  });

  test('another one is rejected if they are lost', async () => {
    const { mock, gateway, slow } = await start(0.02);
    mock.fail({ route, reset: 'after', times: 1 });
    await mock.clock.settle(slow);
    const other = gateway.withOptions({ budget: { maxUsd: 0.07 } });
    await caught(other.chat.completions.create(chat));
    expect(await caught(other.chat.completions.create(chat))).toBeInstanceOf(BudgetExceededError);
    expect(mock.requests).toHaveLength(3);
  });
});

test('chats in flight before the first charge count as much as it', async () => {
  const { mock, gateway } = onMock({}, { budget: { maxUsd: 0.05 } });
  // A response without a charge, so that others need not wait for their turn.
  mock.fail({ route, ...unreported, times: 1 });
  await gateway.chat.completions.create(chat);
  mock.fail({ route, ...charged(0.02), delayMs: 60_000, times: 1 });
  const slow = gateway.chat.completions.create(chat);
  await mock.clock.advance(1);
  mock.fail({ route, ...charged(0.02), times: 1 });
  await gateway.chat.completions.create(chat);
  expect(await caught(gateway.chat.completions.create(chat))).toBeInstanceOf(BudgetExceededError);
  await mock.clock.settle(slow);
  expect(gateway.spend.totalUsd).toBe(0.04);
});
