import { describe, expect, test } from 'vitest';

import { parseResponseMeta } from '../../src/client/http/response-meta.ts';
import { isVoid, verdictOfError } from '../../src/paid/failed-call.ts';
import type { ErrorReason } from '../../src/paid/reason.ts';
import { combineOutcomes, outcomeOf, verdictOf } from '../../src/paid/verdict.ts';
import type { ErrorContent, Outcome, Verdict } from '../../src/paid/verdict.ts';
import { errorCodes } from '../../src/wire/codes.ts';

/** The metadata of a response, as it is read from its headers. */
function metaOf(status: number, charges: readonly string[] = [], isReplay = false) {
  const headers = new Headers(isReplay ? { 'x-svc-idempotent-replay': 'true' } : {});
  for (const charge of charges) headers.append('x-svc-charge-usd', charge);
  const response = new Response(null, { headers });
  Object.defineProperty(response, 'status', { value: status });
  const names = { headerPrefix: 'x-svc-', requestIdHeader: 'x-request-id' };
  return parseResponseMeta(response, names);
}

/** The body of an error, as the client passes it on. */
const envelope = (code?: string): ErrorContent => ({
  code,
  body: { error: { message: 'x', code } },
});
const html: ErrorContent = { body: '<html><h1>Not found</h1></html>' };
const flat = (code: string): ErrorContent => ({ code, body: { code, message: 'x' } });
const lost: ErrorContent = { body: undefined };
const cutOff: ErrorContent = { body: '{"error":{"code":"invalid_idem' };

type Row = [what: string, verdict: Verdict, expected: Partial<Verdict> & { usd?: number }];

const success = (charges: string[], isReplay = false) => verdictOf(metaOf(200, charges, isReplay));
const failure = (status: number, content: ErrorContent, charges: string[] = []) =>
  verdictOf(metaOf(status, charges), content);

describe('the verdict about', () => {
  test.each<Row>([
    ['a success with a charge', success(['0.2']), { money: 'charged', usd: 0.2 }],
    ['a success with a charge of 0', success(['0']), { money: 'charged', usd: 0 }],
    ['a success without a charge', success([]), { money: 'accepted' }],
    ['a negative charge', success(['-1']), { money: 'accepted' }],
    ['a charge that is no number', success(['free']), { money: 'accepted' }],
    ['an infinite charge', success(['Infinity']), { money: 'accepted' }],
    ['one charge that arrives twice', success(['0.2', '0.2']), { money: 'charged', usd: 0.2 }],
    ['two different charges', success(['0.2', '0.3']), { money: 'charged', usd: 0.3 }],
    [
      'a replay with a charge',
      success(['0.2'], true),
      { money: 'charged', usd: 0.2, replay: true },
    ],
    ['a replay with a charge of 0', success(['0'], true), { money: 'accepted', replay: true }],
    ['a replay without a charge', success([], true), { money: 'accepted', replay: true }],
  ])('%s', (_, verdict, expected) => {
    expect(verdict).toMatchObject({ replay: false, ...expected });
    expect('usd' in verdict ? verdict.usd : undefined).toBe(expected.usd);
  });

  test.each([0, 303, 408, 500, 501, 502, 504, 520])(
    'the status %i: it may be charged',
    (status) => {
      for (const content of [envelope(), html, lost]) {
        expect(failure(status, content)).toMatchObject({ money: 'unknown' });
      }
    },
  );

  test.each([301, 302, 307, 308, 401, 402, 403, 405, 410, 413, 415, 429])(
    'the status %i: nothing was charged now',
    (status) => {
      for (const content of [envelope(), html, lost, envelope('invalid_idempotency_key')]) {
        expect(failure(status, content)).toMatchObject({ money: 'none' });
      }
    },
  );

  test.each([409, 503])('the status %i, which only its body explains', (status) => {
    expect(failure(status, envelope('any'))).toMatchObject({ money: 'none' });
    expect(failure(status, html)).toMatchObject({ money: 'none' });
    expect(failure(status, lost)).toMatchObject({ money: 'unknown' });
    expect(failure(status, cutOff)).toMatchObject({ money: 'unknown' });
  });

  test.each([400, 402, 404, 409, 429, 500, 503])('the status %i with a charge', (status) => {
    for (const content of [envelope(), html, lost, envelope('invalid_idempotency_key')]) {
      expect(failure(status, content, ['0.02'])).toMatchObject({ money: 'charged', usd: 0.02 });
    }
  });

  test.each(['attempt_repeated', 'material_create_outcome_uncertain', 'x_outcome_uncertain'])(
    'the code %s, which leaves the outcome open',
    (code) => {
      for (const status of [400, 404, 409, 503]) {
        expect(failure(status, envelope(code))).toMatchObject({ money: 'unknown' });
      }
    },
  );

  test.each([400, 422])('the status %i with a code that says the request is invalid', (status) => {
    const code = 'invalid_idempotency_key';
    expect(failure(status, envelope(code))).toMatchObject({ money: 'void' });
    // Another server may word it like this.
    expect(failure(status, flat(code))).toMatchObject({ money: 'none' });
    expect(failure(status, { code, body: code })).toMatchObject({ money: 'none' });
    expect(failure(status, cutOff)).toMatchObject({ money: 'none' });
  });

  test.each([400, 404, 422])('the status %i in any other shape', (status) => {
    for (const content of [envelope(), envelope('unheard_of'), html, flat('bad'), lost, cutOff]) {
      expect(failure(status, content)).toMatchObject({ money: 'none' });
    }
    const others = Object.keys(errorCodes).filter((code) => code !== 'invalid_idempotency_key');
    const voided = others.filter((code) => failure(status, envelope(code)).money === 'void');
    expect(voided).toEqual([]);
  });
});

