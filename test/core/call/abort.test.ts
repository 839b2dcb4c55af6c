import { getEventListeners } from 'node:events';

import { describe, expect, test } from 'vitest';

import { AbortedError } from '../../../src/index.ts';
import type { Outcome, Polygate, RequestOptions } from '../../../src/index.ts';
import { lateAnswer } from './late-response.ts';
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
  refusal,
  reset,
  scripted,
  streamed,
  submitted,
  turns,
  unreachable,
  wholeStream,
} from '../support.ts';
import type { Caught, Reply } from '../support.ts';

const submit = (gateway: Polygate, options: RequestOptions): Promise<unknown> =>
  gateway.images.submit(image, options);
const list = (gateway: Polygate, options: RequestOptions): Promise<unknown> =>
  gateway.models.list({}, options);
const stall = () => new Promise<void>(() => undefined);
/** Headers at once, the beginning of a body, and then nothing for ever, whatever is aborted. */
const halfBody: Reply = streamed('{"id": "half of', () => void stall());

type Replies = [Reply, ...Reply[]];
type Call = (gateway: Polygate, options: RequestOptions) => Promise<unknown>;
const unwanted = new Error('no longer wanted');

/** Makes a call, aborts it after `ms` and looks at once whether it is over. */
async function abortLater(
  replies: Replies,
  call: Call,
  abort: (stop: AbortController) => void = (stop) => stop.abort(unwanted),
  ms = 0,
) {
  const clock = new WatchedClock();
  const { fetch, sent } = scripted(...replies);
  const gateway = clientOf(fetch, { clock });
  const stop = new AbortController();
  const seen: { error?: Caught } = {};
  const ended = caught(call(gateway, { signal: stop.signal })).then((error) => {
    seen.error = error;
  });
  await turns(10);
  await clock.advance(ms);
  expect(seen.error).toBeUndefined();
  abort(stop);
  await turns(1);
  const { error } = seen;
  await ended;
  await turns();
  return { clock, sent, stop, gateway, error };
}

const moments: readonly (readonly [string, Replies, number, Outcome, number])[] = [
  ['while it waits for headers, and fetch ignores its signal', [hang], 1, 'unknown', 0],
  ['while it reads the body', [halfBody], 1, 'unknown', 0],
  ['in the pause after a refused connection', [unreachable, submitted], 1, 'not-sent', 0],
  ['in the pause after a 503', [refusal(503), submitted], 1, 'rejected', 0],
  ['in the pause after a reset', [reset, submitted], 1, 'unknown', 0],
  ['in the second attempt after a 503', [refusal(503), hang], 2, 'unknown', 1_000],
  ['in the second attempt after a reset', [reset, hang], 2, 'unknown', 1_000],
  ['while a 429 waits for a slot', [refusal(429, 'concurrency_limit_exceeded')], 1, 'rejected', 0],
];

describe.each(moments)('an abort %s', (_, replies, count, outcome, ms) => {
  test('rejects a submit at once with the reason, the outcome and the key', async () => {
    const { error, sent } = await abortLater(replies, submit, undefined, ms);
    expect(error).toBeInstanceOf(AbortedError);
    expect(error?.cause).toBe(unwanted);
    expect(error?.outcome).toBe(outcome);
    expect(error?.idempotencyKey).toBe(sent[0]?.headers.get('x-idempotency-key'));
    expect(sent).toHaveLength(count);
  });

  test('leaves no timer, no listener and no slot behind', async () => {
    const { clock, stop, gateway, sent } = await abortLater(replies, submit, undefined, ms);
    expect(getEventListeners(stop.signal, 'abort')).toHaveLength(0);
    expect(gateway.concurrency).toMatchObject({ inFlight: 0, queued: 0 });
    // The pause of everybody after a 429 ends by itself.
    await clock.advance(10_000);
    expect(clock.pending).toBe(0);
    expect(sent).toHaveLength(count);
  });
});

