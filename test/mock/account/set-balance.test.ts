import { expect, test } from 'vitest';

import { createMockGateway } from '../../../src/mock/index.ts';
import { callerOf, image } from '../caller.ts';

test('a new balance applies to the next charge, and keeps the invoice and the total spend', async () => {
  const mock = createMockGateway({ wallet: { usd: 0.03 } });
  const { post } = callerOf(mock);
  expect((await post('/v1/images/tasks', image)).status).toBe(202);
  expect((await post('/v1/images/tasks', image)).status).toBe(402);
  mock.setBalance(mock.wallet.usd + 0.05);
  expect(mock.wallet).toEqual({ usd: 0.06, spentUsd: 0.02 });
  expect((await post('/v1/images/tasks', image)).status).toBe(202);
  mock.setBalance(0);
  expect((await post('/v1/images/tasks', image)).status).toBe(402);
  expect(mock.invoice.map(({ usd }) => usd)).toEqual([0.02, 0.02]);
});

test('what changes outside of requests calls onChange as well', async () => {
  const saved: { wallet: number; charges: number }[] = [];
  const mock = createMockGateway({
    onChange: () => saved.push({ wallet: mock.wallet.usd, charges: mock.invoice.length }),
  });
  await callerOf(mock).post('/v1/images/tasks', image);
  mock.setBalance(5);
  await Promise.resolve();
  mock.clearRecords();
  await Promise.resolve();
  expect(saved.slice(1)).toEqual([
    { wallet: 5, charges: 1 },
    { wallet: 5, charges: 0 },
  ]);
});

test.each([-1, Number.NaN, Infinity])('a balance of %d is rejected', (usd) => {
  const mock = createMockGateway();
  expect(() => mock.setBalance(usd)).toThrow('finite number of at least 0');
  expect(mock.wallet.usd).toBe(1000);
});
