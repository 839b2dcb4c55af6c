/** Random scenarios, for all books. */
import * as fc from 'fast-check';

import type { Scenario, Step } from './check.ts';
import { anyFate, fates } from './fates.ts';
import type { ModelName, Order } from './orders.ts';

const fate = fc.oneof(
  { weight: 3, arbitrary: fc.constant('accepted') },
  { weight: 2, arbitrary: fc.constantFrom('lost after', 'no charge', 'HTML 404', '503') },
  { weight: 5, arbitrary: fc.constantFrom(...anyFate) },
);

const orderWith = (models: readonly ModelName[]): fc.Arbitrary<Order> =>
  fc.record({
    key: fc.constantFrom(undefined, 'k1', 'k1', 'k2', 'bad'),
    body: fc.nat(2),
    units: fc.constantFrom(1, 1, 1, 3),
    model: fc.constantFrom(...models),
    fate,
    isHeld: fc.boolean(),
  });

const rarely = fc.oneof(
  { weight: 5, arbitrary: fc.constant(false) },
  { weight: 1, arbitrary: fc.constant(true) },
);

const stepsWith = (models: readonly ModelName[], maxParallel: number): fc.Arbitrary<Step[]> =>
  fc.array(
    fc.record({
      orders: fc.array(orderWith(models), { minLength: 1, maxLength: maxParallel }),
      forgets: rarely,
      restarts: rarely,
      startsAnew: rarely,
    }),
    { minLength: 1, maxLength: 8 },
  );

const settings = {
  unitUsd: fc.constant(0.02),
  lowUsd: fc.constant(0.01),
  maxUsd: fc.constantFrom(0.02, 0.05, 0.1, 0.2, 1),
  ignoresKeys: rarely,
  replays: fc.constantFrom('charge', 'zero', 'nothing'),
  otherBody: fc.constantFrom('replay', 'conflict'),
  isPaidElsewhere: fc.constant(false),
  slots: fc.constantFrom(0, 0, 1, 2),
} as const;

/** Scenarios by what they contain: requests of models with these kinds of prices. */
export const scenariosBy = {
  'right prices': scenariosWith(['right']),
  'prices that are too low': scenariosWith(['right', 'low']),
  'prices of 0': scenariosWith(['right', 'free']),
  'unknown prices': scenariosWith(['right', 'unlisted']),
  'all prices': scenariosWith(['right', 'low', 'free', 'unlisted']),
};

function scenariosWith(models: readonly ModelName[]): fc.Arbitrary<Scenario> {
  return fc.record({ ...settings, steps: stepsWith(models, 6) });
}

/** Number of orders in a scenario. */
export const sizeOf = ({ steps }: Scenario): number =>
  steps.reduce((sum, { orders }) => sum + orders.length, 0);

const plain: Order = {
  key: undefined,
  body: 0,
  units: 1,
  model: 'right',
  fate: 'accepted',
  isHeld: false,
};

/** A fixed scenario. Sends each list of orders at the same time. */
export const scenario = (
  maxUsd: number,
  steps: readonly (readonly Partial<Order>[])[],
  changes: Partial<Scenario> & { readonly forgets?: boolean } = {},
): Scenario => ({
  unitUsd: 0.02,
  lowUsd: 0.01,
  ignoresKeys: false,
  replays: 'charge',
  otherBody: 'replay',
  isPaidElsewhere: false,
  slots: 0,
  maxUsd,
  ...changes,
  steps: steps.map((orders) => ({
    orders: orders.map((order) => ({ ...plain, ...order })),
    forgets: changes.forgets === true,
    restarts: false,
    startsAnew: false,
  })),
});

/** The same order or orders, several times. */
export const times = <Each>(count: number, each: (index: number) => Each): Each[] =>
  Array.from({ length: count }, (_, index) => each(index));

/** What ends a key: it has a result. */
const results = Object.keys(fates).filter((name) => fates[name]?.hasResult);

/**
 * Requests one after another, with right prices, and none after its key has a result: about these, books have no reason
 * to differ.
 */
export const sequences: fc.Arbitrary<Scenario> = fc
  .record({
    maxUsd: fc.constantFrom(0.02, 0.05, 0.1),
    replays: settings.replays,
    orders: fc.array(fc.record({ key: fc.constantFrom('k1', 'k2', 'k3', 'bad'), fate }), {
      minLength: 1,
      maxLength: 8,
    }),
  })
  .map(({ orders, maxUsd, replays }) => {
    const ended = new Set<string>();
    const open = orders.filter(({ key, fate: name }) => {
      const isOpen = !ended.has(key);
      if (key !== 'bad' && results.includes(name)) ended.add(key);
      return isOpen;
    });
    return scenario(
      maxUsd,
      open.map((order) => [order]),
      { replays },
    );
  });
