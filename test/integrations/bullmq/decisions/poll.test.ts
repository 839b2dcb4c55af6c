import { ConfigurationError, ResponseValidationError, TaskFailedError } from 'polygate';
import type { SucceededGeneration } from 'polygate';
import { describe, expect, test } from 'vitest';

import { after, end } from '../../../../src/integrations/bullmq/decisions/step.ts';
import {
  afterFailedPoll,
  afterPoll,
  afterTask,
  deadlineAfter,
} from '../../../../src/integrations/bullmq/decisions/task-plan.ts';
import { errorRecord } from '../../../../src/integrations/bullmq/row.ts';
import type { RowState } from '../../../../src/integrations/bullmq/row.ts';
import {
  meta,
  badRequest,
  notFound,
  serverError,
  reset,
  authentication,
  noSlot,
} from './errors.ts';

/** Without jitter. */
const timing = (now: number, maxRetryDelay = 60_000) => ({ now, maxRetryDelay, random: () => 0 });
const receipt = { v: 1, kind: 'image', id: 'task_1' } as const;

describe('the state of a task', () => {
  const generation = { status: 'succeeded' } as SucceededGeneration;
  const failed = new TaskFailedError('failed', { outcome: 'unknown' } as never);
  const noResult = new ResponseValidationError('no result', { meta: meta(200) } as never);

  test.each([
    { result: { generation }, to: 'succeeded' },
    { result: { error: failed }, to: 'failed' },
    // It was paid for, so it must not look like a task that the service has refunded.
    { result: { error: noResult }, to: 'unknown' },
    { result: { progress: 40 }, to: 'running', delayMs: 2_000, interval: 2_500 },
    { result: {}, interval0: 9_000, to: 'running', delayMs: 9_000, interval: 10_000 },
    { result: { retryAfterMs: 500 }, to: 'running', delayMs: 500, interval: 2_500 },
    { result: { retryAfterMs: 0 }, to: 'running', delayMs: 100, interval: 2_500 },
    { result: { retryAfterMs: 60_000 }, to: 'running', delayMs: 60_000, interval: 2_500 },
    { result: {}, deadline: 1_700, to: 'running', delayMs: 700, interval: 2_500 },
    { result: { retryAfterMs: 60_000 }, deadline: 900, to: 'running', delayMs: 0, interval: 2_500 },
  ])('$result leads to $to', ({ result, to, delayMs, interval, interval0, deadline }) => {
    const state: RowState = {
      receipt,
      interval: interval0,
      deadline,
      error: errorRecord(reset, 'k'),
    };
    const step = afterTask({ from: 'running', state, key: 'k' }, result, timing(1_000));
    expect(step.move).toMatchObject({ from: 'running', to });
    expect(step.next).toEqual(delayMs === undefined ? end : after(delayMs));
    if (to === 'running') expect(step.move.state.interval).toBe(interval);
    expect(step.move.state.receipt).toBe(receipt);
    // The error of an earlier poll is removed.
    expect(step.move.state.error?.name).toBe((result as { error?: Error }).error?.name);
  });

  test('progress is kept while the service reports none', () => {
    const step = afterTask({ from: 'running', state: { progress: 30 }, key: 'k' }, {}, timing(0));
    expect(step.move.state.progress).toBe(30);
  });
});

test('a poll is delayed by up to a fifth more, so that tasks that were submitted together are polled apart', () => {
  const jittered = { ...timing(0), random: () => 0.5 };
  const step = afterTask({ from: 'running', state: {}, key: 'k' }, {}, jittered);
  expect(step.next).toEqual(after(2_200));
});

describe('a failed poll', () => {
  test.each([
    { deadline: undefined, now: 1e12, to: 'running', delayMs: 2_000 },
    { deadline: 5_000, now: 1_000, to: 'running', delayMs: 2_000 },
    { deadline: 5_000, now: 4_000, to: 'running', delayMs: 1_000 },
    { deadline: 5_000, now: 5_000, to: 'unknown', delayMs: undefined },
  ])('with the deadline $deadline at $now leads to $to', ({ deadline, now, to, delayMs }) => {
    for (const error of [reset, serverError, badRequest, notFound, new Error('bug')]) {
      const step = afterFailedPoll({ state: { receipt, deadline }, key: 'k' }, error, timing(now));
      expect(step.move).toMatchObject({ from: 'running', to, state: { receipt } });
      expect(step.next).toEqual(delayMs === undefined ? end : after(delayMs));
      const ended = to === 'unknown';
      expect(step.move.state.error).toMatchObject({
        name: ended ? 'TaskWaitTimeoutError' : error.name,
        // The outcome of a poll says nothing about the submission, which was accepted.
        outcome: undefined,
        taskId: 'task_1',
      });
      if (ended) {
        expect(step.move.state.error?.message).toContain(
          `Task task_1 is not lost: call queue.retry(id) to continue. The last poll failed: ${error.name}`,
        );
      }
    }
  });
});

test('a failed poll is repeated after the requested delay, but not after more than maxRetryDelay', () => {
  for (const [maxRetryDelay, delayMs] of [
    [3_000, 3_000],
    [90_000, 4_000],
  ] as const) {
    const step = afterFailedPoll(
      { state: { receipt }, key: 'k' },
      noSlot,
      timing(0, maxRetryDelay),
    );
    expect(step).toMatchObject({ next: after(delayMs), move: { to: 'running' } });
  }
});

test('a 401 of a poll pauses the queue, and the row stays running', () => {
  const step = afterFailedPoll({ state: { receipt }, key: 'k' }, authentication, timing(0));
  expect(step).toMatchObject({
    next: after(2_000),
    move: { to: 'running', pause: 'authentication' },
  });
});

test.each([
  ['an id that cannot be polled', new ConfigurationError('id: must not contain ..')],
  [
    'a record that cannot be read',
    new ResponseValidationError('no URL', { meta: meta(200), body: { status: 'succeeded' } }),
  ],
])('a poll of %s leads to unknown, long before the deadline or at it', (_, error) => {
  for (const now of [0, 9_000]) {
    const row = { state: { receipt, deadline: 9_000 }, key: 'k' };
    const { move, next } = afterFailedPoll(row, error, timing(now));
    expect(move).toMatchObject({
      to: 'unknown',
      state: { receipt, error: { message: error.message, outcome: undefined } },
    });
    expect(next).toEqual(end);
  }
});

test('a body that is no record does not end a row', () => {
  const page = new ResponseValidationError('HTML', { meta: meta(200), body: '<html>' });
  const step = afterFailedPoll({ state: { receipt }, key: 'k' }, page, timing(0));
  expect(step).toMatchObject({ next: after(2_000), move: { to: 'running' } });
});

test('a task that is still processing at the deadline ends the row as unknown, with its receipt', () => {
  const poll = (now: number, result: object) =>
    afterPoll({ state: { receipt, deadline: 5_000 }, key: 'k' }, result, timing(now)).move;
  const unknown = { to: 'unknown', state: { receipt, error: { name: 'TaskWaitTimeoutError' } } };
  expect(poll(4_999, { progress: 40 })).toMatchObject({ to: 'running' });
  expect(poll(5_000, { progress: 40 })).toMatchObject(unknown);
  expect(poll(9_000, { generation: { status: 'succeeded' } })).toMatchObject({ to: 'succeeded' });
});

test('an endless wait has no deadline', () => {
  expect(deadlineAfter(1_000, Infinity)).toBeUndefined();
  expect(deadlineAfter(1_000, 0)).toBe(1_000);
});
