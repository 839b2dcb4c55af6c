/** What is known about the charge of a request, as far as its response or its error shows. */
import { APIError, ConfigurationError, PolygateError, ResponseValidationError } from 'polygate';
import type { ResponseMeta } from 'polygate';
import { expect, test } from 'vitest';

import { emptyMeta } from '../../../src/client/http/response-meta.ts';
import { chargeOfFailure, chargeOfResult } from '../../../src/tools/doctor/spending.ts';

const metaOf = (status: number, charge?: number, idempotentReplay = false): ResponseMeta => ({
  ...emptyMeta(status),
  idempotentReplay,
  ...(charge !== undefined && { chargeUsd: charge }),
});

test.each([
  [0.1, false, 'charged'],
  [0, false, 'accepted'],
  [undefined, false, 'accepted'],
  [0.1, true, 'none'],
  [0, true, 'none'],
  [undefined, true, 'none'],
])('a result with the charge %j (a replay: %j) is %s', (chargeUsd, isReplay, kind) => {
  expect(chargeOfResult(metaOf(200, chargeUsd), { isReplay }).money).toBe(kind);
});

const failed = (
  status: number,
  outcome: 'unknown' | 'rejected',
  chargeUsd?: number,
  isMarked?: boolean,
) => new APIError('failed', { meta: metaOf(status, chargeUsd, isMarked), outcome });

const unreadable = (chargeUsd?: number, isMarked?: boolean) =>
  new ResponseValidationError('invalid', { body: '', meta: metaOf(200, chargeUsd, isMarked) });

test.each([
  ['a rejection', failed(400, 'rejected'), 'none'],
  ['a rejection that reports a charge of 0', failed(400, 'rejected', 0), 'none'],
  ['a rejection that reports a charge', failed(404, 'unknown', 0.1), 'charged'],
  ['an unknown outcome', failed(500, 'unknown'), 'unknown'],
  ['an unknown outcome that reports a charge of 0', failed(500, 'unknown', 0), 'unknown'],
  ['an unknown outcome that reports a charge', failed(500, 'unknown', 0.1), 'charged'],
  ['a 409 that may be that of a proxy', failed(409, 'unknown'), 'unknown'],
  ['an overload', failed(503, 'rejected'), 'none'],
  ['an overload whose response was not read', failed(503, 'unknown'), 'unknown'],
  ['a rate limit', failed(429, 'rejected'), 'none'],
  ['a result that cannot be read', unreadable(0.1), 'charged'],
  ['one that reports a charge of 0', unreadable(0), 'unknown'],
  ['one that reports no charge', unreadable(), 'accepted'],
  ['invalid params, which are found before anything is sent', new ConfigurationError('no'), 'none'],
  ['an error of the client without an outcome', new PolygateError('lost'), 'unknown'],
  ['an error that is not of the client', new Error('lost'), 'unknown'],
])('%s is %s', (_, error, kind) => {
  expect(chargeOfFailure(error).money).toBe(kind);
});

test('only a request whose key was used before can be a replay, which is not proven if its result cannot be read', () => {
  const marked = unreadable(0.1, true);
  expect(chargeOfFailure(marked).money).toBe('charged');
  expect(chargeOfFailure(marked, { reusesKey: true }).money).toBe('unknown');
  expect(chargeOfFailure(unreadable(undefined, true), { reusesKey: true }).money).toBe('unknown');
});

test('headers that arrived before an error count', () => {
  const error = new Error('cut off');
  expect(chargeOfFailure(error, { meta: metaOf(200, 0.1) })).toEqual({
    money: 'charged',
    usd: 0.1,
  });
  expect(chargeOfFailure(error, { meta: metaOf(200, 0) })).toEqual({ money: 'unknown' });
});
