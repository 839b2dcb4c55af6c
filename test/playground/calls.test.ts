import { describe, expect, test } from 'vitest';

import type { Attempt } from '../../playground/shared/lab.ts';
import { groupAttempts, isFailure } from '../../playground/src/state/group-attempts.ts';

const attempt = (number: number, changes: Partial<Attempt>): Attempt => ({
  number,
  at: number,
  method: 'POST',
  path: '/v1/images/tasks',
  state: 'completed',
  replay: false,
  ...changes,
});

describe('the request log', () => {
  test('groups attempts by key, and counts polls for the call that created the task', () => {
    const calls = groupAttempts([
      attempt(1, { key: 'a', state: 'lost' }),
      attempt(2, { key: 'b', resourceId: 'task_b', status: 202, chargeUsd: 0.02 }),
      attempt(3, { key: 'a', resourceId: 'task_a', status: 202, chargeUsd: 0.04, replay: true }),
      attempt(4, { method: 'GET', resourceId: 'task_a', status: 500 }),
      attempt(5, { method: 'GET', resourceId: 'task_a', status: 200 }),
      attempt(6, { method: 'GET', status: 200 }),
    ]);
    const summary = calls.map(({ id, attempts, polls, failedPolls, usd }) => ({
      id,
      attempts: attempts.map(({ number }) => number),
      polls,
      failedPolls,
      usd,
    }));
    expect(summary).toEqual([
      { id: 'b', attempts: [2], polls: 0, failedPolls: 0, usd: 0.02 },
      { id: 'a', attempts: [1, 3], polls: 2, failedPolls: 1, usd: 0.04 },
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
