import { TaskFailedError } from 'polygate';
import type { ChatCompletion, SucceededGeneration } from 'polygate';
import { describe, expect, test } from 'vitest';

import { afterChat, afterLostChat, lateStep } from '../../src/bullmq/decisions/chat.ts';
import {
  jobEndAfter,
  jobEndAfterRefusal,
  jobEndOf,
  pauseTime,
  slotPause,
} from '../../src/bullmq/decisions/job-end.ts';
import { nextStepOf } from '../../src/bullmq/decisions/next-step.ts';
import { after, end } from '../../src/bullmq/decisions/next-time.ts';
import { afterRetry, needsNewKey } from '../../src/bullmq/decisions/retry.ts';
import { keep, release, replaceBy, spend } from '../../src/bullmq/decisions/settlement.ts';
import { afterAccepted, afterFailedSubmit } from '../../src/bullmq/decisions/submit.ts';
import { badRequest, noSlot, notSent, reset } from './errors.ts';

const receipt = { v: 1, kind: 'image', id: 'task_1' } as const;
const dataOf = (kind: 'image' | 'chat') => ({
  id: 'r',
  kind,
  path: '/',
  params: { model: 'm' },
  hash: 'h',
  key: 'k',
});
const completion = { id: 'c', object: 'chat.completion' } as ChatCompletion;

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
      data: dataOf(kind),
      status,
      state,
      key: 'k',
      turn: '1',
      addedAt: '1',
    };
    expect(nextStepOf(row)).toMatchObject({ kind: next });
  });
});

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
    ['paused', pauseTime],
  ] as const)('that may not submit (%s) returns for %s ms', (reason, pauseMs) => {
    expect(jobEndAfterRefusal(reason)).toEqual({ kind: 'return', pauseMs });
  });

  test.each([
    ['succeeded', end, { kind: 'complete', taskId: 'task_1' }],
    ['unknown', end, { kind: 'fail', reason: 'why' }],
    ['running', after(700), { kind: 'delay', delayMs: 700, isPoll: true }],
    ['running', after(0), { kind: 'delay', delayMs: 0, isPoll: true }],
    ['waiting', after(900), { kind: 'delay', delayMs: 900, isPoll: false }],
    // It may not continue while the queue is paused.
    ['waiting', { kind: 'when-resumed' }, { kind: 'return', pauseMs: pauseTime }],
  ] as const)('that has become %s with the next step %j ends its job as %j', (to, next, jobEnd) => {
    expect(jobEndAfter({ move: { from: 'submitting', to, state }, next })).toEqual(jobEnd);
  });
});

describe('an accepted submission', () => {
  const timing = { now: 1_000, maxRetryDelay: 60_000, random: () => 0 };
  const submission = {
    state: { failures: 2, mayBeCharged: true },
    key: 'k',
    receipt,
    waitTimeout: 5_000,
    isReplayed: false,
    isReplayPaid: false,
  };

  test.each([
    { change: {}, settlement: { ...spend, taskId: 'task_1' } },
    { change: { receipt: { ...receipt, chargeUsd: 0.2 } }, settlement: replaceBy(0.2, 'task_1') },
    { change: { isReplayed: true }, settlement: release },
    {
      change: { isReplayed: true, isReplayPaid: true },
      settlement: { ...spend, taskId: 'task_1' },
    },
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

describe('a chat', () => {
  const attempt = { state: {}, key: 'k', attempts: 5, maxRetryDelay: 1_000, isChat: true };

  test.each([
    { chargeUsd: 0.1, replayed: false, settlement: replaceBy(0.1) },
    { chargeUsd: 0.1, replayed: true, settlement: replaceBy(0.1) },
    // What is reserved counts.
    { chargeUsd: undefined, replayed: false, settlement: spend },
    { chargeUsd: 0, replayed: true, settlement: spend },
  ])('with the charge $chargeUsd settles $settlement', ({ settlement, ...charge }) => {
    const { move } = afterChat({ error: { name: 'E', message: '' } }, completion, charge);
    expect(move).toMatchObject({ from: 'submitting', to: 'succeeded', settlement });
    expect(move.state).toEqual({ completion, error: undefined });
  });

  test('that another worker has recorded as lost still becomes its completion', () => {
    const completed = afterChat({}, completion, { chargeUsd: 0.1, replayed: false });
    const move = { ...completed.move, from: 'unknown' };
    expect(lateStep(completed)).toEqual({ move, next: end });
  });

  test.each([
    { error: badRequest, to: 'failed' },
    // Nothing repeats a row that has ended.
    { error: noSlot, to: 'failed' },
    { error: badRequest, mayBeCharged: true, to: 'unknown' },
    { error: noSlot, mayBeCharged: true, to: 'unknown' },
  ])(
    'that another worker has recorded as lost, and that $error.name has rejected, is $to',
    (row) => {
      const { error, to, mayBeCharged = false } = row;
      const rejected = afterFailedSubmit({ ...attempt, mayBeCharged }, error);
      const late = lateStep(rejected);
      expect(late?.move).toMatchObject({ from: 'unknown', to, settlement: release });
      expect(late?.move.state.error?.name).toBe(error.name);
      expect(late?.next).toBe(end);
    },
  );

  test('that another worker has recorded as lost, and whose response was lost, stays so', () => {
    const lost = afterFailedSubmit({ ...attempt, mayBeCharged: false }, reset);
    expect(lateStep(lost)).toBeUndefined();
  });

  test('that is lost may have been charged', () => {
    const lost = afterLostChat('r', {});
    expect(lost.move).toMatchObject({ to: 'unknown', state: { mayBeCharged: true } });
    expect(lost.move.state.error?.idempotencyKey).toBeUndefined();
  });

  test.each([
    { error: reset, to: 'unknown', settlement: keep },
    // What an earlier request may have cost was spent when it was retried.
    { error: badRequest, mayBeCharged: true, to: 'unknown', settlement: release },
    { error: badRequest, to: 'failed', settlement: release },
    { error: notSent, to: 'waiting', settlement: release },
    { error: noSlot, to: 'waiting', settlement: release },
  ])('whose request ends with $error.name leads to $to', (row) => {
    const { error, to, settlement, mayBeCharged = false } = row;
    const { move } = afterFailedSubmit({ ...attempt, mayBeCharged }, error);
    expect(move).toMatchObject({ to, settlement });
    expect(move.state.error?.idempotencyKey).toBeUndefined();
  });
});

describe('a retry', () => {
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
  ] as const)('of kind %s with a new key starts over with %j', (kind, state) => {
    const row = {
      data: dataOf(kind),
      status: 'unknown',
      state: { key: 'old', mayBeCharged: true, failures: 3 },
    } as const;
    expect(afterRetry(row, 'new', 0, 1_000)).toEqual({ to: 'waiting', state, settlement: spend });
  });
});
