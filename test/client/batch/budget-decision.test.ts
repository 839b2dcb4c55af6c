import { describe, expect, test } from 'vitest';

import { nextReservation } from '../../../src/client/batch/budget-decisions.ts';
import type { ReservationState } from '../../../src/client/batch/budget-decisions.ts';

/** A row that costs 0.2 USD, in a budget of which 0.5 of 1 USD is committed. */
const priced: ReservationState = {
  maxUsd: 1,
  committedUsd: 0.5,
  next: { usd: 0.2, basis: 'price' },
  inFlight: 0,
  unpriced: 0,
};
/** A row that may cost 0.2 USD, like the most expensive row before it. */
const estimated: ReservationState = { ...priced, next: { usd: 0.2, basis: 'largest-charge' } };
/** A row before a charge above 0. */
const free: ReservationState = { ...priced, next: { usd: 0, basis: 'largest-charge' } };
/** A row before the first charge. */
const unknown: ReservationState = { ...priced, next: { usd: 0, basis: 'unknown' } };
const unlimited = { maxUsd: Number.POSITIVE_INFINITY, inFlight: 9, unpriced: 9 };

describe('whether a batch reserves', () => {
  test.each<[string, ReservationState, ReturnType<typeof nextReservation>]>([
    ['a price that fits', priced, 'reserve'],
    ['a price that uses up the budget', { ...priced, committedUsd: 0.8 }, 'reserve'],
    ['a price whose sum is rounded', { ...priced, committedUsd: 0.1, maxUsd: 0.3 }, 'reserve'],
    ['a price that does not fit', { ...priced, committedUsd: 0.9 }, 'exceeded'],
    ['the same, with rows in flight', { ...priced, committedUsd: 0.9, inFlight: 1 }, 'wait'],
    [
      'a price of 0 in a budget that is used up',
      { ...priced, next: { usd: 0, basis: 'price' }, committedUsd: 1 },
      'reserve',
    ],
    ['a price, whatever was lost before', { ...priced, inFlight: 9, unpriced: 9 }, 'reserve'],
    ['a price without a limit', { ...priced, ...unlimited }, 'reserve'],

    ['an estimate that fits', estimated, 'reserve'],
    ['an estimate that uses up the budget', { ...estimated, committedUsd: 0.8 }, 'reserve'],
    ['an estimate that does not fit', { ...estimated, committedUsd: 0.9 }, 'exceeded'],
    ['an estimate, whatever was lost before', { ...estimated, unpriced: 9 }, 'reserve'],
    ['an estimate of 0 in a budget with room', { ...free, inFlight: 9 }, 'reserve'],
    ['an estimate of 0 in a budget that is used up', { ...free, committedUsd: 1 }, 'exceeded'],
    ['an estimate of 0 after four unpriced rows', { ...free, unpriced: 4 }, 'exceeded'],

    ['an unknown price', unknown, 'reserve'],
    ['an unknown price beside a row in flight', { ...unknown, inFlight: 1 }, 'wait'],
    ['an unknown price in a budget that is used up', { ...unknown, committedUsd: 1 }, 'exceeded'],
    ['an unknown price after three lost ones', { ...unknown, unpriced: 3 }, 'reserve'],
    ['an unknown price after four lost ones', { ...unknown, unpriced: 4 }, 'exceeded'],
    ['an unknown price without a limit', { ...unknown, ...unlimited }, 'reserve'],
  ])('%s', (_, state, expected) => {
    expect(nextReservation(state)).toBe(expected);
  });
});
