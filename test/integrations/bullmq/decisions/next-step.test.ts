import { describe, expect, test } from 'vitest';

import { nextStepOf } from '../../../../src/integrations/bullmq/decisions/step.ts';

const receipt = { v: 1, kind: 'image', id: 'task_1' } as const;

describe('the next step of a row', () => {
  test.each([
    ['image', 'waiting', 'submit'],
    // The key protects it from a second charge.
    ['image', 'submitting', 'submit'],
    ['image', 'running', 'poll'],
    ['image', 'succeeded', 'end'],
    ['image', 'failed', 'end'],
    ['image', 'unknown', 'end'],
    ['chat', 'waiting', 'submit'],
    ['chat', 'submitting', 'record-lost-chat'],
    ['chat', 'succeeded', 'end'],
    ['chat', 'unknown', 'end'],
  ] as const)('of kind %s that is %s is: %s', (kind, status, next) => {
    const state = { receipt };
    const row = {
      jobId: 'j',
      data: { id: 'r', kind, path: '/', params: { model: 'm' }, hash: 'h', key: 'k' },
      status,
      state,
      key: 'k',
      turn: '1',
      addedAt: '1',
    };
    expect(nextStepOf(row)).toMatchObject({ kind: next });
  });
});
