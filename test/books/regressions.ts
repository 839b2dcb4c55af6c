/** What books have got wrong before. The amounts are what was charged, and the limit. */
import type { Scenario } from './check.ts';
import { scenario, times } from './scenarios.ts';

type Steps = Parameters<typeof scenario>[1];
const forgetting = (maxUsd: number, steps: Steps) => scenario(maxUsd, steps, { forgets: true });
const ignoring = (maxUsd: number, steps: Steps) => scenario(maxUsd, steps, { ignoresKeys: true });

/** Answers that are not the service's own, or depend on the moment. */
const noProof = [
  'HTML 404',
  'HTML 400',
  'HTML 422',
  'JSON 404',
  'JSON 400',
  'unknown code',
  'model_not_found',
  'task_not_found',
  'invalid_request_parameter',
  '401',
  '402',
  '409',
  '503',
];

/** Steps of which one comes after the end of a window, and one after the service has forgotten its keys. */
const inTwoWindows = (given: Scenario, startsAnew: number, forgets: number): Scenario => ({
  ...given,
  steps: given.steps.map((step, index) => ({
    ...step,
    startsAnew: index === startsAnew,
    forgets: index === forgets,
  })),
});

export const regressions: readonly { readonly title: string; readonly scenario: Scenario }[] = [
  {
    title: 'a paid key that the service forgets each time (0.24 of 0.05)',
    scenario: forgetting(
      0.05,
      times(12, () => [{ key: 'k1' }]),
    ),
  },
  ...[50, 12].map((bodies) => ({
    title: `one key with ${bodies} bodies at a service that ignores keys (1.00 of 0.05, 0.24 of 0.10)`,
    scenario: ignoring(
      bodies === 50 ? 0.05 : 0.1,
      times(bodies, (body) => [{ key: 'k1', body }]),
    ),
  })),
  {
    title: 'a key that was charged in vain is charged again, and the success says nothing about it',
    scenario: ignoring(1, [
      [{ key: 'k1', fate: '400 with charge' }],
      [{ key: 'k1', fate: 'no charge' }],
    ]),
  },
  {
    title: 'a key that is charged again, of a model whose price was too low, without a charge',
    scenario: ignoring(1, [
      [{ key: 'k1', model: 'low' }],
      [{ key: 'k1', model: 'low', fate: 'no charge' }],
    ]),
  },
  {
    title: 'a listed price of 0 and charges of 0.50 (10.00 of 1.00)',
    scenario: scenario(
      1,
      times(20, (body) => [{ model: 'free', body }]),
      { unitUsd: 0.5 },
    ),
  },
  ...noProof.map((fate) => ({
    title: `lost requests that were charged, and then ${fate} (0.08 of 0.05)`,
    scenario: scenario(
      0.05,
      times(4, (index) => `k${index}`).flatMap((key) => [
        [{ key, fate: 'lost after' }],
        [{ key, fate }],
      ]),
    ),
  })),
  {
    title: 'a lost request, and a 400 for another body of its key (0.04 of 0.02)',
    scenario: scenario(0.02, [
      [{ key: 'k1', fate: 'lost after' }],
      [{ key: 'k1', body: 1, fate: 'invalid key' }],
      [{}],
    ]),
  },
  {
    title: 'a lost request, and an invalid repetition of it',
    scenario: scenario(0.02, [[{ key: 'bad', fate: 'lost before' }], [{ key: 'bad' }], [{}]]),
  },
  {
    title: 'one key with three successes without a charge at a service that ignores keys',
    scenario: ignoring(
      0.05,
      times(5, () => [{ key: 'k1', fate: 'no charge' }]),
    ),
  },
  {
    title:
      'a success without a charge or a known price, whose key is forgotten (0.06 of 0.02, and 0.02 counted)',
    scenario: forgetting(0.02, [
      [{ key: 'k1', model: 'unlisted', fate: 'no charge' }],
      [{ model: 'unlisted' }],
      [{ key: 'k1', model: 'unlisted', fate: 'lost after' }],
    ]),
  },
  {
    title:
      'a success without a charge whose price was too low, and whose key is forgotten (0.06, and 0.03 counted)',
    scenario: forgetting(0.1, [
      [{ key: 'k1', model: 'low', fate: 'no charge' }],
      [{ model: 'low' }],
      [{ key: 'k1', model: 'low', fate: 'lost after' }],
    ]),
  },
  ...['cut off', '500 with charge', '402 with charge', '400 with charge'].map((fate) => ({
    title: `a charge that is reported with a failure is known to what follows: ${fate}`,
    scenario: scenario(0.05, [
      [{ key: 'k1', model: 'low', fate }],
      [{ key: 'k1', model: 'low' }],
      [{}],
    ]),
  })),
  ...['cut off', '500 with charge', '402 with charge', '400 with charge'].map((fate) => ({
    title: `a failed request shows what others cost: ${fate} (0.04 of 0.05, and 0.03 counted)`,
    scenario: scenario(0.05, [
      [{ model: 'low', fate }],
      [{ model: 'low', body: 1, fate: 'lost after' }],
      [{ body: 2 }],
    ]),
  })),
  {
    title:
      'one key with two bodies that were charged, which is forgotten again (0.14, and 0.08 counted)',
    scenario: forgetting(0.2, [
      [{ key: 'k1' }],
      [{ key: 'k1', body: 1, units: 3, fate: '400 with charge' }],
      [{ key: 'k1', body: 1, units: 3, fate: 'lost after' }],
      [{}],
    ]),
  },
  {
    title: 'charges above the listed price are known to what follows (3.20 of 3.00)',
    scenario: scenario(
      3,
      times(16, (body) => [{ body, model: 'low' }]),
      { unitUsd: 0.2, lowUsd: 0.01 },
    ),
  },
  {
    title: 'a lost request whose price was too low costs as much as the others',
    scenario: scenario(0.05, [
      [{ model: 'low' }],
      [{ model: 'low', key: 'k1', fate: 'lost after' }],
      [{}],
    ]),
  },
  {
    title: 'a key that is forgotten after the lost request was replayed',
    scenario: scenario(0.05, [
      [{ key: 'k1', fate: 'lost after' }],
      [{ key: 'k1' }],
      [{ key: 'k1', units: 3, fate: '402 with charge' }],
      [{ key: 'k1', units: 3 }],
    ]),
  },
  {
    title:
      'a replay for one model of what another one has cost, which does not show the price of that',
    scenario: scenario(0.2, [
      [{ key: 'k1', model: 'free', fate: 'lost after' }],
      [{ key: 'k1' }],
      [{ model: 'free', fate: 'lost after' }],
    ]),
  },
  {
    title: 'a replay for one image of what three have cost, which does not show the price of three',
    scenario: scenario(0.2, [
      [{ key: 'k1', model: 'free', fate: 'lost after' }],
      [{ key: 'k1', model: 'free', units: 3 }],
      [{ model: 'free', fate: 'lost after' }],
    ]),
  },
  {
    title: 'a replay of what was charged twice, in two windows (0.02, and 0 counted)',
    scenario: inTwoWindows(
      scenario(1, [[{ key: 'k1' }], [{ key: 'k1', fate: 'lost after' }], [{ key: 'k1' }]]),
      1,
      1,
    ),
  },
  {
    title: 'a replay that may be that of a request in flight, which the next window does not count',
    scenario: inTwoWindows(
      scenario(1, [
        [{ key: 'k1', fate: 'lost after' }],
        [{ key: 'k1', isHeld: true }],
        [{ key: 'k1', isHeld: true }],
        [{ fate: '503' }],
      ]),
      3,
      2,
    ),
  },
  {
    title:
      'a request that shares a reservation, although charges above listed prices exceed the limit (0.06 of 0.05)',
    scenario: forgetting(0.05, [
      [{ key: 'k1', model: 'free' }],
      [
        { key: 'k1', fate: '503', isHeld: true },
        { key: 'k2', model: 'low' },
      ],
      [{ key: 'k1', fate: 'lost after' }],
    ]),
  },
  {
    title: 'a lost row whose key was charged for two others (0.10 of 0.05)',
    scenario: ignoring(0.05, [
      [{ key: 'k1', body: 1, fate: 'lost after' }],
      [{ key: 'k1' }],
      [{ key: 'k1', units: 3, model: 'free' }],
      [{ key: 'k1', body: 1 }],
    ]),
  },
  {
    title: 'a row that was lost at a price of 0 is removed and added again',
    scenario: scenario(0.02, [
      [
        { key: 'k1', model: 'free', fate: 'lost after' },
        { key: 'k2', units: 3 },
      ],
      [{ key: 'k1', model: 'free' }],
    ]),
  },
  {
    title:
      'a lost row whose key is charged for another one while it waits for its slot (0.22 of 0.20)',
    scenario: scenario(
      0.2,
      [
        [{ key: 'k1' }],
        [{ key: 'k1', body: 1, units: 3, model: 'unlisted', fate: 'lost before' }],
        [{}, { units: 3 }],
        [
          { key: 'k1', body: 1, units: 3 },
          { key: 'k1', body: 1, units: 3, model: 'unlisted' },
        ],
      ],
      { ignoresKeys: true, slots: 1 },
    ),
  },
  ...[2, 3].map((released) => ({
    title: `a response under a charged key, while another body of it is in flight, in step ${released}`,
    scenario: forgetting(0.1, [
      [{ key: 'k1' }],
      [{ key: 'k1', isHeld: released === 2 }],
      [{ key: 'k1', body: 1, units: 3, isHeld: true }, released === 2 ? {} : { key: 'k1' }],
      [{}],
    ]),
  })),
  {
    title: 'nineteen rows of 0.30 at once (5.70 of 1.00)',
    scenario: scenario(1, [times(19, (body) => ({ body, key: `k${body}` }))], { unitUsd: 0.3 }),
  },
  {
    title:
      'sixteen requests of 0.50 that wait for one slot with a listed price of 0.05 (8.00 of 1.00)',
    scenario: scenario(1, [times(16, (body) => ({ body, key: `k${body}`, model: 'low' }))], {
      unitUsd: 0.5,
      lowUsd: 0.05,
      slots: 1,
    }),
  },
  {
    title: 'twenty parallel requests of 0.20 without a listed price (0.80 of 0.05)',
    scenario: scenario(0.05, [times(20, (body) => ({ body, model: 'unlisted' }))], {
      unitUsd: 0.2,
    }),
  },
  {
    title: 'requests without a listed price, one after the other (0.06 of 0.05)',
    scenario: scenario(
      0.05,
      times(4, (body) => [{ body, model: 'unlisted' }]),
    ),
  },
  ...(['unlisted', 'low'] as const).map((model) => ({
    title: `the same charge header twice, of a model whose price is ${model} (0.10 of 0.03)`,
    scenario: scenario(
      0.03,
      times(5, (body) => [{ body, model, fate: 'charge twice' }]),
    ),
  })),
];
