import { describe, expect, test } from 'vitest';

import {
  AbortedError,
  AuthenticationError,
  ChatStream,
  ConnectionError,
  PolygateError,
  RateLimitError,
  Stream,
  StreamError,
  StreamIdleTimeoutError,
  StreamTruncatedError,
} from '../../../src/index.ts';
import type { PolygateOptions } from '../../../src/index.ts';
import { createMockGateway } from '../../../src/mock/index.ts';
import {
  deltaEvent,
  streamingFetch,
  body,
  bytes,
  chunk,
  clientOf,
  contents,
  doneEvent,
  event,
  params,
  textEvent,
  finishEvent,
  streamHeaders,
  streamOf,
} from '../../support/event-stream.ts';
import { collect, rejection } from '../../support/rejection.ts';
import { turns } from '../../support/turns.ts';
import { virtualClock } from '../support.ts';

const pieces = [
  deltaEvent({ role: 'assistant', content: '' }),
  textEvent('Hél'),
  textEvent('lo\u2028\n'),
  textEvent('!', 1),
  finishEvent('stop', 1),
  finishEvent(),
  event(chunk([], { usage: { total_tokens: 3 } })),
  doneEvent,
];

/** The stream that a page reads when its server relays `stream`. */
const relayed = (stream: ChatStream) => ChatStream.fromReadableStream(stream.toReadableStream());

/** Reads an event stream as text. */
const textOf = (readable: ReadableStream<Uint8Array<ArrayBuffer>>) => new Response(readable).text();

describe('a stream that is relayed to a page', () => {
  test('has the same chunks, text and completion there', async () => {
    expect(await collect(relayed(streamOf(pieces)))).toEqual(await collect(streamOf(pieces)));
    expect(await relayed(streamOf(pieces)).final()).toEqual(await streamOf(pieces).final());
    expect(await collect(relayed(streamOf(pieces)).text())).toEqual(['Hél', 'lo\u2028\n']);
  });

  test('may also come from create()', async () => {
    const gateway = clientOf(streamingFetch(pieces));
    const created = await gateway.chat.completions.create({ ...params, stream: true });
    const stream = Stream.fromReadableStream(created.toReadableStream());
    expect(stream).toBeInstanceOf(Stream);
    expect(stream.meta).toMatchObject({ status: 200, concurrency: {} });
    expect(await contents(stream)).toEqual(await contents(streamOf(pieces)));
  });

  test('is sent as an event stream of its chunks that ends with [DONE]', async () => {
    const text = await textOf(
      streamOf([textEvent('a'), textEvent('b'), doneEvent]).toReadableStream(),
    );
    expect(text).toBe(textEvent('a') + textEvent('b') + doneEvent);
  });

  test('is sent in the pieces in which it arrived, and none is read ahead', async () => {
    const stream = streamOf([textEvent('a') + textEvent('b'), textEvent('c'), doneEvent]);
    const reader = stream.toReadableStream().getReader();
    const sizes: number[] = [];
    for (let read = await reader.read(); !read.done; read = await reader.read()) {
      await turns();
      sizes.push(read.value.length);
    }
    expect(sizes).toEqual([textEvent('a').length * 2, textEvent('c').length, doneEvent.length]);
  });

  test('is pulled only when the page reads', async () => {
    let pulls = 0;
    const source = new ReadableStream<Uint8Array<ArrayBuffer>>(
      {
        pull(controller) {
          pulls += 1;
          controller.enqueue(bytes(textEvent(`${pulls}`)));
        },
      },
      { highWaterMark: 0 },
    );
    const gateway = clientOf(async () => new Response(source, { headers: streamHeaders }));
    const chunks = relayed(gateway.chat.completions.stream(params))[Symbol.asyncIterator]();
    await turns(20);
    expect(pulls).toBe(0);
    for (let read = 1; read <= 5; read += 1) {
      await chunks.next();
      await turns();
      expect(pulls).toBe(read);
    }
  });

  test('is aborted on the server when the page disconnects', async () => {
    const { gateway, mock } = slowMock();
    const stream = gateway.chat.completions.stream({ ...params, model: 'aurora-chat' });
    const loop = async () => {
      for await (const { choices } of relayed(stream)) if (choices.length > 0) break;
    };
    await mock.clock.settle(loop());
    await turns();
    expect(mock.inFlight).toBe(0);
    expect(gateway.concurrency.inFlight).toBe(0);
    await expect(stream.final()).rejects.toBeInstanceOf(AbortedError);
  });
});

function slowMock(options: PolygateOptions = {}) {
  const mock = createMockGateway({ clock: 'virtual', chunkDelayMs: 1_000 });
  const { apiKey, baseURL, fetch, clock } = mock;
  return { mock, gateway: clientOf(fetch, { apiKey, baseURL, clock, ...options }) };
}

