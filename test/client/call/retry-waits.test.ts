import { describe, expect, test } from 'vitest';

import { ConcurrencyLimitError, ConnectionError, RateLimitError } from '../../../src/index.ts';
import type { Polygate, PolygateOptions } from '../../../src/index.ts';
import {
  WatchedClock,
  caught,
  chat,
  clientOf,
  image,
  modelList,
  errorReply,
  reset,
  scripted,
  submitted,
  turns,
  unreachable,
} from '../support.ts';
import type { Reply } from '../support.ts';

const timeout = 90_000;
const submit = (gateway: Polygate): Promise<unknown> => gateway.images.submit(image);
const list = (gateway: Polygate): Promise<unknown> => gateway.models.list();

/** Makes a call with these replies, and returns the delays between its attempts in ms and the result. */
async function run(
  replies: [Reply, ...Reply[]],
  options: PolygateOptions = {},
  call: (gateway: Polygate) => Promise<unknown> = list,
) {
  const clock = new WatchedClock();
  const at: number[] = [];
  const { fetch, sent } = scripted(...replies);
  const timed: typeof fetch = (input, init) => {
    at.push(clock.now());
    return fetch(input, init);
  };
  const startedAt = clock.now();
  const gateway = clientOf(timed, { clock, timeout, ...options });
  const outcome = await clock.settle(
    call(gateway).then(
      () => undefined,
      (error: unknown) => error,
    ),
  );
  const delays = at.slice(1).map((time, index) => time - (at[index] ?? 0));
  const sleeps = clock.sleeps.filter((ms) => ms !== timeout);
  return {
    sent,
    delays,
    sleeps,
    error: outcome as Error | undefined,
    elapsed: clock.now() - startedAt,
  };
}

describe('the delay before a retry', () => {
  test('has full jitter: a random part of a maximum that doubles up to 8 s', async () => {
    const draws = [0.5, 0.25, 0, 0.999, 0.75, 1];
    let draw = 0;
    const random = () => draws[draw++] ?? 0;
    const { delays, sleeps } = await run([errorReply(503)], { maxRetries: 6, random });
    const expected = [250, 250, 0, 3_996, 6_000, 8_000];
    expect(delays).toEqual(expected);
    expect(sleeps.filter((ms) => ms > 0)).toEqual(expected.filter((ms) => ms > 0));
  });

  test('starts over with each call', async () => {
    const twice = async (gateway: Polygate) => {
      await gateway.models.list().catch(() => undefined);
      return gateway.models.list();
    };
    const random = () => 1;
    const { delays } = await run([errorReply(503)], { maxRetries: 2, random }, twice);
    expect(delays).toEqual([500, 1_000, 0, 500, 1_000]);
  });

  test('is never longer than maxRetryDelay', async () => {
    const { delays } = await run([errorReply(503)], { maxRetryDelay: 700, random: () => 1 });
    expect(delays).toEqual([500, 700, 700]);
  });
});

describe('Retry-After', () => {
  const withRetryAfter = (value: string, status = 503) =>
    errorReply(status, 'busy', { 'retry-after': value });

  test.each([
    ['seconds', '7', 7_000],
    ['decimals', '1.5', 1_500],
  ])('in %s is respected', async (_, value, ms) => {
    for (const status of [429, 500, 503]) {
      const { delays, error } = await run([withRetryAfter(value, status), modelList], {
        random: () => 0,
      });
      expect(error).toBeUndefined();
      expect(delays).toEqual([ms]);
    }
  });

  test('is a lower bound: a longer jitter takes precedence', async () => {
    const { delays } = await run([withRetryAfter('0.1'), modelList], { random: () => 1 });
    expect(delays).toEqual([500]);
  });

  test("as a date is relative to the server's Date header", async () => {
    const date = 'Fri, 01 May 2026 10:00:00 GMT';
    const later = 'Fri, 01 May 2026 10:00:20 GMT';
    const reply = errorReply(503, 'busy', { date, 'retry-after': later });
    const { delays } = await run([reply, modelList], { random: () => 0 });
    expect(delays).toEqual([20_000]);
  });

  test.each(['soon', '-5', 'Fri, 01 May 2020 10:00:00 GMT'])(
    'of %s is treated as absent',
    async (value) => {
      const { delays, error } = await run([withRetryAfter(value), modelList], {
        random: () => 0.5,
      });
      expect(error).toBeUndefined();
      expect(delays).toEqual([250]);
    },
  );

  test.each([429, 500, 503])(
    'of a %i above maxRetryDelay fails immediately with retryAfterMs',
    async (status) => {
      const { sent, elapsed, error } = await run([withRetryAfter('61', status), modelList]);
      expect(sent).toHaveLength(1);
      expect(elapsed).toBe(0);
      expect(error).toMatchObject({ status, retryAfterMs: 61_000 });
    },
  );

  test('above maxRetryDelay fails a submit immediately, with its key', async () => {
    const { sent, elapsed, error } = await run([withRetryAfter('61')], {}, submit);
    expect(sent).toHaveLength(1);
    expect(elapsed).toBe(0);
    expect(error).toMatchObject({
      retryAfterMs: 61_000,
      outcome: 'rejected',
      idempotencyKey: sent[0]?.headers.get('x-idempotency-key'),
    });
  });

  test('equal to maxRetryDelay is respected', async () => {
    const { delays } = await run([withRetryAfter('2'), modelList], { maxRetryDelay: 2_000 });
    expect(delays).toEqual([2_000]);
  });

  test('is on the error if there are no retries', async () => {
    const { error } = await run([withRetryAfter('2', 429)], { maxRetries: 0 });
    expect(error).toBeInstanceOf(RateLimitError);
    expect(error).toMatchObject({ retryAfterMs: 2_000 });
  });
});

