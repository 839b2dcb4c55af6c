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
  adds,
  answering,
  body,
  bytes,
  chunk,
  clientOf,
  contents,
  done,
  event,
  params,
  says,
  stops,
  streamHeaders,
  streamOf,
  turns,
} from '../../support/event-stream.ts';
import { collect, rejection } from '../../support/rejection.ts';

const pieces = [
  adds({ role: 'assistant', content: '' }),
  says('Hél'),
  says('lo\u2028\n'),
  says('!', 1),
  stops('stop', 1),
  stops(),
  event(chunk([], { usage: { total_tokens: 3 } })),
  done,
];

/** What a page makes of the stream that its server has. */
const page = (stream: ChatStream) => ChatStream.fromReadableStream(stream.toReadableStream());

/** The text of an event stream. */
const textOf = (readable: ReadableStream<Uint8Array<ArrayBuffer>>) => new Response(readable).text();

describe('a stream that is handed to a page', () => {
  test('is the same stream there', async () => {
    expect(await collect(page(streamOf(pieces)))).toEqual(await collect(streamOf(pieces)));
    expect(await page(streamOf(pieces)).final()).toEqual(await streamOf(pieces).final());
    expect(await collect(page(streamOf(pieces)).text())).toEqual(['Hél', 'lo\u2028\n']);
  });

  test('of create() is one as well', async () => {
    const gateway = clientOf(answering(pieces));
    const created = await gateway.chat.completions.create({ ...params, stream: true });
    const stream = Stream.fromReadableStream(created.toReadableStream());
    expect(stream).toBeInstanceOf(Stream);
    expect(stream.meta).toMatchObject({ status: 200, concurrency: {} });
    expect(await contents(stream)).toEqual(await contents(streamOf(pieces)));
  });

  test('travels as an event stream of its chunks, with [DONE] at its end', async () => {
    const text = await textOf(streamOf([says('a'), says('b'), done]).toReadableStream());
    expect(text).toBe(says('a') + says('b') + done);
  });

  test('travels in the pieces in which it came, and none is read ahead', async () => {
    const stream = streamOf([says('a') + says('b'), says('c'), done]);
    const reader = stream.toReadableStream().getReader();
    const sizes: number[] = [];
    for (let read = await reader.read(); !read.done; read = await reader.read()) {
      await turns();
      sizes.push(read.value.length);
    }
    expect(sizes).toEqual([says('a').length * 2, says('c').length, done.length]);
  });

  test('pulls only what the page asks for', async () => {
    let pulls = 0;
    const source = new ReadableStream<Uint8Array<ArrayBuffer>>(
      {
        pull(controller) {
          pulls += 1;
          controller.enqueue(bytes(says(`${pulls}`)));
        },
      },
      { highWaterMark: 0 },
    );
    const gateway = clientOf(async () => new Response(source, { headers: streamHeaders }));
    const chunks = page(gateway.chat.completions.stream(params))[Symbol.asyncIterator]();
    await turns(20);
    expect(pulls).toBe(0);
    for (let read = 1; read <= 5; read += 1) {
      await chunks.next();
      await turns();
      expect(pulls).toBe(read);
    }
  });

  test('is aborted on the server when the page leaves', async () => {
    const { gateway, mock } = slowMock();
    const stream = gateway.chat.completions.stream({ ...params, model: 'aurora-chat' });
    const loop = async () => {
      for await (const { choices } of page(stream)) if (choices.length > 0) break;
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

describe('errors cross to the page as what they are', () => {
  const cooks = { message: 'Too many cooks', type: 'api_error', code: 'kitchen_full' };

  test.each([
    ['truncation', [says('Hello')], 'close', StreamTruncatedError],
    ['a reset', [says('Hello')], 'reset', StreamTruncatedError],
    ['an error object', [says('Hello'), event({ error: cooks })], 'close', StreamError],
    ['no chunk', [says('Hello'), 'data: 7\n\n'], 'close', StreamError],
  ] as const)('%s', async (_, given, end, Class) => {
    const there = await rejection(Class, contents(streamOf(given, end)));
    const here = await rejection(Class, contents(page(streamOf(given, end))));
    expect(here.constructor).toBe(Class);
    const { message, name, outcome, code, type, partial } = there;
    expect(here).toMatchObject({ message, name, outcome, partial });
    expect({ code: here.code, type: here.type }).toEqual({ code, type });
    expect(here.meta?.requestId).toBe('req-7');
  });

  test('silence, as the server measures it', async () => {
    const clock = createMockGateway({ clock: 'virtual' }).clock;
    const stream = streamOf([says('Hello')], 'stall', { clock, streamIdleTimeout: 5_000 });
    const error = await rejection(StreamIdleTimeoutError, clock.settle(contents(page(stream))));
    expect(error.partial?.choices[0]?.message.content).toBe('Hello');
  });

  test('a refusal, before there is a stream at all', async () => {
    const refuse = (status: number, code: string) => () =>
      clientOf(async () =>
        Response.json(
          { error: { message: 'No', code } },
          { status, headers: { ...streamHeaders, 'retry-after': '7' } },
        ),
      ).chat.completions.stream(params);
    const unknown = await rejection(
      AuthenticationError,
      page(refuse(401, 'invalid_api_key')()).final(),
    );
    expect(unknown).toMatchObject({ status: 401, code: 'invalid_api_key', outcome: 'rejected' });
    const busy = await rejection(RateLimitError, page(refuse(429, 'slow_down')()).final());
    expect(busy).toMatchObject({ status: 429, retryAfterMs: 7_000, requestId: 'req-7' });
  });

  test('an abort and a broken connection of the server', async () => {
    const aborted = streamOf([says('Hello')], 'stall');
    aborted.abort(new Error('secret'));
    const error = await rejection(AbortedError, page(aborted).final());
    expect(error.cause).toBeUndefined();
    const gateway = clientOf(async () => {
      throw new TypeError('fetch failed');
    });
    await rejection(ConnectionError, page(gateway.chat.completions.stream(params)).final());
  });

  test('without anything of the headers, the wallet or the body', async () => {
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

  test('of a class that the page does not know, as a StreamError', async () => {
    const told = event({ error: { name: 'NewError', message: 'Later than this page' } });
    const stream = ChatStream.fromReadableStream(body([says('a'), told]));
    const failure = await rejection(StreamError, stream.final());
    expect(failure).toMatchObject({ name: 'StreamError', message: 'Later than this page' });
    expect(PolygateError.is(failure)).toBe(true);
  });
});

describe('the way to the page', () => {
  const whole = says('Hello') + stops() + done;

  test('may break nowhere without a StreamTruncatedError, not even after a finish reason', async () => {
    for (let at = 0; at < whole.length - '\n\n'.length; at += 1) {
      const stream = ChatStream.fromReadableStream(body([whole.slice(0, at)]));
      const error = await rejection(StreamTruncatedError, contents(stream));
      expect(error.message).toContain('[relayed stream]');
    }
    await ChatStream.fromReadableStream(body([whole])).final();
  });

  test('has the limits that the page sets', async () => {
    const { clock } = createMockGateway({ clock: 'virtual' });
    const stalled = ChatStream.fromReadableStream(body([says('a')], 'stall'), { clock });
    const since = clock.now();
    await rejection(StreamIdleTimeoutError, clock.settle(stalled.final()));
    expect(clock.now() - since).toBe(60_000);
    const long = ChatStream.fromReadableStream(body([says('x'.repeat(99))]), { maxEventBytes: 50 });
    await expect(long.final()).rejects.toThrow(/maxEventBytes \(50\)/);
    const reason = new Error('the user left');
    const signal = AbortSignal.abort(reason);
    const left = ChatStream.fromReadableStream(body([says('a')], 'stall'), { signal });
    expect((await rejection(AbortedError, left.final())).cause).toBe(reason);
  });

  test('is kept open by comments while the model thinks for longer than the page waits', async () => {
    const { clock } = createMockGateway({ clock: 'virtual' });
    const late = async () => {
      await clock.sleep(300_000);
      return new Response(body([says('a'), done]), { headers: streamHeaders });
    };
    const stream = clientOf(late, { clock }).chat.completions.stream(params);
    const here = ChatStream.fromReadableStream(stream.toReadableStream(), { clock });
    expect(await clock.settle(contents(here))).toEqual(['a']);
  });

  test('gets no comments that nobody reads', async () => {
    const { clock } = createMockGateway({ clock: 'virtual' });
    const stream = streamOf([says('a')], 'stall', { clock, streamIdleTimeout: 1e9 });
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
