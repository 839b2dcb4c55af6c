import { ConfigurationError, ConnectionError } from 'polygate';
import { expect, test } from 'vitest';

import { KeyCharges } from '../../src/internal.ts';
import { isUncharged, verdictOfError } from '../../src/paid/failed-call.ts';

const charge = { money: 'charged', usd: 0.2, replay: false } as const;
const replay = { ...charge, replay: true };
const counted = { fromReplay: false };

test.each([
  ['a charge', undefined, charge, true, 0.2],
  ['a replay of a request whose response was lost', undefined, replay, true, 0.2],
  ['a replay of a charge that counts already', counted, replay, true, 0],
  // The service has charged the key again.
  ['a charge of a key that counts already', counted, charge, true, 0.2],
  // Another request or another program has paid for it.
  ['a replay of a request of another row', undefined, replay, false, 0],
  ['a charge of a row that was never sent before', undefined, charge, false, 0.2],
])('%s: after %j, %j counts, of its own row: %s, as %d USD', (_, known, verdict, isOwn, usd) => {
  const charges = new KeyCharges(known);
  expect(charges.covers(verdict, isOwn)).toBe(usd === 0);
  expect(charges.add(verdict, false, isOwn)).toBe(usd > 0);
  expect(charges).toMatchObject({ usd, largestUsd: 0.2 });
});

test.each([
  ['each of two attempts', [[charge], [{ ...charge, usd: 0.1 }]], 0.3, false],
  ['a response and its replays', [[charge], [replay], [replay]], 0.2, true],
  [
    'a replay and the response that it has repeated, which is late',
    [[replay], [charge, true]],
    0.2,
    true,
  ],
  ['a replay and an attempt after it', [[replay], [charge]], 0.4, false],
] as const)('the charges of %s', (_, responses, usd, isFree) => {
  const charges = new KeyCharges();
  for (const [verdict, isLate = false] of responses) charges.add(verdict, isLate);
  expect(charges).toMatchObject({ usd, largestUsd: 0.2, isFree });
});

test.each([
  [new ConnectionError('x', { outcome: 'not-sent' }), true],
  [new ConnectionError('x', { outcome: 'rejected' }), true],
  [new ConnectionError('x', { outcome: 'unknown' }), false],
  [new ConnectionError('x'), false],
  [new ConfigurationError('x'), true],
  [new ConfigurationError('x', { outcome: 'unknown' }), false],
  [new TypeError('fetch failed'), false],
  [undefined, false],
])('%j proves that nothing was charged: %s', (error, expected) => {
  expect(isUncharged(error)).toBe(expected);
});

test.each([
  [{ outcome: 'rejected' }, 'void'],
  [{ outcome: 'unknown' }, 'unknown'],
  // The requests to different models share the key but not the body.
  [{ outcome: 'rejected', attempts: [{}] }, 'none'],
  [{ outcome: 'unknown', attempts: [{}, {}] }, 'unknown'],
])('an invalid request with %j says about its key: %s', (error, money) => {
  const verdict = { money: 'void', replay: false };
  expect(verdictOfError({ ...error, verdict }).money).toBe(money);
});
