import { ConcurrencyLimitError, ConfigurationError, BadRequestError, Polygate } from 'polygate';
import { describe, expect, test } from 'vitest';

import { canonicalJson } from '../../src/bullmq/add-rows.ts';
import { isRejected, lacksKey, reportedLimit } from '../../src/bullmq/decisions/failures.ts';
import { after } from '../../src/bullmq/decisions/next-time.ts';
import { deadlineAfter } from '../../src/bullmq/decisions/poll.ts';
import { afterRetry } from '../../src/bullmq/decisions/retry.ts';
import { keep, release, spend } from '../../src/bullmq/decisions/settlement.ts';
import type { Settlement } from '../../src/bullmq/decisions/settlement.ts';
import { afterFailedSubmit } from '../../src/bullmq/decisions/submit.ts';
import { errorRecord } from '../../src/bullmq/row.ts';
import type { RowState } from '../../src/bullmq/stored-row.ts';
import { resolveConfig } from '../../src/core/config/config.ts';
import { resolveApiKey } from '../../src/core/http/request-headers.ts';
import { createError } from '../../src/errors/create-error.ts';
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
  rateLimit,
} from './errors.ts';

const receipt = { v: 1, kind: 'image', id: 'task_1' } as const;

describe('a queue pauses for lack of a valid API key', () => {
  const baseURL = 'https://host.example';
  const errorOf = (apiKey: () => string) =>
    new Polygate({ baseURL, apiKey }).models.list().catch((error: unknown) => error);
  const fail = () => {
    throw new Error('the vault is sealed');
  };

  test('if the service rejects the key, or the function that returns it fails', async () => {
    expect(lacksKey(authentication)).toBe(true);
    expect(lacksKey(await errorOf(fail))).toBe(true);
    expect(lacksKey(await errorOf(() => ''))).toBe(true);
    expect(lacksKey(await errorOf(() => 'two\nlines'))).toBe(true);
  });

  test('but not for other errors in the configuration', async () => {
    const gateway = new Polygate({ baseURL, apiKey: 'sk-1' });
    const error = await gateway.models.retrieve('').catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(ConfigurationError);
    expect(lacksKey(error)).toBe(false);
  });
});

describe('a failed submission', () => {
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
    { error: badRequest, to: 'failed', settlement: release, counted: true },
    { error: badRequest, mayBeCharged: true, to: 'unknown', settlement: keep, counted: true },
    { error: new ConfigurationError('x'), to: 'failed', settlement: release, counted: true },
    {
      error: new ConfigurationError('x', unknown),
      to: 'unknown',
      settlement: keep,
      counted: true,
    },
    { error: new Error('a bug'), to: 'unknown', settlement: keep, counted: true },
    { error: notSent, to: 'waiting', settlement: release, delayMs: 5_000, counted: true },
    {
      error: notSent,
      failures: 3,
      to: 'waiting',
      settlement: release,
      delayMs: 40_000,
      counted: true,
    },
    { error: notSent, failures: 4, to: 'failed', settlement: release, counted: true },
    { error: reset, to: 'waiting', settlement: keep, delayMs: 5_000, counted: true },
    { error: reset, failures: 4, to: 'unknown', settlement: keep, counted: true },
    {
      error: notSent,
      failures: 4,
      mayBeCharged: true,
      to: 'unknown',
      settlement: keep,
      counted: true,
    },
    {
      error: serverError,
      failures: 1,
      to: 'waiting',
      settlement: keep,
      delayMs: 10_000,
      counted: true,
    },
    // The client calls these final: no submission under the same key can succeed.
    { error: notImplemented, to: 'unknown', settlement: keep, counted: true },
    { error: unavailableModel, to: 'failed', settlement: release, counted: true },
    { error: invalidResponse, to: 'unknown', settlement: keep, counted: true },
    { error: rateLimit, to: 'waiting', settlement: release, delayMs: 70_000, counted: true },
    { error: noSlot, failures: 4, to: 'waiting', settlement: release, delayMs: 4_000 },
    { error: payment, failures: 4, to: 'waiting', settlement: release, pause: 'balance' },
    { error: payment, mayBeCharged: true, to: 'waiting', settlement: keep, pause: 'balance' },
    {
      error: authentication,
      failures: 4,
      to: 'waiting',
      settlement: release,
      pause: 'authentication',
    },
    { error: budget, failures: 4, to: 'waiting', settlement: release, pause: 'budget' },
  ];

  test.each(cases)('$error.name after $failures failures leads to $to', (row) => {
    const { error, failures, mayBeCharged = false, to, settlement, delayMs, pause, counted } = row;
    const state: RowState = { failures };
    const attempt = { state, key: 'k', mayBeCharged, attempts: 5, maxRetryDelay: 70_000 };
    const step = afterFailedSubmit(attempt, error);
    expect(step.move).toMatchObject({ from: 'submitting', to, settlement });
    const waits = pause ? { kind: 'when-resumed' } : { kind: 'delay', delayMs };
    expect(step.next).toEqual(to === 'waiting' ? waits : { kind: 'end' });
    expect(step.move.pause).toBe(pause);
    expect(step.move.state.failures).toBe(counted ? (failures ?? 0) + 1 : failures);
    expect(step.move.state.mayBeCharged).toBe(settlement === keep);
  });

  test('after one that may have been charged has an error that says so', () => {
    const error = createError(
      BadRequestError,
      { summary: '400: bad.', charge: 'Nothing was charged.', request: 'POST /v1/images/tasks' },
      { meta: meta(400), code: 'invalid', ...rejected },
    );
    const { message } = error;
    const attempt = { state: {}, key: 'k', attempts: 5, maxRetryDelay: 70_000 };
    const first = afterFailedSubmit({ ...attempt, mayBeCharged: false }, error);
    expect(first.move.state.error).toMatchObject({ message, outcome: 'rejected' });
    const later = afterFailedSubmit({ ...attempt, mayBeCharged: true }, error);
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
    const state = { failures: 20 };
    const attempt = { state, key: 'k', mayBeCharged: false, attempts: 100, maxRetryDelay: 70_000 };
    expect(afterFailedSubmit(attempt, notSent).next).toEqual(after(60_000));
  });
});

