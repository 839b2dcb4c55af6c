import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';

import { toNano } from '../../src/paid/amounts.ts';
import { decideLimit, limitPolicies } from '../../src/paid/limits.ts';
import type { LimitPolicy, LimitState } from '../../src/paid/limits.ts';
import { ReservedSums } from '../../src/paid/prices.ts';
import { RouteTurns } from '../../src/paid/turns.ts';

const usd = toNano;
/** A request that costs 0.2 USD, with a limit of 1 USD of which 0.5 are committed. */
const priced: LimitState = {
  limit: usd(1),
  committed: usd(0.5),
  next: { nanoUsd: usd(0.2), basis: 'price' },
  inFlight: 0,
  unpriced: 0,
};
/** A request whose price is 0, which may be charged nevertheless. */
const free: LimitState = { ...priced, next: { nanoUsd: 0, basis: 'price' } };
/** A request that may cost 0.2 USD, like the most expensive one before it. */
const estimated: LimitState = { ...priced, next: { nanoUsd: usd(0.2), basis: 'largest-charge' } };
/** A request before a charge above 0. */
const unreported: LimitState = { ...priced, next: { nanoUsd: 0, basis: 'largest-charge' } };
/** A request before the first charge. */
const unknown: LimitState = { ...priced, next: { nanoUsd: 0, basis: 'unknown' } };
const unlimited = { limit: Number.POSITIVE_INFINITY, inFlight: 9, unpriced: 9 };

const { client, strictClient, batch } = limitPolicies;

type Row = [string, LimitState, ReturnType<typeof decideLimit>];

describe.each(Object.entries<LimitPolicy>(limitPolicies))('a limit of the %s', (_, policy) => {
  test.each<Row>([
    ['covers a price that fits', priced, 'held'],
    ['covers a price that uses it up', { ...priced, committed: usd(0.8) }, 'held'],
    [
      'covers a price whose sum is rounded',
      { ...priced, committed: usd(0.1), limit: usd(0.3) },
      'held',
    ],
    [
      'covers a price that a rounded limit allows',
      { ...priced, committed: 0, limit: usd(1 - 0.8) },
      'held',
    ],
    ['covers no price that is too high', { ...priced, committed: usd(0.81) }, 'exceeded'],
    ['covers a price of 0', free, 'held'],
    ['covers no price of 0 if it is used up', { ...free, committed: usd(1) }, 'exceeded'],
    ['covers no price of 0 if it is exceeded', { ...free, committed: usd(1.1) }, 'exceeded'],
    ['covers no unknown price if it is used up', { ...unknown, committed: usd(1) }, 'exceeded'],
    ['covers no unknown price if it is 0', { ...unknown, committed: 0, limit: 0 }, 'exceeded'],
    ['covers everything if there is none', { ...priced, ...unlimited }, 'held'],
  ])('%s', (__, state, expected) => {
    expect(decideLimit(policy, state)).toBe(expected);
  });
});

describe('a request whose price is not known', () => {
  test.each<[string, LimitPolicy, ...Row]>([
    ['the client', client, 'passes', unknown, 'held'],
    ['the client', client, 'passes with others in flight', { ...unknown, inFlight: 9 }, 'held'],
    ['a strict client', strictClient, 'is refused', unknown, 'exceeded'],
    ['a batch', batch, 'passes', unknown, 'held'],
    ['a batch', batch, 'waits for a row in flight', { ...unknown, inFlight: 1 }, 'wait'],
    ['a batch', batch, 'passes after three lost ones', { ...unknown, unpriced: 3 }, 'held'],
    ['a batch', batch, 'is refused after four lost ones', { ...unknown, unpriced: 4 }, 'exceeded'],
    ['a batch', batch, 'passes without a limit', { ...unknown, ...unlimited }, 'held'],
  ])('of %s %s %s', (...row) => {
    const [, policy, , state, expected] = row;
    expect(decideLimit(policy, state)).toBe(expected);
  });
});

describe('a row of a batch', () => {
  test.each<Row>([
    [
      'waits with rows in flight, which may cost less',
      { ...priced, committed: usd(0.9), inFlight: 1 },
      'wait',
    ],
    [
      'passes with a price, whatever was lost before',
      { ...priced, inFlight: 9, unpriced: 9 },
      'held',
    ],
    ['passes with an estimate that fits', estimated, 'held'],
    [
      'passes with an estimate that uses up the limit',
      { ...estimated, committed: usd(0.8) },
      'held',
    ],
    [
      'is refused with an estimate that does not fit',
      { ...estimated, committed: usd(0.9) },
      'exceeded',
    ],
    ['passes with an estimate, whatever was lost before', { ...estimated, unpriced: 9 }, 'held'],
    ['passes with an estimate of 0', { ...unreported, inFlight: 9 }, 'held'],
    [
      'is refused with an estimate of 0 if the limit is used up',
      { ...unreported, committed: usd(1) },
      'exceeded',
    ],
    [
      'is refused with an estimate of 0 after four unpriced rows',
      { ...unreported, unpriced: 4 },
      'exceeded',
    ],
  ])('%s', (_, state, expected) => {
    expect(decideLimit(batch, state)).toBe(expected);
  });
});

test('a request of unknown price that fails wakes only the next one of its route, and a response all', async () => {
  const turns = new RouteTurns();
  const woken: string[] = [];
  const start = (request: string) =>
    turns.wait('route', request, false)?.then(() => void woken.push(request));
  const waiting = ['first', 'aborted', 'second', 'third', 'fourth'].map(start);
  expect(waiting[0]).toBeUndefined();
  turns.leave('route', 'aborted');
  turns.leave('route', 'first');
  await waiting[2];
  expect(woken).toEqual(['second']);
  expect(start('second')).toBeUndefined();
  turns.answer('route');
  await Promise.all([waiting[3], waiting[4]]);
  expect(start('fifth')).toBeUndefined();
});

test('reservations are at least what their class was charged, whatever happens in between', () => {
  const amount = fc.nat(1_000_000);
  const step = fc.record({
    action: fc.constantFrom('set', 'delete', 'learn'),
    holder: fc.constantFrom('a', 'b', 'c', 'd'),
    units: fc.record({
      priceClass: fc.constantFrom('one', 'other'),
      units: fc.constantFrom(1, 2, 3),
    }),
    amount,
  });
  const property = fc.property(fc.array(step), (steps) => {
    const sums = new ReservedSums();
    for (const { action, holder, units, amount: nanoUsd } of steps) {
      if (action === 'set') sums.set(holder, nanoUsd, units);
      else if (action === 'delete') sums.delete(holder);
      else sums.learn(units, nanoUsd);
      const amounts = ['a', 'b', 'c', 'd'].map((each) => sums.amountOf(each));
      const total = amounts.reduce((sum, each) => sum + each, 0);
      // Each amount is rounded up by itself.
      expect(Math.abs(sums.total - total)).toBeLessThan(amounts.length);
      for (const each of ['a', 'b', 'c', 'd']) {
        expect(sums.amountOf(each)).toBeGreaterThanOrEqual(sums.largest(sums.unitsOf(each)));
      }
    }
  });
  expect(() => fc.assert(property, { seed: 1 })).not.toThrow();
});
