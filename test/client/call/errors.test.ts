import { describe, expect, test } from 'vitest';

import { ConnectionError } from '../../../src/index.ts';
import type { Outcome, Polygate, PolygateOptions, RequestOptions } from '../../../src/index.ts';
import {
  caught,
  chat,
  clientOf,
  coded,
  errorReply,
  hang,
  image,
  reset,
  scripted,
  turns,
  unreachable,
  virtualClock,
} from '../support.ts';
import type { Reply } from '../support.ts';

const submit = (gateway: Polygate, options?: RequestOptions): Promise<unknown> =>
  gateway.images.submit(image, options);
const createChat = (gateway: Polygate, options?: RequestOptions): Promise<unknown> =>
  gateway.chat.completions.create(chat, options);

/** The error of a call whose attempts fail with these replies, one after the other. */
async function failureAfter(
  replies: readonly [Reply, ...Reply[]],
  call = submit,
  options: PolygateOptions = {},
) {
  const clock = virtualClock();
  const { fetch, sent } = scripted(...replies);
  const gateway = clientOf(fetch, { clock, maxRetries: replies.length - 1, ...options });
  const error = await caught(clock.settle(call(gateway)));
  return { error, sent };
}

describe('the outcome of a call', () => {
  const unavailable = errorReply(503);
  const sequences: readonly (readonly [string, [Reply, ...Reply[]], string, Outcome])[] = [
    ['a 503, then a refused connection', [unavailable, unreachable], 'ConnectionError', 'not-sent'],
    [
      'a refused connection, then a 503',
      [unreachable, unavailable],
      'ServiceUnavailableError',
      'rejected',
    ],
    [
      'a 503, a refused connection, then a 400',
      [unavailable, unreachable, errorReply(400)],
      'BadRequestError',
      'rejected',
    ],
    ['a 503, then a timeout', [unavailable, hang], 'RequestTimeoutError', 'unknown'],
    ['a reset, then a refused connection', [reset, unreachable], 'ConnectionError', 'unknown'],
    ['a reset, then a 503', [reset, unavailable], 'ServiceUnavailableError', 'unknown'],
    [
      'a reset, a 503, then a refused connection',
      [reset, unavailable, unreachable],
      'ConnectionError',
      'unknown',
    ],
  ];

  test.each(sequences)('after %s', async (_, replies, name, outcome) => {
    const { error, sent } = await failureAfter(replies);
    expect(sent).toHaveLength(replies.length);
    expect(error).toMatchObject({ name, outcome });
    expect(error.message).toContain(
      outcome === 'unknown' ? 'may have been' : 'Nothing was charged',
    );
  });

  /** A response whose body breaks off. */
  const brokenBody =
    (code: string, headers = {}): Reply =>
    () => {
      const pull = (controller: ReadableStreamDefaultController) => controller.error(coded(code));
      return new Response(new ReadableStream({ pull }), { headers });
    };

  test('is unknown once a response has arrived, whatever breaks its body off', async () => {
    const { error, sent } = await failureAfter([brokenBody('EHOSTUNREACH'), hang], createChat);
    expect(error).toMatchObject({ name: 'ConnectionError', outcome: 'unknown' });
    expect(sent).toHaveLength(1);
  });

  test.each([
    [new Error('request to https://gateway.example failed, reason: read EHOSTUNREACH')],
    [new Error('fetch failed', { cause: new Error('write EHOSTUNREACH') })],
  ])('is unknown if an established connection failed: %s', async (lost) => {
    const fail: Reply = () => {
      throw Object.assign(lost, { code: 'EHOSTUNREACH' });
    };
    const { error, sent } = await failureAfter([fail], createChat);
    expect(error).toMatchObject({ name: 'ConnectionError', outcome: 'unknown' });
    expect(sent).toHaveLength(1);
  });

  test('is explained by the task of an earlier attempt, also if the last one was rejected', async () => {
    const named = brokenBody('ECONNRESET', { 'x-svc-task-id': 'task_9' });
    const { error } = await failureAfter([named, errorReply(402)]);
    expect(error).toMatchObject({ name: 'PaymentRequiredError', outcome: 'unknown' });
    expect(error.message).toContain('Task task_9 is not lost: continue with error.task.wait().');
  });

  test('is explained by the task of any earlier attempt, not only the one before the last', async () => {
    const named = brokenBody('ECONNRESET', { 'x-svc-task-id': 'task_9' });
    const { error } = await failureAfter([named, unavailable, errorReply(402)]);
    expect(error.message).toContain('Task task_9 is not lost: continue with error.task.wait().');
  });

  const named = { 'x-svc-task-id': 'task_7' };
  const brokenConflict: Reply = async (sent) =>
    new Response((await brokenBody('ECONNRESET')(sent)).body, { status: 409, headers: named });

  test.each<[string, [Reply, ...Reply[]]]>([
    ['a 409', [errorReply(409, 'idempotency_conflict', named)]],
    ['a reset, then a 409', [reset, errorReply(409, 'idempotency_conflict', named)]],
    ['a 409 whose body breaks off', [brokenConflict]],
    ['a 429, then a reset', [errorReply(429, 'rate_limited', named), reset]],
    ['a 503, then a reset', [errorReply(503, 'service_unavailable', named), reset]],
  ])('after %s has no task that the rejection names: it may be another one', async (_, replies) => {
    const { error, sent } = await failureAfter(replies);
    expect(sent).toHaveLength(replies.length);
    expect(error.task).toBeUndefined();
    expect(error.message).toMatch(/may have been charged|Nothing was charged/);
  });

  test('of a chat is not-sent after a 503 and a refused connection', async () => {
    const { error } = await failureAfter([unavailable, unreachable], createChat);
    if (!ConnectionError.is(error)) throw new Error('This is a ConnectionError');
    const outcome: 'not-sent' | 'unknown' = error.outcome;
    expect(outcome).toBe('not-sent');
  });

  test('is not-sent if a timeout expires before the second attempt is sent', async () => {
    let calls = 0;
    const apiKey = async () => {
      calls += 1;
      return calls === 1 ? 'sk-test' : new Promise<string>(() => undefined);
    };
    const { error, sent } = await failureAfter([unavailable, hang], submit, { apiKey });
    expect(sent).toHaveLength(1);
    expect(error).toMatchObject({ name: 'RequestTimeoutError', outcome: 'not-sent' });
  });

  test('is rejected if the caller aborts after a 503 and a refused connection', async () => {
    const { fetch, sent } = scripted(unavailable, unreachable);
    const clock = virtualClock();
    const stop = new AbortController();
    const gateway = clientOf(fetch, { clock, random: () => 1 });
    const failed = caught(submit(gateway, { signal: stop.signal }));
    await turns();
    await clock.advance(500);
    await turns();
    expect(sent).toHaveLength(2);
    stop.abort();
    expect(await failed).toMatchObject({ name: 'AbortedError', outcome: 'rejected' });
  });
});
