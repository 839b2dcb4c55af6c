import { describe, expect, test } from 'vitest';

import { RetryBudget } from '../../../src/client/call/context.ts';
import { backoff, isRetryable } from '../../../src/client/call/retry.ts';
import type { Polygate } from '../../../src/index.ts';
import { caught, chat, clientOf, image, errorReply, scripted, virtualClock } from '../support.ts';
import type { Reply } from '../support.ts';

/** The requests that a call sends if every attempt ends with this reply. */
async function attempts(reply: Reply, call = submit) {
  const clock = virtualClock();
  const { fetch, sent } = scripted(reply);
  const error = await caught(clock.settle(call(clientOf(fetch, { clock }))));
  const keys = new Set(sent.map(({ headers }) => headers.get('x-idempotency-key')));
  return { sent, error, keys };
}

const submit = (gateway: Polygate): Promise<unknown> => gateway.images.submit(image);
const createChat = (gateway: Polygate): Promise<unknown> => gateway.chat.completions.create(chat);

describe('a documented business error is never retried, whatever its status:', () => {
  const neverRetried = [
    'api_key_required',
    'invalid_request_parameter',
    'invalid_idempotency_key',
    'invalid_material_request',
    'invalid_material_cursor',
    'material_idempotency_conflict',
    'material_not_found',
    'material_not_available',
    'material_not_managed',
    'visual_verification_consent_required',
    'invalid_visual_verification_request',
  ];
  const cases = neverRetried.flatMap((code) =>
    [429, 500, 502, 503].map((status) => [status, code] as const),
  );

  test.each(cases)('%i %s', async (status, code) => {
    const { sent, error } = await attempts(errorReply(status, code));
    expect(sent).toHaveLength(1);
    expect(error).toMatchObject({ status, code });
  });
});

describe('codes of an outage or an uncertain outcome:', () => {
  test('503 material_channel_unavailable is an outage', async () => {
    const { sent, keys } = await attempts(errorReply(503, 'material_channel_unavailable'));
    expect(sent).toHaveLength(4);
    expect(keys.size).toBe(1);
  });

  test('400 material_channel_unavailable is a model without material support and is not retried', async () => {
    const { sent } = await attempts(errorReply(400, 'material_channel_unavailable'));
    expect(sent).toHaveLength(1);
  });

  test.each(['material_create_outcome_uncertain', 'visual_verification_create_outcome_uncertain'])(
    '%s is retried with the same key, and never without one',
    async (code) => {
      const keyed = await attempts(errorReply(503, code));
      expect(keyed.sent).toHaveLength(4);
      expect(keyed.keys.size).toBe(1);
      const bare = await attempts(errorReply(503, code), createChat);
      expect(bare.sent).toHaveLength(1);
    },
  );
});

describe('isRetryable', () => {
  const unknown = [undefined, 408, 500, 502, 504] as const;

  test.each(unknown)(
    'a status of %s with an unknown outcome is retried unless each attempt may be charged',
    (status) => {
      expect(isRetryable({ status, outcome: 'unknown' }, 'safe')).toBe(true);
      expect(isRetryable({ status, outcome: 'unknown' }, 'keyed')).toBe(true);
      expect(isRetryable({ status, outcome: 'unknown' }, 'once')).toBe(false);
    },
  );

  test.each(['safe', 'keyed', 'once'] as const)(
    '"%s" requests are retried if they were rejected or not sent',
    (safety) => {
      expect(isRetryable({ outcome: 'not-sent' }, safety)).toBe(true);
      expect(isRetryable({ status: 503, outcome: 'rejected' }, safety)).toBe(true);
      expect(isRetryable({ status: 429, outcome: 'rejected' }, safety)).toBe(true);
      expect(isRetryable({ status: 429, code: 'rate_limited', outcome: 'rejected' }, safety)).toBe(
        true,
      );
    },
  );

  test.each(['safe', 'keyed', 'once'] as const)(
    '"%s" requests are sent again after a concurrency 429',
    (safety) => {
      const failure = {
        status: 429,
        code: 'concurrency_limit_exceeded',
        outcome: 'rejected',
      } as const;
      expect(isRetryable(failure, safety)).toBe(true);
    },
  );

  test.each([400, 401, 402, 403, 404, 405, 409, 410, 413, 415, 422])(
    'a %i is never retried',
    (status) => {
      for (const safety of ['safe', 'keyed', 'once'] as const) {
        expect(isRetryable({ status, outcome: 'rejected' }, safety)).toBe(false);
      }
    },
  );
});

describe('backoff', () => {
  test.each([
    [0, 500],
    [1, 1_000],
    [2, 2_000],
    [3, 4_000],
    [4, 8_000],
    [5, 8_000],
    [2_000, 8_000],
  ])('attempt %i waits a random part of %i ms', (attempt, max) => {
    expect(backoff(attempt, () => 0)).toBe(0);
    expect(backoff(attempt, () => 0.25)).toBe(max / 4);
    expect(backoff(attempt, () => 1)).toBe(max);
  });
});

describe('RetryBudget', () => {
  test('runs out, and is refilled by successes up to its initial size', () => {
    const budget = new RetryBudget();
    const takeAll = () => {
      let taken = 0;
      for (; taken < 1_000 && budget.isLeft; taken += 1) budget.spend();
      return taken;
    };
    const first = takeAll();
    expect(first).toBeGreaterThanOrEqual(10);
    expect(takeAll()).toBe(0);
    for (let success = 0; success < 5; success += 1) budget.refund();
    const refunded = takeAll();
    expect(refunded).toBeGreaterThan(0);
    expect(refunded).toBeLessThanOrEqual(5);
    for (let success = 0; success < 10_000; success += 1) budget.refund();
    expect(takeAll()).toBe(first);
  });
});
