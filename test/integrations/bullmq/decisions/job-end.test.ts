import { describe, expect, test } from 'vitest';

import {
  after,
  end,
  jobEndAfter,
  jobEndAfterRefusal,
  jobEndOf,
  pauseTime,
  slotPause,
  whenResumed,
} from '../../../../src/integrations/bullmq/decisions/step.ts';

const receipt = { v: 1, kind: 'image', id: 'task_1' } as const;

describe('the job of a row', () => {
  const state = { receipt, error: { name: 'E', message: 'why' } };

  test.each([
    [
      { status: 'succeeded', state },
      { kind: 'complete', taskId: 'task_1' },
    ],
    [
      { status: 'failed', state },
      { kind: 'fail', reason: 'why' },
    ],
    [
      { status: 'unknown', state: {} },
      { kind: 'fail', reason: 'unknown' },
    ],
  ] as const)('that has ended: %j ends as %j', (row, jobEnd) => {
    expect(jobEndOf(row.status, row.state)).toEqual(jobEnd);
  });

  test.each([
    ['full', slotPause],
    ['changed', slotPause],
    ['paused', pauseTime],
    ['exceeded', pauseTime],
  ] as const)('that may not submit (%s) returns for %s ms', (reason, pauseMs) => {
    expect(jobEndAfterRefusal(reason)).toEqual({ kind: 'return', pauseMs });
  });

  test.each([
    ['succeeded', end, { kind: 'complete', taskId: 'task_1' }],
    ['unknown', end, { kind: 'fail', reason: 'why' }],
    ['running', after(700), { kind: 'delay', delayMs: 700, priority: 0 }],
    ['running', after(0), { kind: 'delay', delayMs: 0, priority: 0 }],
    ['waiting', after(900), { kind: 'delay', delayMs: 900, priority: 2 }],
    // It may not continue while the queue is paused.
    ['waiting', whenResumed, { kind: 'return', pauseMs: pauseTime }],
  ] as const)('that has become %s with the next step %j ends its job as %j', (to, next, jobEnd) => {
    expect(jobEndAfter({ move: { from: 'submitting', to, state }, next })).toEqual(jobEnd);
  });
});