describe('a retry', () => {
  const data = {
    id: 'r',
    kind: 'image',
    path: '/',
    params: { model: 'm' },
    hash: 'h',
    key: 'k',
  } as const;
  const state: RowState = {
    receipt,
    key: 'second',
    mayBeCharged: true,
    failures: 5,
    interval: 9e3,
  };

  test('sends a failed row again under its key', () => {
    const next = afterRetry({ data, status: 'failed', state }, undefined, 0, 1_000);
    expect(next).toEqual({ to: 'waiting', state: { key: 'second', mayBeCharged: true } });
  });

  test('continues the wait for an unknown row with a receipt', () => {
    const next = afterRetry({ data, status: 'unknown', state }, undefined, 500, 1_000);
    expect(next).toMatchObject({ to: 'running', state: { receipt, deadline: 1_500 } });
    expect(next.settlement).toBeUndefined();
  });

  test('sends an unknown row without a receipt again under its key', () => {
    const next = afterRetry(
      { data, status: 'unknown', state: { mayBeCharged: true } },
      undefined,
      0,
      1_000,
    );
    expect(next).toEqual({ to: 'waiting', state: { mayBeCharged: true } });
  });

  test('anew, it starts over with a new key', () => {
    const {
      to,
      state: next,
      settlement,
    } = afterRetry({ data, status: 'unknown', state }, 'pg-2', 0, 1_000);
    expect([to, settlement, Object.keys(next)]).toEqual(['waiting', spend, ['key']]);
    expect(next.key).toBe('pg-2');
  });
});

test('an endless wait has no deadline', () => {
  expect(deadlineAfter(1_000, Infinity)).toBeUndefined();
  expect(deadlineAfter(1_000, 0)).toBe(1_000);
});

test('a client without an API key lacks it, and one with an invalid option does not', async () => {
  const baseURL = 'https://host.example';
  const fetch = () => Promise.reject(new Error('not reached'));
  const clientWith = (apiKey: () => string) => new Polygate({ apiKey, baseURL, fetch });
  const errorOf = (run: () => unknown) =>
    Promise.resolve()
      .then(run)
      .catch((error: unknown) => error);
  const throws = clientWith(() => {
    throw new Error('sealed');
  });
  expect(lacksKey(await errorOf(() => throws.models.list()))).toBe(true);
  expect(lacksKey(await errorOf(() => clientWith(() => '').models.list()))).toBe(true);
  expect(
    lacksKey(
      await errorOf(() =>
        resolveApiKey({ ...resolveConfig({ apiKey: 'k', baseURL }), apiKey: undefined }),
      ),
    ),
  ).toBe(true);
  const invalid = await errorOf(() => new Polygate({ apiKey: '\n', baseURL }));
  expect(invalid).toMatchObject({ message: expect.stringMatching(/^apiKey/) });
  expect(lacksKey(invalid)).toBe(false);
  const visible = 'apiKey: every visitor could read it.';
  expect(lacksKey(new ConfigurationError(visible))).toBe(false);
});

test('only errors that the service will repeat are rejections for good', () => {
  for (const error of [badRequest, notImplemented, unavailableModel]) {
    expect(isRejected(error)).toBe(true);
  }
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
  expect(errorRecord(badRequest, 'k')).toEqual({
    name: 'BadRequestError',
    message: 'bad',
    code: 'invalid',
    status: 400,
    outcome: 'rejected',
    taskId: undefined,
    idempotencyKey: 'k',
  });
  expect(errorRecord('text', 'k')).toEqual({ name: 'Error', message: 'text', idempotencyKey: 'k' });
});

test('the order of object keys does not change params, that of arrays does', () => {
  const one = { b: [1, { d: 1, c: null }], a: 'x', '10': 1, '2': 2 };
  const two = { a: 'x', '2': 2, b: [1, { c: null, d: 1 }], '10': 1 };
  expect(canonicalJson(one)).toBe(canonicalJson(two));
  expect(canonicalJson({ a: [1, 2] })).not.toBe(canonicalJson({ a: [2, 1] }));
});
