import { expect, test } from 'vitest';

import { toNano, toUsd } from '../../src/paid/amounts.ts';
import { limitPolicies } from '../../src/paid/limits.ts';
import type { Expected } from '../../src/paid/limits.ts';
import { Reservations } from '../../src/paid/reservations.ts';
import type { Stage } from '../../src/paid/reservations.ts';

const route = 'POST /v1/images/tasks';

/** Reservations of a batch whose limit is 1 USD, of which 0.5 are spent. */
function start(policy: keyof typeof limitPolicies = 'batch') {
  const all = new Reservations({ spent: toNano(0.5), estimated: 0 });
  const open = (holder: string, isFree = false) => {
    const reservation = all.open({
      id: holder,
      holder,
      route,
      bodyOf: () => '',
      unitsOf: (price) => ({ priceClass: `${price} each`, units: 1 }),
      isFree: () => isFree,
    });
    const reserve = (price: number | undefined, stage: Stage, inFlight = 0) => {
      const limit = { nanoUsd: toNano(1), policy: limitPolicies[policy], inFlight };
      return reservation.reserve(limit, price, stage)?.decision ?? 'held';
    };
    return { reservation, reserve };
  };
  const hold = (holder: string, usd: number, units = 0) => {
    const ofRoute = units > 0 ? { priceClass: route, units } : undefined;
    all.hold({ holder, id: holder }, toNano(usd), ofRoute);
  };
  return { all, open, hold, reserved: () => toUsd(all.total) };
}

test.each([
  // Each row that waits for its slot is checked itself before it is sent.
  ['batch', 'held'],
  ['queue', 'held'],
  ['client', 'exceeded'],
  ['mcp', 'exceeded'],
] as const)(
  'a request of a %s that is about to be sent is %s if only requests that wait would exceed the limit',
  (policy, expected) => {
    const { all, open } = start(policy);
    const [first, second] = [open('first'), open('second')];
    expect([first.reserve(0.2, 'queueing'), second.reserve(0.2, 'queueing')]).toEqual([
      'held',
      'held',
    ]);
    all.learn({ priceClass: '0.2 each', units: 1 }, toNano(0.4));
    expect(first.reserve(0.2, 'sending')).toBe(expected);
    // What was sent counts.
    expect(second.reserve(0.2, 'sending')).toBe('exceeded');
  },
);

test('a request that has ended does not count as one that waits for its slot', () => {
  const { all, open } = start();
  const { reserve, reservation } = open('row');
  reserve(0.2, 'queueing');
  expect(toUsd(all.totalUnsent())).toBe(0.2);
  reservation.leave('unknown');
  expect([all.totalUnsent(), toUsd(all.total)]).toEqual([0, 0.2]);
});

test.each([
  ['nothing', [], 'held'],
  ['three lost requests', ['a', 'b', 'c'], 'held'],
  ['four lost requests', ['a', 'b', 'c', 'd'], 'exceeded'],
  // It is sent again, and is charged once.
  ['four, of which it is one', ['a', 'b', 'c', 'row'], 'held'],
] as const)('a row of unknown price after %s of earlier runs is %s', (_, lost, expected) => {
  const { open, hold } = start();
  for (const holder of lost) hold(holder, 0, 1);
  expect(open('row').reserve(undefined, 'queueing')).toBe(expected);
});

test('what earlier runs have lost without a price costs as much as the largest charge, once one is known', () => {
  const { all, open, hold, reserved } = start();
  hold('chat', 0, 3);
  hold('row', 0, 1);
  expect(reserved()).toBe(0);
  all.learn({ priceClass: route, units: 1 }, toNano(0.1));
  expect(reserved()).toBe(0.4);
  // What is sent again reserves its own price instead.
  expect(open('row').reserve(0.2, 'queueing')).toBe('held');
  expect(reserved()).toBe(0.5);
});

test.each<[string, number | undefined, Expected['basis'], string]>([
  ['before a charge', undefined, 'unknown', 'wait'],
  ['after a charge of 0', 0, 'largest-charge', 'held'],
  ['after a charge', 0.3, 'largest-charge', 'held'],
])(
  'rows of unknown price are sent one at a time only before a charge: %s',
  (_, usd, basis, expected) => {
    const { all, open } = start();
    if (usd !== undefined) all.learn({ priceClass: route, units: 1 }, toNano(usd));
    expect(open('row').reserve(undefined, 'queueing', 1)).toBe(expected);
    const { reservation } = open('other');
    const shortfall = reservation.reserve(
      { nanoUsd: 0, policy: limitPolicies.batch },
      undefined,
      'queueing',
    );
    expect(shortfall?.next).toEqual({ nanoUsd: toNano(usd ?? 0), basis });
  },
);

test.each([
  ['charged', 0],
  ['void', 0],
  ['none', 0],
  ['unknown', 0.7],
] as const)(
  'what an earlier run has reserved is kept if it is sent again, and then is %s',
  (money, left) => {
    const { open, hold, reserved } = start();
    hold('row', 0.7);
    const { reservation } = open('row');
    const unlimited = { nanoUsd: Number.POSITIVE_INFINITY, policy: limitPolicies.batch };
    // It exceeds the limit, but may have been charged already.
    expect(reservation.reserve(unlimited, 0.7, 'resending')).toBeUndefined();
    expect(reserved()).toBe(0.7);
    if (money === 'charged') reservation.charge(0.2);
    else reservation.leave(money);
    expect(reserved()).toBe(left);
  },
);

test('a request that was charged reserves its price again before another attempt, if the limit covers it', () => {
  const { all, open, reserved } = start();
  const { reserve, reservation } = open('row');
  reserve(undefined, 'queueing');
  const limit = (usd: number) => ({ nanoUsd: toNano(usd), policy: limitPolicies.batch });
  // Until then, it keeps what it has reserved, whatever the limit covers.
  expect(reservation.repeat(limit(0.1), 'resending')).toBeUndefined();
  reservation.charge(0.4);
  expect(reserved()).toBe(0);
  expect(reservation.repeat(limit(0.8), 'resending')).toMatchObject({ decision: 'exceeded' });
  expect(reservation.repeat(limit(0.9), 'resending')).toBeUndefined();
  expect(reserved()).toBe(0.4);
  // Others have been charged more than they had reserved.
  expect(reservation.repeat(limit(0.8), 'sending')).toMatchObject({ decision: 'exceeded' });
  expect(reserved()).toBe(0);
  expect(reservation.repeat(limit(0.9), 'sending')).toBeUndefined();
  // From now on, it may be charged.
  expect(reservation.repeat(limit(0.8), 'resending')).toBeUndefined();
  expect(reserved()).toBe(0.4);
  expect(open('other').reserve(undefined, 'sending')).toBe('exceeded');
  reservation.leave('unknown');
  expect(toUsd(all.total)).toBe(0.4);
});

test('a request that was charged has no other reservation if its key is free', () => {
  const { open, reserved } = start();
  const { reserve, reservation } = open('row', true);
  reserve(0.2, 'queueing');
  reservation.charge(0.2);
  const nothing = { nanoUsd: 0, policy: limitPolicies.batch };
  expect(reservation.repeat(nothing, 'resending')).toBeUndefined();
  expect(reserved()).toBe(0);
});

test('a charge that is reported after its request was lost replaces what was reserved', () => {
  const { open, reserved } = start();
  const { reserve, reservation } = open('row');
  reserve(0.2, 'queueing');
  reservation.leave('unknown');
  // It says nothing about the request that was lost.
  reservation.leave('none');
  expect(reserved()).toBe(0.2);
  reservation.charge(0.1);
  expect(reserved()).toBe(0);
});
