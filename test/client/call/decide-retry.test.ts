import { expect, test } from 'vitest';

import { decideRetry } from '../../../src/client/call/retry.ts';
import type { RetryPolicy } from '../../../src/client/call/retry.ts';
import { emptyMeta } from '../../../src/client/http/response-meta.ts';
import {
  AbortedError,
  BadRequestError,
  ConflictError,
  ConcurrencyLimitError,
  ConnectionError,
  ServerError,
  ServiceUnavailableError,
} from '../../../src/index.ts';

const body = 'read';
const meta = (status: number, chargeUsd?: number) => ({ ...emptyMeta(status), chargeUsd });
const down = new ServiceUnavailableError('503', { meta: meta(503), body });
const unreadDown = new ServiceUnavailableError('503', { meta: meta(503) });
const unreadConflict = new ConflictError('409', { meta: meta(409) });
const charged = new ServiceUnavailableError('503', { meta: meta(503, 0.02), body });
const failed = new ServerError('502', { meta: meta(502), body });
const invalid = new BadRequestError('400', { meta: meta(400), body });
const lost = new ConnectionError('reset', { outcome: 'unknown' });
const refused = new ConnectionError('refused', { outcome: 'not-sent' });
const noSlot = new ConcurrencyLimitError('429', { meta: meta(429), body });
const serverError = (status: number, code?: string) =>
  new ServerError(String(status), { meta: meta(status), code, body });
const later = (retryAfterMs: number) =>
  new ServiceUnavailableError('503', { meta: meta(503), retryAfterMs, body });

const policy: RetryPolicy = {
  safety: 'keyed',
  waitsForSlot: true,
  maxRetries: 3,
  maxRetryDelay: 60_000,
  hasRetryBudget: true,
  random: () => 1,
};
const fresh = { retries: 0, slotRejections: 0 };
const once = { ...policy, safety: 'once' } as const;

test.each([
  ['a 503', down, fresh, policy, 500],
  ['a 503 of a chat', down, fresh, once, 500],
  ['a 503 with a charge of a keyed request', charged, fresh, policy, 500],
  ['a 503 with a charge of a chat', charged, fresh, once, undefined],
  ['an unread 503 of a keyed request', unreadDown, fresh, policy, 500],
  ['an unread 503 of a chat', unreadDown, fresh, once, undefined],
  ['an unread 409 of a keyed request', unreadConflict, fresh, policy, 500],
  ['an unread 409 of a chat', unreadConflict, fresh, once, undefined],
  ['a 502 of a keyed request', failed, fresh, policy, 500],
  ['a 502 of a chat', failed, fresh, once, undefined],
  ['a 507 of a keyed request', serverError(507), fresh, policy, 500],
  ['a 524 of a keyed request', serverError(524), fresh, policy, 500],
  ['a 524 of a chat', serverError(524), fresh, once, undefined],
  ['a 501', serverError(501), fresh, policy, undefined],
  ['a 505', serverError(505), fresh, policy, undefined],
  ['a 502 with a permanent code', serverError(502, 'invalid_size'), fresh, policy, undefined],
  [
    'an uncertain 503 of a chat',
    serverError(503, 'task_outcome_uncertain'),
    fresh,
    once,
    undefined,
  ],
  [
    'an uncertain 503 of a keyed request',
    serverError(503, 'x_outcome_uncertain'),
    fresh,
    policy,
    500,
  ],
  ['a lost response of a keyed request', lost, fresh, policy, 500],
  ['a lost response of a chat', lost, fresh, once, undefined],
  ['a refused connection of a chat', refused, fresh, once, 500],
  ['a 400', invalid, fresh, policy, undefined],
  ['an abort', new AbortedError('aborted'), fresh, policy, undefined],
  ['a second retry', down, { ...fresh, retries: 1 }, policy, 1_000],
  ['the last retry', down, { ...fresh, retries: 2 }, policy, 2_000],
  ['more retries than maxRetries', down, { ...fresh, retries: 3 }, policy, undefined],
  ['no retry budget', down, fresh, { ...policy, hasRetryBudget: false }, undefined],
  [
    'a delay above maxRetryDelay',
    down,
    { ...fresh, retries: 2 },
    { ...policy, maxRetryDelay: 700 },
    700,
  ],
  ['a Retry-After that is longer than the backoff', later(5_000), fresh, policy, 5_000],
  ['a Retry-After that is shorter than the backoff', later(1), fresh, policy, 500],
  ['a Retry-After of maxRetryDelay', later(60_000), fresh, policy, 60_000],
  ['a Retry-After above maxRetryDelay', later(60_001), fresh, policy, undefined],
  ['a rejection for lack of a slot', noSlot, fresh, { ...policy, random: () => 0 }, 0],
  [
    'repeated rejections for lack of a slot',
    noSlot,
    { ...fresh, slotRejections: 1 },
    { ...policy, random: () => 0 },
    100,
  ],
  [
    'a rejection for lack of a slot after all retries',
    noSlot,
    { slotRejections: 0, retries: 3 },
    { ...policy, hasRetryBudget: false },
    500,
  ],
  [
    'a rejection for lack of a slot without a limiter, after all retries',
    noSlot,
    { slotRejections: 0, retries: 3 },
    { ...policy, waitsForSlot: false },
    undefined,
  ],
])('%s: delay in ms', (_, error, facts, given, delayMs) => {
  const retry = decideRetry(error, facts, given);
  expect(retry?.delayMs).toBe(delayMs);
  expect(retry?.slotRejection).toBe(
    retry && error === noSlot && given.waitsForSlot ? error : undefined,
  );
});
