import { describe, expect, test } from 'vitest';

import { ConnectionError, RequestTimeoutError } from '../../../src/index.ts';
import type { Outcome, Polygate, PolygateOptions, RequestOptions } from '../../../src/index.ts';
import {
  WatchedClock,
  caught,
  chat,
  clientOf,
  completed,
  drain,
  eventStream,
  hang,
  image,
  errorReply,
  scripted,
  streamReply,
  submitted,
  turns,
  completeStream,
} from '../support.ts';
import type { Reply } from '../support.ts';
import { lateResponse } from './late-response.ts';

type Call = (gateway: Polygate, options?: RequestOptions) => Promise<unknown>;
const list: Call = (gateway, options) => gateway.models.list({}, options);
const submit: Call = (gateway, options) => gateway.images.submit(image, options);
const createChat: Call = (gateway, options) => gateway.chat.completions.create(chat, options);
const stream: Call = (gateway, options) => gateway.chat.completions.stream(chat, options).final();
const halfBody = streamReply('{"id": "half of', () => void new Promise(() => undefined));

/** How long a call without a complete response lasts by the clock, and its error. */
async function run(call: Call, reply: Reply = hang, options: PolygateOptions = {}) {
  const clock = new WatchedClock();
  const { fetch, sent } = scripted(reply);
  const startedAt = clock.now();
  const error = await caught(
    clock.settle(call(clientOf(fetch, { clock, maxRetries: 0, ...options }))),
  );
  const elapsed = clock.now() - startedAt;
  await turns();
  return { error, elapsed, sent, clock };
}

describe('the attempt timeout', () => {
  test.each([
    ['a GET', list, 60_000],
    ['a submit', submit, 60_000],
    ['a chat', createChat, 600_000],
    ['a chat stream', stream, 600_000],
  ])('of %s has its default', async (_, call, ms) => {
    const { error, elapsed } = await run(call);
    expect(error).toBeInstanceOf(RequestTimeoutError);
    expect(error).toBeInstanceOf(ConnectionError);
    expect(error.outcome).toBe<Outcome>('unknown');
    expect(elapsed).toBe(ms);
  });

  test.each([
    ['a GET', list],
    ['a chat', createChat],
    ['a chat stream', stream],
  ])('of %s can be set for the client and for the call', async (_, call) => {
    expect((await run(call, hang, { timeout: 5_000 })).elapsed).toBe(5_000);
    const withTimeout: Call = (gateway) => call(gateway, { timeout: 700 });
    expect((await run(withTimeout, hang, { timeout: 5_000 })).elapsed).toBe(700);
  });

  test('covers the body', async () => {
    const { error, elapsed } = await run(submit, halfBody, { timeout: 5_000 });
    expect(error).toBeInstanceOf(RequestTimeoutError);
    expect(error.outcome).toBe('unknown');
    expect(elapsed).toBe(5_000);
  });

  test('covers fetching the API key, with outcome not-sent', async () => {
    const apiKey = () => new Promise<string>(() => undefined);
    const { error, sent } = await run(submit, submitted, { apiKey, timeout: 5_000 });
    expect(error).toBeInstanceOf(RequestTimeoutError);
    expect(error.outcome).toBe('not-sent');
    expect(error.message).toMatch(/^The request was not sent within 5000 ms \(timeout\)\./);
    expect(sent).toHaveLength(0);
  });

  test('says that no complete response arrived if an earlier attempt was sent', async () => {
    const clock = new WatchedClock();
    const { fetch } = scripted(errorReply(503));
    let isFirst = true;
    const apiKey = () => {
      if (!isFirst) return new Promise<string>(() => undefined);
      isFirst = false;
      return 'sk-first-key';
    };
    const gateway = clientOf(fetch, { clock, apiKey, maxRetries: 1, timeout: 5_000 });
    const error = await caught(clock.settle(gateway.images.submit(image)));
    expect(error.message).toMatch(/^No complete response within 5000 ms \(timeout\)\./);
    // The service has rejected the first attempt, and has not received the second.
    expect(error.outcome).toBe('not-sent');
  });

  test('of a stream covers only its headers', async () => {
    const clock = new WatchedClock();
    let more: () => void = () => undefined;
    const slowStream = streamReply(
      ': comment\n\n',
      (body) =>
        void new Promise<void>((resolve) => (more = resolve)).then(() => {
          body.enqueue(new TextEncoder().encode(completeStream));
          body.close();
        }),
      eventStream,
    );
    const { fetch } = scripted(slowStream);
    const gateway = clientOf(fetch, { clock, timeout: 1_000, streamIdleTimeout: 50_000 });
    const chunks = drain(gateway.chat.completions.stream(chat));
    await turns();
    await clock.advance(20_000);
    more();
    expect(await chunks).toHaveLength(2);
  });

  test('starts over with each attempt', async () => {
    const { sent, elapsed } = await run(list, hang, {
      timeout: 5_000,
      maxRetries: 2,
      random: () => 0,
    });
    expect(sent).toHaveLength(3);
    expect(elapsed).toBe(15_000);
  });

  test('does not run while a request waits for a slot', async () => {
    const clock = new WatchedClock();
    const { fetch } = scripted(hang, submitted);
    const options = { clock, concurrency: 1, timeout: 5_000, maxRetries: 0 };
    const gateway = clientOf(fetch, options);
    const first = caught(gateway.images.submit(image, { timeout: 20_000 }));
    await turns();
    const second = gateway.images.submit(image);
    expect((await clock.settle(second)).id).toBe('task_1');
    expect(await first).toBeInstanceOf(RequestTimeoutError);
  });

  test('is reported in one line, with the key of the request', async () => {
    const { error, sent } = await run(submit, hang, { timeout: 5_000 });
    expect(error.message).not.toContain('\n');
    expect(error.message).toContain('5000');
    expect(error.idempotencyKey).toBe(sent[0]?.headers.get('x-idempotency-key'));
  });
});

