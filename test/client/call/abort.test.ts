import { getEventListeners } from 'node:events';

import { describe, expect, test } from 'vitest';

import { AbortedError } from '../../../src/index.ts';
import type { Outcome, Polygate, RequestOptions } from '../../../src/index.ts';
import {
  WatchedClock,
  caught,
  chat,
  clientOf,
  completed,
  drain,
  eventStream,
  firstEvent,
  hang,
  image,
  modelList,
  errorReply,
  reset,
  scripted,
  streamReply,
  submitted,
  turns,
  unreachable,
  completeStream,
} from '../support.ts';
import type { Caught, Reply } from '../support.ts';
import { lateResponse } from './late-response.ts';

const submit = (gateway: Polygate, options: RequestOptions): Promise<unknown> =>
  gateway.images.submit(image, options);
const list = (gateway: Polygate, options: RequestOptions): Promise<unknown> =>
  gateway.models.list({}, options);
const stall = () => new Promise<void>(() => undefined);
/** Headers and the start of a body, and then nothing more, even after an abort. */
const halfBody: Reply = streamReply('{"id": "half of', () => void stall());

type Replies = [Reply, ...Reply[]];
type Call = (gateway: Polygate, options: RequestOptions) => Promise<unknown>;
const abortReason = new Error('no longer wanted');

/** Makes a call, aborts it after `ms`, and returns its error if it rejects immediately. */
async function abortLater(
  replies: Replies,
  call: Call,
  abort: (stop: AbortController) => void = (stop) => stop.abort(abortReason),
  ms = 0,
) {
  const clock = new WatchedClock();
  const { fetch, sent } = scripted(...replies);
  const gateway = clientOf(fetch, { clock });
  const stop = new AbortController();
  const state: { error?: Caught } = {};
  const ended = caught(call(gateway, { signal: stop.signal })).then((error) => {
    state.error = error;
  });
  await turns(10);
  await clock.advance(ms);
  expect(state.error).toBeUndefined();
  abort(stop);
  await turns(1);
  const { error } = state;
  await ended;
  await turns();
  return { clock, sent, stop, gateway, error };
}

const moments: readonly (readonly [string, Replies, number, Outcome, number])[] = [
  ['while the call waits for headers and fetch ignores the signal', [hang], 1, 'unknown', 0],
  ['while the call reads the body', [halfBody], 1, 'unknown', 0],
  ['in the delay after a refused connection', [unreachable, submitted], 1, 'not-sent', 0],
  ['in the delay after a 503', [errorReply(503), submitted], 1, 'rejected', 0],
  ['in the delay after a reset', [reset, submitted], 1, 'unknown', 0],
  ['in the second attempt after a 503', [errorReply(503), hang], 2, 'unknown', 1_000],
  ['in the second attempt after a reset', [reset, hang], 2, 'unknown', 1_000],
  [
    'while the call waits for a slot after a 429',
    [errorReply(429, 'concurrency_limit_exceeded')],
    1,
    'rejected',
    0,
  ],
];

describe.each(moments)('an abort %s', (_, replies, count, outcome, ms) => {
  test('rejects a submit immediately with the reason, the outcome and the key', async () => {
    const { error, sent } = await abortLater(replies, submit, undefined, ms);
    expect(error).toBeInstanceOf(AbortedError);
    expect(error?.cause).toBe(abortReason);
    expect(error?.outcome).toBe(outcome);
    expect(error?.idempotencyKey).toBe(sent[0]?.headers.get('x-idempotency-key'));
    expect(sent).toHaveLength(count);
  });

  test('leaves no timer, no listener and no slot behind', async () => {
    const { clock, stop, gateway, sent } = await abortLater(replies, submit, undefined, ms);
    expect(getEventListeners(stop.signal, 'abort')).toHaveLength(0);
    expect(gateway.concurrency).toMatchObject({ inFlight: 0, queued: 0 });
    // The client-wide pause after a 429 ends by itself.
    await clock.advance(10_000);
    expect(clock.pending).toBe(0);
    expect(sent).toHaveLength(count);
  });
});

test('an abort of a request without side effects has an outcome, too', async () => {
  const controller = new AbortController();
  const { fetch } = scripted(hang);
  const listed = caught(clientOf(fetch).models.list({}, { signal: controller.signal }));
  await turns();
  controller.abort();
  expect(await listed).toMatchObject({ name: 'AbortedError', outcome: 'unknown' });
});

test('an abort in the queue rejects immediately with the outcome not-sent', async () => {
  const clock = new WatchedClock();
  const { fetch, sent } = scripted(hang);
  const gateway = clientOf(fetch, { clock, concurrency: 1 });
  const first = new AbortController();
  const running = caught(submit(gateway, { signal: first.signal }));
  await turns();
  const timers = clock.pending;
  const stop = new AbortController();
  const queued = caught(submit(gateway, { signal: stop.signal }));
  await turns();
  expect(clock.pending).toBe(timers + 1);
  stop.abort(abortReason);
  const error = await queued;
  expect(error).toBeInstanceOf(AbortedError);
  expect(error).toMatchObject({ cause: abortReason, outcome: 'not-sent' });
  expect(error.idempotencyKey).toMatch(/^[!-~]{8,200}$/);
  expect(getEventListeners(stop.signal, 'abort')).toHaveLength(0);
  expect(clock.pending).toBe(timers);
  expect(sent).toHaveLength(1);
  first.abort();
  await running;
});

