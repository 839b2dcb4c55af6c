import {
  BudgetExceededError,
  ConcurrencyLimitError,
  ConfigurationError,
  ConnectionError,
  BadRequestError,
  PaymentRequiredError,
  RateLimitError,
  ResponseValidationError,
  ServerError,
  TaskFailedError,
} from 'polygate';
import type { SucceededGeneration } from 'polygate';
import { describe, expect, test } from 'vitest';

import { canonicalJson } from '../../src/bullmq/canonical-json.ts';
import {
  afterFailedPoll,
  afterFailedSubmit,
  afterRetry,
  afterTask,
  costOf,
  deadlineAfter,
  isRejected,
  reportedLimit,
} from '../../src/bullmq/decisions.ts';
import { jobIdOf, toRowError } from '../../src/bullmq/row.ts';
import type { RowState } from '../../src/bullmq/row.ts';
import { emptyMeta } from '../../src/core/http/response-meta.ts';

const meta = (status: number) => emptyMeta(status);
const rejected = { outcome: 'rejected' } as const;
const unknown = { outcome: 'unknown' } as const;
const badRequest = new BadRequestError('bad', { meta: meta(400), code: 'invalid', ...rejected });
const serverError = new ServerError('down', { meta: meta(500), ...unknown });
const notSent = new ConnectionError('refused', { outcome: 'not-sent' });
const reset = new ConnectionError('reset', unknown);
const payment = new PaymentRequiredError('402', { meta: meta(402), ...rejected });
const budget = new BudgetExceededError('budget', { outcome: 'not-sent' } as never);
const noSlot = new ConcurrencyLimitError('429', {
  meta: meta(429),
  retryAfterMs: 4_000,
  ...rejected,
});
const rateLimit = new RateLimitError('429', { meta: meta(429), retryAfterMs: 90_000, ...rejected });
const receipt = { v: 1, kind: 'image', id: 'task_1' } as const;

describe('a failed submission', () => {
  const cases: {
    error: Error;
    failures?: number;
    mayBeCharged?: boolean;
    to: string;
    cost: 'unknown' | 0;
    delayMs?: number;
    pause?: string;
    counted?: boolean;
  }[] = [
    { error: badRequest, to: 'failed', cost: 0, counted: true },
    { error: badRequest, mayBeCharged: true, to: 'unknown', cost: 'unknown', counted: true },
    { error: new ConfigurationError('x'), to: 'failed', cost: 0, counted: true },
    {
      error: new ConfigurationError('x', unknown),
      to: 'unknown',
      cost: 'unknown',
      counted: true,
    },
    { error: new Error('a bug'), to: 'unknown', cost: 'unknown', counted: true },
    { error: notSent, to: 'waiting', cost: 0, delayMs: 5_000, counted: true },
    { error: notSent, failures: 3, to: 'waiting', cost: 0, delayMs: 40_000, counted: true },
    { error: notSent, failures: 4, to: 'failed', cost: 0, counted: true },
    { error: reset, to: 'waiting', cost: 'unknown', delayMs: 5_000, counted: true },
    { error: reset, failures: 4, to: 'unknown', cost: 'unknown', counted: true },
    {
      error: notSent,
      failures: 4,
      mayBeCharged: true,
      to: 'unknown',
      cost: 'unknown',
      counted: true,
    },
    {
      error: serverError,
      failures: 1,
      to: 'waiting',
      cost: 'unknown',
      delayMs: 10_000,
      counted: true,
    },
    { error: rateLimit, to: 'waiting', cost: 0, delayMs: 90_000, counted: true },
    { error: noSlot, failures: 4, to: 'waiting', cost: 0, delayMs: 4_000 },
    { error: payment, failures: 4, to: 'waiting', cost: 0, pause: 'balance' },
    { error: payment, mayBeCharged: true, to: 'waiting', cost: 'unknown', pause: 'balance' },
    { error: budget, failures: 4, to: 'waiting', cost: 0, pause: 'budget' },
  ];

  test.each(cases)('$error.name after $failures failures leads to $to', (row) => {
    const { error, failures, mayBeCharged = false, to, cost, delayMs, pause, counted } = row;
    const state: RowState = { failures };
    const step = afterFailedSubmit({ state, key: 'k', mayBeCharged, attempts: 5 }, error);
    expect(step.move).toMatchObject({ from: 'submitting', to, cost });
    expect(step.delayMs).toBe(delayMs);
    expect(step.pause).toBe(pause);
    expect(step.move.state.failures).toBe(counted ? (failures ?? 0) + 1 : failures);
    expect(step.move.state.mayBeCharged).toBe(cost === 'unknown');
  });

  test('the delay is limited to a minute', () => {
    const attempt = { state: { failures: 20 }, key: 'k', mayBeCharged: false, attempts: 100 };
    expect(afterFailedSubmit(attempt, notSent).delayMs).toBe(60_000);
  });
});

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
      error: toRowError(reset, 'k'),
    };
    const step = afterTask('running', state, 'k', result, 1_000);
    expect(step.move).toMatchObject({ from: 'running', to });
    expect(step.delayMs).toBe(delayMs);
    if (to === 'running') expect(step.move.state.interval).toBe(interval);
    expect(step.move.state.receipt).toBe(receipt);
    // An error of an earlier poll is over.
    expect(step.move.state.error?.name).toBe((result as { error?: Error }).error?.name);
  });

  test('progress is kept while the service reports none', () => {
    const step = afterTask('running', { progress: 30 }, 'k', {}, 0);
    expect(step.move.state.progress).toBe(30);
  });
});

