/** That a diagnosis never spends more than it may, and counts what it may have spent, with many limits and faults. */
import type { Fault, MockAssumptions } from 'polygate/mock';
import { describe, expect, test } from 'vitest';

import { invoicedUsd, possibleUsd, startMock } from '../tools/doctor/diagnosed-mock.ts';
import type { Wrap } from '../tools/doctor/diagnosed-mock.ts';
import { withHeaders, withoutCharges, withoutKeys } from '../tools/doctor/wraps.ts';

const amounts = [
  0, 0.00001, 0.00004, 0.00008, 0.00016, 0.0002, 0.0004, 0.001, 0.005, 0.0051, 0.0053, 0.0062,
  0.0086, 0.01, 0.0103, 0.0125, 0.0153, 0.02, 0.05, 0.1,
];

describe.each([
  ['the assumed behavior', {}, undefined],
  ['replays of chats', { A11: 'replay' }, undefined],
  ['conflicts', { A13: 'conflict' }, undefined],
  ['finished submits', { A7: 'finished' }, undefined],
  ['charged replays', {}, withoutKeys],
  ['charges that are not reported', {}, withoutCharges],
] as const satisfies readonly (readonly [string, Partial<MockAssumptions>, Wrap | undefined])[])(
  'with %s',
  (_, assumptions, wrap) => {
    test.each(amounts)('at most %d USD are spent', async (maxSpendUsd) => {
      const { run, mock } = startMock({ assumptions }, wrap);
      const diagnosis = await run({ maxSpendUsd });
      expect(invoicedUsd(mock)).toBeLessThanOrEqual(maxSpendUsd);
      if (wrap === withoutCharges)
        expect(possibleUsd(diagnosis)).toBeGreaterThanOrEqual(invoicedUsd(mock));
      else expect(diagnosis.spentUsd).toBe(invoicedUsd(mock));
    });
  },
);

const chatRoute = 'POST /v1/chat/completions';
const imageRoute = 'POST /v1/images/generations';

describe.each([
  ['replays that are free', undefined],
  ['replays that are charged', withoutKeys],
])('with %s', (_, wrap) => {
  test.each([
    ['a lost image', { route: imageRoute, reset: 'after', times: 1 }],
    ['a lost chat', { route: chatRoute, reset: 'after', times: 1 }],
    [
      'images that are charged in spite of a 502',
      { route: imageRoute, status: 502, handled: true },
    ],
    ['chats that are charged in spite of a 502', { route: chatRoute, status: 502, handled: true }],
    ['a malformed image', { route: imageRoute, malformed: true, times: 1 }],
    ['streams that are truncated', { route: chatRoute, cutStreamAfter: 1 }],
  ] as const)('%s leads to no more spending than allowed', async (__, fault) => {
    for (const maxSpendUsd of amounts) {
      const { run, mock } = startMock({}, wrap);
      mock.fail(fault);
      await run({ maxSpendUsd });
      expect(invoicedUsd(mock)).toBeLessThanOrEqual(maxSpendUsd);
    }
  });
});

const charge = 'x-svc-charge-usd';
const mark = 'x-svc-idempotent-replay';
const zero = { [charge]: '0' };

type Changes = Record<string, string | null>;

/** What responses report instead of their charge. */
const unknown: [name: string, changes: Changes][] = [
  ['a charge of 0', zero],
  ['no charge', { [charge]: null }],
  ['a negative charge', { [charge]: '-0.01' }],
  ['a charge that is no number', { [charge]: 'free' }],
];

/** The same for a first response. The last one cannot be true: its key was not used before. */
const unknownFirst: typeof unknown = [
  ...unknown.slice(0, 2),
  ['a replay', { ...zero, [mark]: 'true' }],
];

const faults: (Omit<Fault, 'route'> | undefined)[] = [
  undefined,
  { status: 500, handled: true },
  { status: 503, handled: true, truncateBody: 5 },
  { status: 409, handled: true, truncateBody: 5 },
  { truncateBody: 5 },
  { malformed: true },
];

describe.each([chatRoute, imageRoute])('if %s reports', (route) => {
  describe.each(unknownFirst)('%s with its first response', (_, changes) => {
    test.each(faults)('(%o), all that it costs is counted', async (fault) => {
      for (const maxSpendUsd of amounts) {
        const { run, mock } = startMock({}, withHeaders(route, changes, 1));
        if (fault) mock.fail({ route, ...fault, times: 1 });
        const diagnosis = await run({ maxSpendUsd });
        expect(possibleUsd(diagnosis)).toBeGreaterThanOrEqual(invoicedUsd(mock));
        expect(invoicedUsd(mock)).toBeLessThanOrEqual(maxSpendUsd);
      }
    });
  });

  test.each(unknown)('%s with all responses, all that it costs is counted', async (_, changes) => {
    for (const maxSpendUsd of amounts) {
      const wrap = withHeaders(route, changes);
      const { run, mock } = startMock({}, (fetch, gateway) =>
        wrap(withoutKeys(fetch, gateway), gateway),
      );
      const diagnosis = await run({ maxSpendUsd });
      expect(possibleUsd(diagnosis)).toBeGreaterThanOrEqual(invoicedUsd(mock));
      expect(invoicedUsd(mock)).toBeLessThanOrEqual(maxSpendUsd);
    }
  });
});
