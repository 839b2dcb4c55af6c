import { ConfigurationError, ConnectionError } from 'polygate';
import { expect, test } from 'vitest';

import { isUncharged, verdictOfError } from '../../src/paid/failed-call.ts';
import { countReplay } from '../../src/paid/life.ts';

const replay = { money: 'charged', usd: 0.2, replay: true } as const;
const original = { ...replay, replay: false };
const free = { ...replay, money: 'none' };

test.each([
  ['any', replay, {}, replay],
  // Its charge counts already.
  ['any', replay, { isCounted: true }, free],
  ['any', original, { isCounted: true }, original],
  ['own', replay, { isOwn: true }, replay],
  ['own', replay, { isOwn: true, isCounted: true }, free],
  // Another request or another program has paid for it.
  ['own', replay, { isOwn: false }, free],
  ['own', original, { isOwn: false }, original],
] as const)('by the policy %s, %j with %j counts as %j', (policy, verdict, known, counted) => {
  expect(countReplay(verdict, policy, known)).toEqual(counted);
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