describe('errors reach the page with their class', () => {
  const cooks = { message: 'Too many cooks', type: 'api_error', code: 'kitchen_full' };

  test.each([
    ['truncation', [textEvent('Hello')], 'close', StreamTruncatedError],
    ['a reset', [textEvent('Hello')], 'reset', StreamTruncatedError],
    ['an error object', [textEvent('Hello'), event({ error: cooks })], 'close', StreamError],
    ['an invalid chunk', [textEvent('Hello'), 'data: 7\n\n'], 'close', StreamError],
  ] as const)('%s', async (_, sent, end, Class) => {
    const onServer = await rejection(Class, contents(streamOf(sent, end)));
    const onPage = await rejection(Class, contents(relayed(streamOf(sent, end))));
    expect(onPage.constructor).toBe(Class);
    const { message, name, outcome, code, type, partial } = onServer;
    expect(onPage).toMatchObject({ message, name, outcome, partial });
    expect({ code: onPage.code, type: onPage.type }).toEqual({ code, type });
    expect(onPage.meta?.requestId).toBe('req-7');
  });

  test('an idle timeout on the server', async () => {
    const clock = virtualClock();
    const stream = streamOf([textEvent('Hello')], 'stall', { clock, streamIdleTimeout: 5_000 });
    const error = await rejection(StreamIdleTimeoutError, clock.settle(contents(relayed(stream))));
    expect(error.partial?.choices[0]?.message.content).toBe('Hello');
  });

  test('an error response before the stream begins', async () => {
    const respondWith = (status: number, code: string) => () =>
      clientOf(async () =>
        Response.json(
          { error: { message: 'No', code } },
          { status, headers: { 'x-request-id': 'req-7', 'retry-after': '7' } },
        ),
      ).chat.completions.stream(params);
    const unauthorized = await rejection(
      AuthenticationError,
      relayed(respondWith(401, 'invalid_api_key')()).final(),
    );
    expect(unauthorized).toMatchObject({
      status: 401,
      code: 'invalid_api_key',
      outcome: 'rejected',
    });
    const limited = await rejection(
      RateLimitError,
      relayed(respondWith(429, 'slow_down')()).final(),
    );
    expect(limited).toMatchObject({ status: 429, retryAfterMs: 7_000, requestId: 'req-7' });
  });

  test('an abort and a failed connection on the server', async () => {
    const aborted = streamOf([textEvent('Hello')], 'stall');
    aborted.abort(new Error('secret'));
    const error = await rejection(AbortedError, relayed(aborted).final());
    expect(error.cause).toBeUndefined();
    const gateway = clientOf(async () => {
      throw new TypeError('fetch failed');
    });
    await rejection(ConnectionError, relayed(gateway.chat.completions.stream(params)).final());
  });

  test('without any headers, balances or bodies', async () => {
    const secret = { 'x-svc-balance-usd': '41.5', 'x-secret': 'canary' };
    const gateway = clientOf(async () =>
      Response.json(
        { error: { message: 'No' }, extra: 'canary' },
        { status: 402, headers: secret },
      ),
    );
    const text = await textOf(gateway.chat.completions.stream(params).toReadableStream());
    expect(text).not.toMatch(/canary|41\.5|sk-test/);
    expect(Object.keys(JSON.parse(text.slice('data: '.length)).error).toSorted()).toEqual([
      'message',
      'name',
      'outcome',
      'status',
    ]);
  });

  test('as a StreamError if the page does not know their class', async () => {
    const newError = event({ error: { name: 'NewError', message: 'Newer than this page' } });
    const stream = ChatStream.fromReadableStream(body([textEvent('a'), newError]));
    const failure = await rejection(StreamError, stream.final());
    expect(failure).toMatchObject({ name: 'StreamError', message: 'Newer than this page' });
    expect(PolygateError.is(failure)).toBe(true);
  });
});

describe('the connection to the page', () => {
  const complete = textEvent('Hello') + finishEvent() + doneEvent;

  test('cannot break at any point without a StreamTruncatedError, not even after a finish reason', async () => {
    for (let at = 0; at < complete.length - '\n\n'.length; at += 1) {
      const stream = ChatStream.fromReadableStream(body([complete.slice(0, at)]));
      const error = await rejection(StreamTruncatedError, contents(stream));
      expect(error.message).toContain('[relayed stream]');
    }
    await ChatStream.fromReadableStream(body([complete])).final();
  });

  test('is subject to the limits that the page sets', async () => {
    const clock = virtualClock();
    const stalled = ChatStream.fromReadableStream(body([textEvent('a')], 'stall'), { clock });
    const since = clock.now();
    await rejection(StreamIdleTimeoutError, clock.settle(stalled.final()));
    expect(clock.now() - since).toBe(60_000);
    const oversized = ChatStream.fromReadableStream(body([textEvent('x'.repeat(99))]), {
      maxEventBytes: 50,
    });
    await expect(oversized.final()).rejects.toThrow(/maxEventBytes \(50\)/);
    const reason = new Error('the user left');
    const signal = AbortSignal.abort(reason);
    const aborted = ChatStream.fromReadableStream(body([textEvent('a')], 'stall'), { signal });
    expect((await rejection(AbortedError, aborted.final())).cause).toBe(reason);
  });

  test('is kept open by comments while the model takes longer than the idle timeout of the page', async () => {
    const clock = virtualClock();
    const respondLate = async () => {
      await clock.sleep(300_000);
      return new Response(body([textEvent('a'), doneEvent]), { headers: streamHeaders });
    };
    const stream = clientOf(respondLate, { clock }).chat.completions.stream(params);
    const onPage = ChatStream.fromReadableStream(stream.toReadableStream(), { clock });
    expect(await clock.settle(contents(onPage))).toEqual(['a']);
  });

  test('buffers at most one unread comment', async () => {
    const clock = virtualClock();
    const stream = streamOf([textEvent('a')], 'stall', { clock, streamIdleTimeout: 1e9 });
    const reader = stream.toReadableStream().getReader();
    await reader.read();
    void reader.read();
    await clock.advance(600_000);
    const texts: string[] = [];
    for (let count = 0; count < 3; count += 1) {
      const { value } = await Promise.race([
        reader.read(),
        turns().then(() => ({ value: bytes('none') })),
      ]);
      texts.push(new TextDecoder().decode(value));
    }
    expect(texts).toEqual([':\n\n', 'none', 'none']);
    await reader.cancel();
  });
});
