import { expect, test } from 'vitest';

import { decideReservation } from '../../../../src/integrations/bullmq/decisions/settlement.ts';
import type { QueueSpend } from '../../../../src/integrations/bullmq/decisions/settlement.ts';
import { toNano } from '../../../../src/paid/amounts.ts';

const path = '/v1/images/tasks';
const nothing: QueueSpend = {
  spentUsd: 0,
  reservedUsd: 0,
  largest: new Map(),
  above: new Map(),
  unpriced: new Map(),
  submitting: 0,
};
const largest = new Map([[path, 0.2]]);
const price = (usd: number) => ({ nanoUsd: toNano(usd), basis: 'price' });

test.each([
  { spend: {}, priceUsd: 0.4, decision: 'held', reservation: price(0.4) },
  { spend: { spentUsd: 0.6 }, priceUsd: 0.4, decision: 'held', reservation: price(0.4) },
  { spend: { spentUsd: 0.7 }, priceUsd: 0.4, decision: 'exceeded', reservation: price(0.4) },
  { spend: { reservedUsd: 0.7 }, priceUsd: 0.4, decision: 'exceeded', reservation: price(0.4) },
  // The rows in flight may cost less than they have reserved.
  {
    spend: { reservedUsd: 0.7, submitting: 1 },
    priceUsd: 0.4,
    decision: 'wait',
    reservation: price(0.4),
  },
  // Sums of fractions are not exact.
  {
    spend: { spentUsd: 0.1 + 0.2, reservedUsd: 0.6 },
    priceUsd: 0.1,
    decision: 'held',
    reservation: price(0.1),
  },
  {
    spend: { largest },
    priceUsd: undefined,
    decision: 'held',
    reservation: { nanoUsd: toNano(0.2), basis: 'largest-charge' },
  },
  // Each unpriced row counts as much as the largest charge.
  {
    spend: { largest, unpriced: new Map([[path, 5]]) },
    priceUsd: undefined,
    decision: 'exceeded',
    reservation: { nanoUsd: toNano(0.2), basis: 'largest-charge' },
  },
  {
    spend: { unpriced: new Map([[path, 3]]) },
    priceUsd: undefined,
    decision: 'held',
    reservation: { nanoUsd: 0, basis: 'unknown' },
  },
  {
    spend: { unpriced: new Map([[path, 4]]) },
    priceUsd: undefined,
    decision: 'exceeded',
    reservation: { nanoUsd: 0, basis: 'unknown' },
  },
])('a budget of 1 USD after $spend decides $decision for $priceUsd', (row) => {
  const { spend, priceUsd, decision, reservation } = row;
  const result = decideReservation({ ...nothing, ...spend }, { path, usd: priceUsd }, 1);
  expect(result).toMatchObject({ decision, reservation });
});

test('a budget that does not cover a row says what was spent and what may still be charged', () => {
  const spend = { ...nothing, spentUsd: 0.3, reservedUsd: 0.4, unpriced: new Map([[path, 1]]) };
  const { problem } = decideReservation({ ...spend, largest }, { path, usd: 0.5 }, 1);
  expect(problem).toMatch(/^0\.3 of 1 USD spent, 0\.6 USD reserved for rows that may be charged; /);
});
