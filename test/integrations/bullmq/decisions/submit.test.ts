import { BadRequestError, ConfigurationError, TaskFailedError } from 'polygate';
import type { SucceededGeneration } from 'polygate';
import { describe, expect, test } from 'vitest';

import { createError } from '../../../../src/errors/message.ts';
import { afterFailedSubmit } from '../../../../src/integrations/bullmq/decisions/plan.ts';
import {
  accepted,
  charged,
  undecided,
  unpaid,
} from '../../../../src/integrations/bullmq/decisions/settlement.ts';
import type { Settlement } from '../../../../src/integrations/bullmq/decisions/settlement.ts';
import { after } from '../../../../src/integrations/bullmq/decisions/step.ts';
import { afterAccepted } from '../../../../src/integrations/bullmq/decisions/task-plan.ts';
import type { RowState } from '../../../../src/integrations/bullmq/row.ts';
import { verdictOfTask } from '../../../../src/paid/life.ts';
import {
  meta,
  rejected,
  unknown,
  badRequest,
  serverError,
  notImplemented,
  unavailableModel,
  invalidResponse,
  notSent,
  reset,
  payment,
  authentication,
  budget,
  noSlot,
  queuedTooLong,
  rateLimit,
} from './errors.ts';

const receipt = { v: 1, kind: 'image', id: 'task_1' } as const;

describe('an accepted submission', () => {
  const replay = verdictOfTask({ chargeUsd: undefined, replayed: true });
  const timing = { now: 1_000, maxRetryDelay: 60_000, random: () => 0 };
  const submission = {
    state: { failures: 2, mayBeCharged: true },
    key: 'k',
    receipt,
    waitTimeout: 5_000,
    verdict: verdictOfTask({ chargeUsd: undefined, replayed: false }),
  };

  test.each([
    { change: {}, settlement: { ...accepted, taskId: 'task_1' } },
    {
      change: { verdict: verdictOfTask({ chargeUsd: 0.2, replayed: false }) },
      settlement: charged(0.2, 'task_1'),
    },
    { change: { verdict: { ...replay, money: 'none' as const } }, settlement: unpaid },
    { change: { verdict: replay }, settlement: { ...accepted, taskId: 'task_1' } },
  ])('with $change settles $settlement', ({ change, settlement }) => {
    const { move } = afterAccepted({ ...submission, ...change }, {}, timing);
    expect(move).toMatchObject({ from: 'submitting', to: 'running', settlement });
    expect(move.state).toMatchObject({ receipt, deadline: 6_000 });
  });

  test('whose task has ended already ends the row', () => {
    const generation = { status: 'succeeded' } as SucceededGeneration;
    const error = new TaskFailedError('failed', { outcome: 'unknown' } as never);
    expect(afterAccepted(submission, { generation }, timing).move.to).toBe('succeeded');
    expect(afterAccepted(submission, { error }, timing).move.to).toBe('failed');
  });
});