describe('a 429 for concurrency', () => {
  const full = errorReply(429, 'concurrency_limit_exceeded');
  const createChat = (gateway: Polygate): Promise<unknown> => gateway.chat.completions.create(chat);

  test.each([0, 2])(
    'waits for a slot and does not count against maxRetries: %i',
    async (maxRetries) => {
      const replies: [Reply, ...Reply[]] = [full, full, full, full, full, full, submitted];
      const { sent, error } = await run(replies, { maxRetries }, submit);
      expect(error).toBeUndefined();
      expect(sent).toHaveLength(7);
      expect(new Set(sent.map(({ headers }) => headers.get('x-idempotency-key'))).size).toBe(1);
      expect(new Set(sent.map(({ body }) => body)).size).toBe(1);
    },
  );

  test('leaves all retries for other failures', async () => {
    const replies: [Reply, ...Reply[]] = [
      full,
      errorReply(503),
      full,
      errorReply(503),
      full,
      errorReply(503),
    ];
    const { sent, error } = await run(replies, { maxRetries: 2 }, submit);
    expect(sent).toHaveLength(6);
    expect(error).toMatchObject({ status: 503 });
  });

  test.each([
    ['a submit', submit],
    ['a chat', createChat],
  ])('fails %s after maxQueueTime with the last 429', async (_, call) => {
    const maxQueueTime = 20_000;
    const last = errorReply(429, 'concurrency_limit_exceeded', { 'x-request-id': 'req_9' });
    const { sent, error, elapsed } = await run([last], { maxQueueTime, maxRetries: 0 }, call);
    expect(error).toBeInstanceOf(ConcurrencyLimitError);
    expect(error).toMatchObject({ status: 429, outcome: 'rejected', requestId: 'req_9' });
    expect(sent.length).toBeGreaterThan(2);
    expect(elapsed).toBeGreaterThan(maxQueueTime / 2);
    expect(elapsed).toBeLessThanOrEqual(maxQueueTime);
  });

  test('does not hide that a later attempt may have been charged', async () => {
    const hang: Reply = () => new Promise(() => undefined);
    const { fetch, sent } = scripted(full, reset, hang);
    const clock = new WatchedClock();
    const gateway = clientOf(fetch, { clock, concurrency: 1, maxQueueTime: 10_000 });
    const failed = caught(clock.settle(submit(gateway)));
    // Takes the slot while the first call waits for its third attempt.
    submit(gateway).catch(() => undefined);
    const error = await failed;
    expect(sent).toHaveLength(3);
    expect(error).toMatchObject({ code: 'concurrency_limit_exceeded', outcome: 'unknown' });
    expect(error.message).toContain('may have been charged. Retry with error.idempotencyKey');
  });

  test('waits for Retry-After', async () => {
    const limited = errorReply(429, 'concurrency_limit_exceeded', { 'retry-after': '9' });
    const { delays } = await run([limited, submitted], { random: () => 0 }, submit);
    expect(delays).toEqual([9_000]);
  });

  test('of a GET is retried like any other 429', async () => {
    const { sent, error } = await run([full], { maxRetries: 2 });
    expect(sent).toHaveLength(3);
    expect(error).toBeInstanceOf(ConcurrencyLimitError);
  });

  test('fails a request with outcome not-sent if no slot is released in time', async () => {
    const clock = new WatchedClock();
    const { fetch, sent } = scripted(() => new Promise(() => undefined));
    const gateway = clientOf(fetch, { clock, concurrency: 1, maxQueueTime: 10_000 });
    gateway.images.submit(image).catch(() => undefined);
    await turns();
    const error = await caught(clock.settle(gateway.images.submit(image)));
    expect(error).toBeInstanceOf(ConcurrencyLimitError);
    expect(error).toMatchObject({ outcome: 'not-sent', code: 'concurrency_limit_exceeded' });
    expect(error.idempotencyKey).toMatch(/^[!-~]{8,200}$/);
    expect(sent).toHaveLength(1);
  });
});

describe('the retry budget', () => {
  test.each([
    ['refused connections', unreachable],
    ['503s', errorReply(503)],
  ])('stops at least 90% of the retries in an outage of %s', async (_, reply) => {
    const calls = 200;
    const all = async (gateway: Polygate) => {
      for (let call = 0; call < calls; call += 1)
        await gateway.models.list().catch(() => undefined);
    };
    const { sent } = await run([reply], {}, all);
    expect(sent.length - calls).toBeLessThanOrEqual(0.1 * 3 * calls);
  });

  test('allows ten retries on a fresh client', async () => {
    const { sent, error } = await run([unreachable], { maxRetries: 10 });
    expect(sent).toHaveLength(11);
    expect(error).toBeInstanceOf(ConnectionError);
  });

  test('is refilled by successes', async () => {
    const clock = new WatchedClock();
    let down = true;
    const { fetch, sent } = scripted((request) => (down ? unreachable : modelList)(request));
    const gateway = clientOf(fetch, { clock });
    const count = async () => {
      const before = sent.length;
      await clock.settle(gateway.models.list().catch(() => undefined));
      return sent.length - before;
    };
    for (let call = 0; call < 100; call += 1) await count();
    expect(await count()).toBe(1);
    down = false;
    for (let call = 0; call < 100; call += 1) await count();
    down = true;
    expect(await count()).toBe(4);
  });
});
