import { describe, expect, test } from 'vitest';

import { nextOf } from '../../../../src/integrations/bullmq/decisions/plan.ts';

const receipt = { v: 1, kind: 'image', id: 'task_1' } as const;

describe('the next step of a row', () => {
  test.each([
    ['image', 'waiting', {}, 'send'],
    ['image', 'waiting', { mayBeCharged: true }, 'resend'],
    // The key protects it from a second charge.
    ['image', 'submitting', {}, 'resend'],
    ['image', 'running', { receipt }, 'wait'],
    ['image', 'unknown', { receipt }, 'wait'],
    ['image', 'unknown', { mayBeCharged: true }, 'resend'],
    ['image', 'failed', {}, 'send'],
    ['image', 'failed', { receipt }, 'send'],
    ['chat', 'waiting', {}, 'send'],
    ['chat', 'submitting', {}, 'chat_lost'],
    ['chat', 'submitting', { mayBeCharged: true }, 'chat_lost'],
    // Its caller has retried it.
    ['chat', 'waiting', { mayBeCharged: true }, 'send'],
    ['chat', 'unknown', { mayBeCharged: true }, 'send'],
  ] as const)('of kind %s that is %s with %j is: %s', (kind, status, state, step) => {
    const data = { id: 'r', kind, path: '/', params: { model: 'm' }, hash: 'h', key: 'k' };
    expect(nextOf({ data, status, state, key: 'k' })).toBe(step);
  });
});