test.each<[money: Verdict['money'], outcome: Outcome]>([
  ['charged', 'unknown'],
  ['accepted', 'unknown'],
  ['unknown', 'unknown'],
  ['none', 'rejected'],
  ['void', 'rejected'],
])('an error whose money is %s has the outcome %s', (money, outcome) => {
  expect(outcomeOf({ money })).toBe(outcome);
});

test.each<[status: number, code: string | undefined, reason: ErrorReason | undefined]>([
  [200, undefined, undefined],
  [0, undefined, 'base-url'],
  [302, undefined, 'base-url'],
  [400, 'any', 'invalid'],
  [401, 'invalid_api_key', 'api-key'],
  [402, 'insufficient_balance', 'balance'],
  [403, 'api_key_disabled', 'forbidden'],
  [404, 'model_not_found', 'not-found'],
  [405, undefined, 'rejected'],
  [408, undefined, 'timeout'],
  [409, 'idempotency_conflict', 'conflict'],
  [422, undefined, 'invalid'],
  [429, undefined, 'rate-limit'],
  [429, 'concurrency_limit_exceeded', 'slot'],
  [500, undefined, 'service'],
  [503, undefined, 'unavailable'],
])('the reason of %i %s is %s', (status, code, reason) => {
  expect(verdictOf(metaOf(status), { code, body: {} }).reason).toBe(reason);
});

test.each<[what: string, money: 'void' | 'none', details: object, isVoided: boolean]>([
  ['invalidates all requests of its key', 'void', { outcome: 'rejected' }, true],
  ['follows a lost attempt', 'void', { outcome: 'unknown' }, false],
  ['follows a request to another model', 'void', { outcome: 'rejected', attempts: [] }, false],
  ['is about one request', 'none', { outcome: 'rejected' }, false],
])('an error that %s', (_, money, details, isVoided) => {
  const error = { ...details, verdict: { money, replay: false } };
  expect(isVoid(error)).toBe(isVoided);
  expect(verdictOfError(error).money === 'void').toBe(isVoided);
});

describe('combineOutcomes', () => {
  const table: readonly (readonly [Outcome, Outcome, Outcome])[] = [
    ['not-sent', 'not-sent', 'not-sent'],
    ['not-sent', 'rejected', 'rejected'],
    ['not-sent', 'unknown', 'unknown'],
    ['rejected', 'not-sent', 'rejected'],
    ['rejected', 'rejected', 'rejected'],
    ['rejected', 'unknown', 'unknown'],
    ['unknown', 'not-sent', 'unknown'],
    ['unknown', 'rejected', 'unknown'],
    ['unknown', 'unknown', 'unknown'],
  ];

  test.each(table)('of %s and %s is %s', (previous, last, combined) => {
    expect(combineOutcomes(previous, last)).toBe(combined);
  });
});