describe('a failed poll', () => {
  test.each([
    { deadline: undefined, now: 1e12, to: 'running', delayMs: 2_000 },
    { deadline: 5_000, now: 1_000, to: 'running', delayMs: 2_000 },
    { deadline: 5_000, now: 4_000, to: 'running', delayMs: 1_000 },
    { deadline: 5_000, now: 5_000, to: 'unknown', delayMs: undefined },
  ])('with the deadline $deadline at $now leads to $to', ({ deadline, now, to, delayMs }) => {
    for (const error of [reset, serverError, badRequest, new Error('bug')]) {
      const step = afterFailedPoll({ receipt, deadline }, 'k', error, now);
      expect(step.move).toMatchObject({ from: 'running', to, state: { receipt } });
      expect(step.delayMs).toBe(delayMs);
      expect(step.move.state.error?.name).toBe(error.name);
    }
  });
});

describe('a retry', () => {
  const state: RowState = {
    receipt,
    key: 'second',
    mayBeCharged: true,
    failures: 5,
    interval: 9e3,
  };

  test('sends a failed row again under its key', () => {
    const next = afterRetry({ status: 'failed', state }, undefined, 0, 1_000);
    expect(next).toEqual({ to: 'waiting', state: { key: 'second', mayBeCharged: true } });
  });

  test('continues the wait for an unknown row with a receipt', () => {
    const next = afterRetry({ status: 'unknown', state }, undefined, 500, 1_000);
    expect(next).toMatchObject({ to: 'running', state: { receipt, deadline: 1_500 } });
    expect(next.cost).toBeUndefined();
  });

  test('sends an unknown row without a receipt again under its key', () => {
    const next = afterRetry(
      { status: 'unknown', state: { mayBeCharged: true } },
      undefined,
      0,
      1_000,
    );
    expect(next).toEqual({ to: 'waiting', state: { mayBeCharged: true } });
  });

  test('anew, it starts over with a new key', () => {
    const { to, state: next, cost } = afterRetry({ status: 'unknown', state }, 'pg-2', 0, 1_000);
    expect([to, cost, Object.keys(next)]).toEqual(['waiting', 'reserved', ['key']]);
    expect(next.key).toBe('pg-2');
  });
});

test.each([
  { replayed: false, chargeUsd: 0.2, mayBeCharged: false, cost: 0.2 },
  { replayed: false, chargeUsd: undefined, mayBeCharged: false, cost: 0.3 },
  { replayed: true, chargeUsd: 0.2, mayBeCharged: false, cost: 0 },
  { replayed: true, chargeUsd: 0.2, mayBeCharged: true, cost: 0.2 },
])('replayed: $replayed, mayBeCharged: $mayBeCharged costs $cost', (row) => {
  expect(costOf(row, row.mayBeCharged, 0.3)).toBe(row.cost);
});

test('an endless wait has no deadline', () => {
  expect(deadlineAfter(1_000, Infinity)).toBeUndefined();
  expect(deadlineAfter(1_000, 0)).toBe(1_000);
});

test('only errors that the service will repeat are rejections for good', () => {
  expect(isRejected(badRequest)).toBe(true);
  for (const error of [serverError, rateLimit, noSlot, notSent]) {
    expect(isRejected(error)).toBe(false);
  }
});

test('an error reports the limit of its response, or that the limit is lower', () => {
  const limited = { ...meta(429), concurrency: { limit: 3 } };
  expect(reportedLimit(new ConcurrencyLimitError('429', { meta: limited }))).toBe(3);
  expect(reportedLimit(noSlot)).toBe('less');
  expect(reportedLimit(serverError)).toBeUndefined();
});

test('an error is stored as plain JSON with its documented fields', () => {
  expect(toRowError(badRequest, 'k')).toEqual({
    name: 'BadRequestError',
    message: 'bad',
    code: 'invalid',
    status: 400,
    outcome: 'rejected',
    taskId: undefined,
    idempotencyKey: 'k',
  });
  expect(toRowError('text', 'k')).toEqual({ name: 'Error', message: 'text', idempotencyKey: 'k' });
});

test('the order of object keys does not change params, that of arrays does', () => {
  const one = { b: [1, { d: 1, c: null }], a: 'x', '10': 1, '2': 2 };
  const two = { a: 'x', '2': 2, b: [1, { c: null, d: 1 }], '10': 1 };
  expect(canonicalJson(one)).toBe(canonicalJson(two));
  expect(canonicalJson({ a: [1, 2] })).not.toBe(canonicalJson({ a: [2, 1] }));
});

test('ids of jobs are different for different ids, and never integers or with colons', () => {
  const ids = [
    '1',
    '1:2',
    'a b',
    'a%20b',
    'é',
    'e\u0301',
    '😀',
    '\ud800',
    '%ud800',
    'ud800',
    '\udc00x',
    '/',
    '\n',
    '\0',
    '..',
    'x'.repeat(10_000),
  ];
  const jobIds = ids.map(jobIdOf);
  expect(new Set(jobIds).size).toBe(ids.length);
  for (const jobId of jobIds) expect(jobId).toMatch(/^row-[\w.~%!'()*-]+$/);
});
