import { describe, expect, test } from 'vitest';

import type { Attempt } from '../../playground/shared/lab.ts';
import { groupAttempts, isTrouble } from '../../playground/src/state/group-attempts.ts';

const attempt = (number: number, changes: Partial<Attempt>): Attempt => ({
  number,
  at: number,
  method: 'POST',
  path: '/v1/images/tasks',
  state: 'answered',
  replay: false,
  ...changes,
});

describe('what the flight recorder shows', () => {
  test('attempts with one key are one call, and polls are counted with the task that they ask about', () => {
    const calls = groupAttempts([
      attempt(1, { key: 'a', state: 'lost' }),
      attempt(2, { key: 'b', thing: 'task_b', status: 202, chargeUsd: 0.02 }),
      attempt(3, { key: 'a', thing: 'task_a', status: 202, chargeUsd: 0.04, replay: true }),
      attempt(4, { method: 'GET', thing: 'task_a', status: 500 }),
      attempt(5, { method: 'GET', thing: 'task_a', status: 200 }),
      attempt(6, { method: 'GET', status: 200 }),
    ]);
    const shown = calls.map(({ id, attempts, polls, lostPolls, usd }) => ({
      id,
      attempts: attempts.map(({ number }) => number),
      polls,
      lostPolls,
      usd,
    }));
    expect(shown).toEqual([
      { id: 'b', attempts: [2], polls: 0, lostPolls: 0, usd: 0.02 },
      { id: 'a', attempts: [1, 3], polls: 2, lostPolls: 1, usd: 0.04 },
    ]);
  });

  test('retries of a chat, which has no key, are told by the request id', () => {
    const path = '/v1/chat/completions';
    const calls = groupAttempts([
      attempt(1, { path, call: 'x', status: 503 }),
      attempt(2, { path, call: 'x', status: 200 }),
      attempt(3, { path, status: 200 }),
    ]);
    expect(calls.map(({ attempts }) => attempts.length)).toEqual([1, 2]);
  });

  test.each([
    [{ status: 202 }, false],
    [{ status: 402 }, true],
    [{ state: 'lost' }, true],
    [{ state: 'cut', status: 200 }, true],
    [{ state: 'left', status: 200 }, false],
    [{ state: 'waiting' }, false],
  ] as const)('%j is trouble: %s', (changes, trouble) => {
    expect(isTrouble(attempt(1, changes))).toBe(trouble);
  });
});