describe('a failed submission', () => {
  const timing = { maxRetryDelay: 70_000 };
  const request = { id: 'r', kind: 'image', path: '/', params: { model: 'm' } } as const;
  const data = { ...request, hash: 'h', key: 'k' };
  const rowOf = (state: RowState) => ({ data, status: 'waiting', state, key: 'k' }) as const;
  const cases: {
    error: Error;
    failures?: number;
    mayBeCharged?: boolean;
    to: string;
    settlement: Settlement;
    delayMs?: number;
    pause?: string;
    counted?: boolean;
  }[] = [
    { error: badRequest, to: 'failed', settlement: unpaid, counted: true },
    { error: badRequest, mayBeCharged: true, to: 'unknown', settlement: undecided, counted: true },
    { error: new ConfigurationError('x'), to: 'failed', settlement: unpaid, counted: true },
    {
      error: new ConfigurationError('x', unknown),
      to: 'unknown',
      settlement: undecided,
      counted: true,
    },
    { error: new Error('a bug'), to: 'unknown', settlement: undecided, counted: true },
    { error: notSent, to: 'waiting', settlement: unpaid, delayMs: 5_000, counted: true },
    {
      error: notSent,
      failures: 3,
      to: 'waiting',
      settlement: unpaid,
      delayMs: 40_000,
      counted: true,
    },
    { error: notSent, failures: 4, to: 'failed', settlement: unpaid, counted: true },
    { error: reset, to: 'waiting', settlement: undecided, delayMs: 5_000, counted: true },
    { error: reset, failures: 4, to: 'unknown', settlement: undecided, counted: true },
    {
      error: notSent,
      failures: 4,
      mayBeCharged: true,
      to: 'unknown',
      settlement: undecided,
      counted: true,
    },
    {
      error: serverError,
      failures: 1,
      to: 'waiting',
      settlement: undecided,
      delayMs: 10_000,
      counted: true,
    },
    // The client calls these final: no submission under the same key can succeed.
    { error: notImplemented, to: 'unknown', settlement: undecided, counted: true },
    { error: unavailableModel, to: 'failed', settlement: unpaid, counted: true },
    { error: invalidResponse, to: 'unknown', settlement: undecided, counted: true },
    { error: rateLimit, to: 'waiting', settlement: unpaid, delayMs: 70_000, counted: true },
    { error: noSlot, failures: 4, to: 'waiting', settlement: unpaid, delayMs: 4_000 },
    { error: queuedTooLong, failures: 4, to: 'waiting', settlement: unpaid, delayMs: 4_000 },
    { error: payment, failures: 4, to: 'waiting', settlement: unpaid, pause: 'balance' },
    { error: payment, mayBeCharged: true, to: 'waiting', settlement: undecided, pause: 'balance' },
    {
      error: authentication,
      failures: 4,
      to: 'waiting',
      settlement: unpaid,
      pause: 'authentication',
    },
    { error: budget, failures: 4, to: 'waiting', settlement: unpaid, pause: 'budget' },
  ];

  test.each(cases)('$error.name after $failures failures leads to $to', (row) => {
    const { error, failures, mayBeCharged = false, to, settlement, delayMs, pause, counted } = row;
    const step = afterFailedSubmit(
      rowOf({ failures, mayBeCharged }),
      error,
      { attempts: 5 },
      timing,
    );
    expect(step.move).toMatchObject({ from: 'submitting', to, settlement });
    const waits = pause ? { kind: 'when-resumed' } : { kind: 'delay', delayMs };
    expect(step.next).toEqual(to === 'waiting' ? waits : { kind: 'end' });
    expect(step.move.pause).toBe(pause);
    expect(step.move.state.failures).toBe(counted ? (failures ?? 0) + 1 : failures);
    expect(step.move.state.mayBeCharged).toBe(settlement === undecided);
  });

  test('after one that may have been charged has an error that says so', () => {
    const error = createError(
      BadRequestError,
      { summary: '400: bad.', charge: 'Nothing was charged.', request: 'POST /v1/images/tasks' },
      { meta: meta(400), code: 'invalid', ...rejected },
    );
    const { message } = error;
    const first = afterFailedSubmit(rowOf({}), error, { attempts: 5 }, timing);
    expect(first.move.state.error).toMatchObject({ message, outcome: 'rejected' });
    const later = afterFailedSubmit(rowOf({ mayBeCharged: true }), error, { attempts: 5 }, timing);
    expect(later.move.state.error).toMatchObject({
      name: 'BadRequestError',
      code: 'invalid',
      outcome: 'unknown',
      message: expect.stringMatching(
        /^400: bad\. This request was not charged, but an earlier one/,
      ),
    });
  });

  test('the delay is limited to a minute', () => {
    expect(
      afterFailedSubmit(rowOf({ failures: 20 }), notSent, { attempts: 100 }, timing).next,
    ).toEqual(after(60_000));
  });
});