describe('after a timeout', () => {
  test('the signal passed to fetch is aborted', async () => {
    const { sent } = await run(submit, hang, { timeout: 5_000 });
    expect(sent[0]?.signal?.aborted).toBe(true);
  });

  test('the body of a late response is canceled', async () => {
    const late = lateResponse();
    const { sent } = await run(submit, late.reply, { timeout: 5_000 });
    expect(await late.isCanceled(sent[0])).toBe(true);
  });

  test('an endless body is canceled', async () => {
    let canceled = false;
    const body = streamReply(
      '{',
      () => void new Promise(() => undefined),
      {},
      () => (canceled = true),
    );
    await run(list, body, { timeout: 5_000 });
    expect(canceled).toBe(true);
  });
});

describe('no clock sleep is pending', () => {
  const completeReply = () => new Response(completeStream, eventStream);
  const readStream: Call = async (gateway) => drain(gateway.chat.completions.stream(chat));
  const leaveStream: Call = async (gateway) => {
    for await (const _ of gateway.chat.completions.stream(chat)) return;
  };

  test.each([
    ['a success', submit, submitted],
    ['a chat', createChat, completed],
    ['an error response', submit, errorReply(402)],
    ['retries', submit, errorReply(503)],
    ['timeouts', submit, hang],
    ['a body that stalls', list, halfBody],
    ['a complete stream', readStream, completeReply],
    ['a stream that was left early', leaveStream, completeReply],
    ['an unreadable response', list, () => new Response('')],
  ] as const)('after %s', async (_, call, reply) => {
    const clock = new WatchedClock();
    const { fetch } = scripted(reply);
    await clock.settle(call(clientOf(fetch, { clock })).catch(() => undefined));
    await turns();
    expect(clock.sleeps.length).toBeGreaterThan(0);
    expect(clock.pending).toBe(0);
  });
});
