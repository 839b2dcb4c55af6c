import { describe, expect, test } from 'vitest';

import { attributeCharges } from '../../playground/lab/charges.ts';
import { chargeOf, groupAttempts, isFailure, recoveryOf } from '../../playground/shared/calls.ts';
import type { Call } from '../../playground/shared/calls.ts';
import type { Attempt, InvoiceLine } from '../../playground/shared/lab.ts';

const attempt = (number: number, changes: Partial<Attempt>): Attempt => ({
  number,
  at: number,
  method: 'POST',
  path: '/v1/images/tasks',
  state: 'completed',
  replay: false,
  ...changes,
});

const line = (at: number, changes: Partial<InvoiceLine>): InvoiceLine => ({
  at,
  usd: 0.04,
  model: 'prism-image',
  route: 'POST /v1/images/tasks',
  requestId: 'x',
  kind: 'charge',
  ...changes,
});

const numbersOf = ({ attempts, polls }: Call) => ({
  attempts: attempts.map(({ number }) => number),
  polls: polls.map(({ number }) => number),
});

const poll = { method: 'GET', path: '/v1/images/tasks/task_a', resourceId: 'task_a' };

describe('the flight recorder', () => {
  test('groups attempts by key, and polls with the call that created the task', () => {
    const calls = groupAttempts([
      attempt(1, { key: 'a', state: 'lost' }),
      attempt(2, { key: 'b', resourceId: 'task_b', status: 202 }),
      attempt(3, { key: 'a', resourceId: 'task_a', status: 202, replay: true }),
      attempt(4, { ...poll, status: 500 }),
      attempt(5, { ...poll, status: 200 }),
    ]);
    expect(calls.map(({ id }) => id)).toEqual(['b', 'a']);
    expect(calls.map(numbersOf)).toEqual([
      { attempts: [2], polls: [] },
      { attempts: [1, 3], polls: [4, 5] },
    ]);
  });

  test('groups retries of a chat, which has no key, by request id', () => {
    const path = '/v1/chat/completions';
    const calls = groupAttempts([
      attempt(1, { path, requestId: 'x', status: 503 }),
      attempt(2, { path, requestId: 'x', status: 200 }),
      attempt(3, { path, status: 200 }),
    ]);
    expect(calls.map(({ attempts }) => attempts.length)).toEqual([1, 2]);
  });

  test('a deletion is a call of its own, and a read is a call only if it fails', () => {
    const calls = groupAttempts([
      attempt(1, { path: '/v1/materials', resourceId: 'mat_a', status: 202 }),
      attempt(2, { method: 'DELETE', path: '/v1/materials/mat_a', resourceId: 'mat_a' }),
      attempt(3, { method: 'GET', path: '/v1/account', status: 200 }),
      attempt(4, { method: 'GET', path: '/v1/account', status: 401 }),
      attempt(5, { ...poll, status: 200 }),
      attempt(6, { ...poll, status: 404 }),
    ]);
    expect(calls.map(numbersOf)).toEqual([
      { attempts: [6], polls: [] },
      { attempts: [4], polls: [] },
      { attempts: [2], polls: [] },
      { attempts: [1], polls: [] },
    ]);
  });

  test('an attempt whose response was lost is charged, and the one that recovered it is not', () => {
    const attempts = [
      attempt(10, { key: 'a', state: 'lost' }),
      attempt(20, { key: 'a', status: 202, reportedUsd: 0.04, replay: true }),
      attempt(30, { key: 'b', status: 402 }),
    ];
    const invoice = [line(11, { key: 'a' })];
    const charged = attributeCharges(attempts, invoice);
    expect(charged.map(({ chargedUsd }) => chargedUsd)).toEqual([0.04, undefined, undefined]);
    const [refused, recovered] = groupAttempts(charged);
    expect([refused && chargeOf(refused), recovered && chargeOf(recovered)]).toEqual([
      undefined,
      0.04,
    ]);
    const { from, by } = (recovered && recoveryOf(recovered)) ?? {};
    expect([from?.number, by?.number]).toEqual([10, 20]);
  });

  test('a charge belongs to the retry that the gateway accepted, not to the attempt that it refused', () => {
    const charged = attributeCharges(
      [
        attempt(10, { key: 'a', status: 503 }),
        attempt(20, { key: 'a', status: 202 }),
        attempt(30, { key: 'a', status: 202, replay: true }),
      ],
      [line(21, { key: 'a' })],
    );
    expect(charged.map(({ chargedUsd }) => chargedUsd)).toEqual([undefined, 0.04, undefined]);
  });

  test('without an invoice, the charge in a replay belongs to the attempt whose response was lost', () => {
    const charged = attributeCharges(
      [
        attempt(1, { key: 'a', state: 'lost' }),
        attempt(2, { key: 'a', status: 202, reportedUsd: 0.04, replay: true }),
        attempt(3, { key: 'b', status: 202, reportedUsd: 0.02 }),
        attempt(4, { key: 'c', status: 202, reportedUsd: 0.03, replay: true }),
      ],
      undefined,
    );
    expect(charged.map(({ chargedUsd }) => chargedUsd)).toEqual([0.04, undefined, 0.02, undefined]);
  });

  test('charges without a key are found by request id, and refunds belong to their charge', () => {
    const chat = { path: '/v1/chat/completions' };
    const route = 'POST /v1/chat/completions';
    const charged = attributeCharges(
      [
        attempt(1, { ...chat, requestId: 'x', state: 'truncated', status: 200 }),
        attempt(2, { ...chat, requestId: 'y', status: 200 }),
        attempt(3, { key: 'a', status: 202 }),
      ],
      [
        line(1, { route, requestId: 'x', usd: 0.001 }),
        line(3, { key: 'a' }),
        line(9, { key: 'a', kind: 'refund', usd: -0.04 }),
      ],
    );
    expect(charged.map(({ chargedUsd, refundedUsd }) => [chargedUsd, refundedUsd])).toEqual([
      [0.001, undefined],
      [undefined, undefined],
      [0.04, 0.04],
    ]);
  });

  test.each([
    [{ status: 202 }, false],
    [{ status: 402 }, true],
    [{ state: 'lost' }, true],
    [{ state: 'truncated', status: 200 }, true],
    [{ state: 'aborted', status: 200 }, false],
    [{ state: 'pending' }, false],
  ] as const)('isFailure(%j) is %s', (changes, expected) => {
    expect(isFailure(attempt(1, changes))).toBe(expected);
  });
});
