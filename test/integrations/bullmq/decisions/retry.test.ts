import { describe, expect, test } from 'vitest';

import { afterRetry, needsNewKey } from '../../../../src/integrations/bullmq/decisions/plan.ts';
import { accepted } from '../../../../src/integrations/bullmq/decisions/settlement.ts';
import type { RowState } from '../../../../src/integrations/bullmq/row.ts';

const receipt = { v: 1, kind: 'image', id: 'task_1' } as const;
const dataOf = (kind: 'image' | 'chat') => ({
  id: 'r',
  kind,
  path: '/',
  params: { model: 'm' },
  hash: 'h',
  key: 'k',
});

describe('a retry', () => {
  const rowOf = (status: 'failed' | 'unknown', state: RowState) => ({
    data: dataOf('image'),
    status,
    state,
    key: 'k',
  });
  const state: RowState = {
    receipt,
    key: 'second',
    mayBeCharged: true,
    failures: 5,
    interval: 9e3,
  };

  test('sends a failed row again under its key', () => {
    const next = afterRetry(rowOf('failed', state), undefined, 0, 1_000);
    expect(next).toEqual({ to: 'waiting', state: { key: 'second', mayBeCharged: true } });
  });

  test('continues the wait for an unknown row with a receipt', () => {
    const next = afterRetry(rowOf('unknown', state), undefined, 500, 1_000);
    expect(next).toMatchObject({ to: 'running', state: { receipt, deadline: 1_500 } });
    expect(next.settlement).toBeUndefined();
  });

  test('sends an unknown row without a receipt again under its key', () => {
    const next = afterRetry(rowOf('unknown', { mayBeCharged: true }), undefined, 0, 1_000);
    expect(next).toEqual({ to: 'waiting', state: { mayBeCharged: true } });
  });

  test('anew, it starts over with a new key', () => {
    const { to, state: next, settlement } = afterRetry(rowOf('unknown', state), 'pg-2', 0, 1_000);
    expect([to, settlement, Object.keys(next)]).toEqual(['waiting', accepted, ['key']]);
    expect(next.key).toBe('pg-2');
  });

  test.each([
    ['image', false, false],
    ['image', true, true],
    ['chat', false, true],
    ['chat', true, true],
  ] as const)('of kind %s with anew: %s needs a new key: %s', (kind, isAnew, isNeeded) => {
    expect(needsNewKey(kind, isAnew)).toBe(isNeeded);
  });

  test.each([
    ['image', { key: 'new' }],
    // Its errors say that an earlier request may have been charged.
    ['chat', { key: 'new', mayBeCharged: true }],
  ] as const)('of kind %s with a new key starts over with %j', (kind, next) => {
    const row = {
      data: dataOf(kind),
      status: 'unknown',
      key: 'old',
      state: { key: 'old', mayBeCharged: true, failures: 3 },
    } as const;
    expect(afterRetry(row, 'new', 0, 1_000)).toEqual({
      to: 'waiting',
      state: next,
      settlement: accepted,
    });
  });
});