describe('an abort before the call', () => {
  const calls: readonly (readonly [string, Call])[] = [
    ['a GET', list],
    ['a submit', submit],
    ['a chat', (gateway, options) => gateway.chat.completions.create(chat, options)],
    ['a stream', (gateway, options) => gateway.chat.completions.stream(chat, options).final()],
    ['a raw response', (gateway, options) => gateway.models.list({}, options).asResponse()],
    ['a wait', (gateway, { signal }) => gateway.images.wait('task_1', { signal })],
  ];

  test.each(calls)('sends no request for %s', async (_, call) => {
    const { fetch, sent } = scripted(modelList);
    const signal = AbortSignal.abort('too late');
    const error = await caught(call(clientOf(fetch), { signal }));
    expect(error).toBeInstanceOf(AbortedError);
    expect(error.cause).toBe('too late');
    expect(sent).toHaveLength(0);
    expect(getEventListeners(signal, 'abort')).toHaveLength(0);
  });

  test('has the outcome not-sent', async () => {
    const { fetch } = scripted(submitted);
    const error = await caught(submit(clientOf(fetch), { signal: AbortSignal.abort() }));
    expect(error.outcome).toBe('not-sent');
  });

  test('has the outcome not-sent while the API key is fetched', async () => {
    const { fetch, sent } = scripted(submitted);
    const stop = new AbortController();
    const gateway = clientOf(fetch, { apiKey: () => new Promise<string>(() => undefined) });
    const call = caught(submit(gateway, { signal: stop.signal }));
    await turns();
    stop.abort();
    expect(await call).toMatchObject({ outcome: 'not-sent', cause: stop.signal.reason });
    expect(sent).toHaveLength(0);
  });
});

describe('an abort reason', () => {
  test.each([['a string'], [0], [null], [false], [new Error('mine')], [{ mine: true }]])(
    '%j is the cause of the error, unchanged',
    async (reason) => {
      const { error } = await abortLater([hang], list, (stop) => stop.abort(reason));
      expect(error).toBeInstanceOf(AbortedError);
      expect(error).toHaveProperty('cause');
      expect(error?.cause).toBe(reason);
    },
  );

  test("of abort() without an argument is the platform's AbortError", async () => {
    const { error, stop } = await abortLater([hang], list, (controller) => {
      controller.abort();
    });
    expect(error?.cause).toBe(stop.signal.reason);
    expect(error?.cause).toMatchObject({ name: 'AbortError' });
  });

  test('of AbortSignal.timeout is the cause of the error', async () => {
    const signal = AbortSignal.timeout(1);
    const error = await caught(list(clientOf(scripted(hang).fetch), { signal }));
    expect(error).toBeInstanceOf(AbortedError);
    expect(error.cause).toBe(signal.reason);
  });
});

describe('fetch', () => {
  test('receives the abort signal', async () => {
    const { sent, error } = await abortLater([hang], submit);
    expect(error).toBeInstanceOf(AbortedError);
    expect(sent[0]?.signal?.aborted).toBe(true);
  });

  test('has its response body canceled if it responds after the abort', async () => {
    const late = lateResponse();
    const { sent } = await abortLater([late.reply], submit);
    expect(await late.isCanceled(sent[0])).toBe(true);
  });

  test('has its response body canceled if the body ignores the abort', async () => {
    let canceled = false;
    const body = streamReply(
      '{',
      () => void stall(),
      {},
      () => (canceled = true),
    );
    await abortLater([body], list);
    expect(canceled).toBe(true);
  });
});

describe('a signal has no listeners left after a call that', () => {
  const stream = () => new Response(completeStream, eventStream);
  const cutStream = streamReply(
    firstEvent,
    (body) => body.error(new TypeError('terminated')),
    eventStream,
  );
  const readAll = async (gateway: Polygate, options: RequestOptions) =>
    drain(gateway.chat.completions.stream(chat, options));
  const leaveEarly = async (gateway: Polygate, options: RequestOptions) => {
    for await (const _ of gateway.chat.completions.stream(chat, options)) return;
  };
  const raw = async (gateway: Polygate, options: RequestOptions) =>
    (await gateway.models.list({}, options).asResponse()).text();
  const done = () =>
    Response.json({ id: 'task_1', status: 'completed', image_url: 'https://x.example/1.png' });

  test.each([
    ['succeeds', [modelList], list],
    ['is rejected', [errorReply(400)], list],
    ['is retried', [errorReply(503), reset, modelList], list],
    ['runs out of retries', [reset], submit],
    ['times out', [hang], submit],
    ['has an unreadable response', [() => new Response('<html>')], submit],
    ['waits for a slot', [errorReply(429, 'concurrency_limit_exceeded'), submitted], submit],
    [
      'is a chat completion',
      [completed],
      (gateway: Polygate, options: RequestOptions) =>
        gateway.chat.completions.create(chat, options),
    ],
    ['streams to the end', [stream], readAll],
    ['streams and is left early', [stream], leaveEarly],
    ['streams and is cut off', [cutStream], readAll],
    ['returns a raw response', [modelList], raw],
    [
      'generates',
      [submitted, done],
      (gateway: Polygate, options: RequestOptions) => gateway.images.generate(image, options),
    ],
    [
      'fails before it is sent',
      [modelList],
      (gateway: Polygate, options: RequestOptions) => gateway.models.retrieve('..', options),
    ],
  ] as const)('%s', async (_, replies, call) => {
    const clock = new WatchedClock();
    const { fetch } = scripted(...(replies as unknown as [Reply, ...Reply[]]));
    const { signal } = new AbortController();
    const promise: Promise<unknown> = call(clientOf(fetch, { clock }), { signal });
    await clock.settle(promise.catch(() => undefined));
    await turns();
    expect(getEventListeners(signal, 'abort')).toHaveLength(0);
    await clock.advance(10_000);
    expect(clock.pending).toBe(0);
  });
});
