import { expect, test } from 'vitest';

import { afterClose } from '../../../../src/integrations/bullmq/decisions/plan.ts';
import { undecided, unpaid } from '../../../../src/integrations/bullmq/decisions/settlement.ts';

const version = { jobId: 'row-a', turn: '1', addedAt: '1', key: 'k' };
const request = { id: 'a', path: '/v1/x', params: { model: 'm' }, hash: 'h', key: 'k' };

test.each([
  ['image', false, unpaid],
  ['image', true, undecided],
  ['chat', false, unpaid],
  // What it may have cost was spent when it was retried.
  ['chat', true, unpaid],
] as const)(
  'a row (%s, may be charged: %s) that was admitted after its worker was closed waits',
  (kind, mayBeCharged, settlement) => {
    const state = { mayBeCharged };
    const row = { ...version, status: 'waiting', state, data: { ...request, kind } } as const;
    const { move, next } = afterClose(row);
    expect(next).toEqual({ kind: 'delay', delayMs: 0 });
    expect(move).toMatchObject({ from: 'submitting', to: 'waiting', settlement });
    expect(move.state.mayBeCharged).toBe(mayBeCharged);
    expect(move.state.error).toMatchObject({
      name: 'AbortedError',
      // Of all submissions under the key.
      outcome: mayBeCharged ? 'unknown' : 'not-sent',
    });
    expect(move.state.error?.idempotencyKey).toBe(kind === 'chat' ? undefined : 'k');
  },
);