test('an abort in the queue rejects at once: the request was never sent', async () => {
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
  stop.abort(unwanted);
  const error = await queued;
  expect(error).toBeInstanceOf(AbortedError);
  expect(error).toMatchObject({ cause: unwanted, outcome: 'not-sent' });
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
    ['a raw answer', (gateway, options) => gateway.models.list({}, options).asResponse()],
    ['a wait', (gateway, { signal }) => gateway.images.wait('task_1', { signal })],
  ];

  test.each(calls)('sends nothing of %s', async (_, call) => {
    const { fetch, sent } = scripted(modelList);
    const signal = AbortSignal.abort('too late');
    const error = await caught(call(clientOf(fetch), { signal }));
    expect(error).toBeInstanceOf(AbortedError);
    expect(error.cause).toBe('too late');
    expect(sent).toHaveLength(0);
    expect(getEventListeners(signal, 'abort')).toHaveLength(0);
  });

  test('was never sent', async () => {
    const { fetch } = scripted(submitted);
    const error = await caught(submit(clientOf(fetch), { signal: AbortSignal.abort() }));
    expect(error.outcome).toBe('not-sent');
  });

  test('while the key is fetched was never sent either', async () => {
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

describe('the reason', () => {
  test.each([['a text'], [0], [null], [false], [new Error('mine')], [{ mine: true }]])(
    '%j is the cause as it is',
    async (reason) => {
      const { error } = await abortLater([hang], list, (stop) => stop.abort(reason));
      expect(error).toBeInstanceOf(AbortedError);
      expect(error).toHaveProperty('cause');
      expect(error?.cause).toBe(reason);
    },
  );

  test("of abort() without one is the platform's AbortError", async () => {
    const { error, stop } = await abortLater([hang], list, (controller) => {
      controller.abort();
    });
    expect(error?.cause).toBe(stop.signal.reason);
    expect(error?.cause).toMatchObject({ name: 'AbortError' });
  });

  test('of AbortSignal.timeout is a TimeoutError', async () => {
    const signal = AbortSignal.timeout(1);
    const error = await caught(list(clientOf(scripted(hang).fetch), { signal }));
    expect(error).toBeInstanceOf(AbortedError);
    expect(error.cause).toBe(signal.reason);
  });
});

describe('fetch', () => {
  test('is told of the abort', async () => {
    const { sent, error } = await abortLater([hang], submit);
    expect(error).toBeInstanceOf(AbortedError);
    expect(sent[0]?.signal?.aborted).toBe(true);
  });

  test('that answers after the abort has its body cancelled', async () => {
    const late = lateAnswer();
    const { sent } = await abortLater([late.reply], submit);
    expect(await late.isCancelled(sent[0])).toBe(true);
  });

  test('whose body ignores the abort has it cancelled', async () => {
    let cancelled = false;
    const body = streamed(
      '{',
      () => void stall(),
      {},
      () => (cancelled = true),
    );
    await abortLater([body], list);
    expect(cancelled).toBe(true);
  });
});

describe('a signal has no listener left when a call', () => {
  const stream = () => new Response(wholeStream, eventStream);
  const cutStream = streamed(
    firstEvent,
    (body) => body.error(new TypeError('terminated')),
    eventStream,
  );
  const readAll = async (gateway: Polygate, options: RequestOptions) =>
    drain(gateway.chat.completions.stream(chat, options));
  const leave = async (gateway: Polygate, options: RequestOptions) => {
    for await (const _ of gateway.chat.completions.stream(chat, options)) return;
  };
  const raw = async (gateway: Polygate, options: RequestOptions) =>
    (await gateway.models.list({}, options).asResponse()).text();
  const done = () =>
    Response.json({ id: 'task_1', status: 'completed', image_url: 'https://x.example/1.png' });

  test.each([
    ['succeeds', [modelList], list],
    ['is refused', [refusal(400)], list],
    ['is retried', [refusal(503), reset, modelList], list],
    ['gives up', [reset], submit],
    ['times out', [hang], submit],
    ['cannot be read', [() => new Response('<html>')], submit],
    ['waits for a slot', [refusal(429, 'concurrency_limit_exceeded'), submitted], submit],
    [
      'is a chat',
      [completed],
      (gateway: Polygate, options: RequestOptions) =>
        gateway.chat.completions.create(chat, options),
    ],
    ['streams to the end', [stream], readAll],
    ['streams and is left', [stream], leave],
    ['streams and breaks', [cutStream], readAll],
    ['is read by the caller', [modelList], raw],
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
