import { getEventListeners } from 'node:events';

import { describe, expect, test } from 'vitest';

import {
  AbortedError,
  AuthenticationError,
  BadRequestError,
  ChatStream,
  ConnectionError,
  StreamIdleTimeoutError,
  StreamTruncatedError,
} from '../../src/index.ts';
import type { ChatParams, RequestOptions } from '../../src/index.ts';
import { onMock } from '../client/support.ts';
import {
  clientOf,
  contents,
  doneEvent,
  params,
  textEvent,
  finishEvent,
  streamOf,
} from '../support/event-stream.ts';
import { collect, rejection } from '../support/rejection.ts';
import { turns } from '../support/turns.ts';

const route = 'POST /v1/chat/completions';
const chatParams = {
  model: 'aurora-chat',
  messages: [{ role: 'user' as const, content: 'Describe a harbor' }],
} satisfies ChatParams;

describe('a chat stream', () => {
  test('is returned immediately, and has its metadata once the headers arrive', async () => {
    const { gateway, mock } = onMock({ latencyMs: 1_000 });
    const stream = gateway.chat.completions.stream(chatParams);
    expect(stream).toBeInstanceOf(ChatStream);
    expect(stream.meta).toBeUndefined();
    await mock.clock.advance(900);
    expect(stream.meta).toBeUndefined();
    await mock.clock.settle(contents(stream));
    expect(stream.meta).toMatchObject({ status: 200, chargeUsd: mock.invoice[0]?.usd });
  });

  test('yields chunks in a loop, and then resolves final() to the completion', async () => {
    const { gateway, mock } = onMock();
    const stream = gateway.chat.completions.stream(chatParams);
    const words = await contents(stream);
    const completion = await stream.final();
    expect(completion.choices[0]?.message.content).toBe(words.join(''));
    expect(completion.choices[0]?.finish_reason).toBe('stop');
    expect(mock.requests).toHaveLength(1);
  });

  test('yields only the text of the first choice in text()', async () => {
    const pieces = [textEvent('a'), textEvent('x', 1), textEvent(''), textEvent('b')];
    const stream = streamOf([...pieces, finishEvent(), doneEvent]);
    expect(await collect(stream.text())).toEqual(['a', 'b']);
    const { choices } = await stream.final();
    expect(choices.map(({ message }) => message.content)).toEqual(['ab', 'x']);
  });

  test('resolves final() without a loop, no matter how often it is called', async () => {
    const { gateway, mock } = onMock();
    const stream = gateway.chat.completions.stream(chatParams);
    const [one, other] = await Promise.all([stream.final(), stream.final()]);
    expect(one).toEqual(other);
    expect(one).toEqual(await stream.final());
    expect(mock.requests).toHaveLength(1);
  });

  test('resolves final() that is called during the loop', async () => {
    const stream = streamOf([textEvent('a'), textEvent('b'), doneEvent]);
    let pending: ReturnType<ChatStream['final']> | undefined;
    for await (const chunk of stream) {
      if (chunk.choices.length > 0) pending ??= stream.final();
    }
    expect((await pending)?.choices[0]?.message.content).toBe('ab');
  });

  test('can be read once; reading it again throws an error that says so', async () => {
    const stream = streamOf([textEvent('a'), doneEvent]);
    expect(await contents(stream)).toEqual(['a']);
    await expect(contents(stream)).rejects.toThrow(/once|already/);
    await expect(collect(stream.text())).rejects.toThrow(/once|already/);
    await expect(stream.final()).resolves.toMatchObject({ id: 'c-1' });
  });

  test('holds a concurrency slot until it ends', async () => {
    const { gateway, mock } = onMock({ chunkDelayMs: 100 });
    const stream = gateway.chat.completions.stream(chatParams);
    const chunks = stream[Symbol.asyncIterator]();
    await mock.clock.settle(chunks.next());
    expect(gateway.concurrency.inFlight).toBe(1);
    await mock.clock.settle(readToEnd(chunks));
    expect(gateway.concurrency.inFlight).toBe(0);
    expect(mock.inFlight).toBe(0);
  });
});

async function readToEnd(chunks: AsyncIterator<unknown, undefined, undefined>): Promise<void> {
  for (;;) if ((await chunks.next()).done) return;
}

describe('a break', () => {
  test('never throws, cancels the response and releases the slot', async () => {
    const { gateway, mock } = onMock();
    const stream = gateway.chat.completions.stream(chatParams);
    for await (const { choices } of stream) if (choices[0]?.delta.content) break;
    await turns();
    expect(mock.inFlight).toBe(0);
    expect(gateway.concurrency.inFlight).toBe(0);
    await expect(stream.final()).rejects.toBeInstanceOf(AbortedError);
  });

  test('out of text() does the same', async () => {
    const { gateway, mock } = onMock();
    const stream = gateway.chat.completions.stream(chatParams);
    for await (const word of stream.text()) if (word !== '') break;
    await turns();
    expect(mock.inFlight).toBe(0);
    await expect(stream.final()).rejects.toBeInstanceOf(AbortedError);
  });

  test('out of a stream of create() does the same', async () => {
    const { gateway, mock } = onMock();
    const stream = await gateway.chat.completions.create({ ...chatParams, stream: true });
    for await (const { choices } of stream) if (choices.length > 0) break;
    await turns();
    expect(mock.inFlight).toBe(0);
    expect(gateway.concurrency.inFlight).toBe(0);
  });

  test('caused by an error in the loop propagates that error', async () => {
    const loopError = new Error('from the loop');
    const loop = async () => {
      for await (const chunk of streamOf([textEvent('a'), doneEvent]))
        if (chunk.choices.length > 0) throw loopError;
    };
    await expect(loop()).rejects.toBe(loopError);
  });
});

describe('an abort', () => {
  const reason = new Error('the user left');

  test.each(['abort()', "the caller's signal"])(
    'by %s ends a pending iteration immediately',
    async (by) => {
      const stop = new AbortController();
      const { gateway, mock } = onMock({ chunkDelayMs: 10_000 });
      const stream = gateway.chat.completions.stream(chatParams, { signal: stop.signal });
      const chunks = stream[Symbol.asyncIterator]();
      await mock.clock.settle(chunks.next());
      const pending = rejection(AbortedError, chunks.next());
      await turns();
      if (by === 'abort()') stream.abort(reason);
      else stop.abort(reason);
      const error = await pending;
      expect(error.cause).toBe(reason);
      expect(error).toMatchObject({ name: 'AbortedError', outcome: 'unknown' });
      await expect(stream.final()).rejects.toMatchObject({ name: 'AbortedError', cause: reason });
      await turns();
      expect(mock.inFlight).toBe(0);
      expect(gateway.concurrency.inFlight).toBe(0);
    },
  );

  test('inside the loop ends it, even if more chunks have already arrived', async () => {
    const stream = streamOf([textEvent('a') + textEvent('b') + textEvent('c'), doneEvent]);
    const texts: unknown[] = [];
    const loop = async () => {
      for await (const { choices } of stream) {
        texts.push(choices[0]?.delta.content);
        stream.abort(reason);
      }
    };
    await expect(loop()).rejects.toMatchObject({ name: 'AbortedError', cause: reason });
    expect(texts).toEqual(['a']);
  });

  test.each([
    ['before the headers arrive', 10],
    ['before the request is sent', 0],
  ])('%s is an AbortedError in the loop and in final()', async (_, ms) => {
    const { gateway, mock } = onMock({ latencyMs: 60_000 });
    const stream = gateway.chat.completions.stream(chatParams);
    if (ms > 0) await mock.clock.advance(ms);
    expect(mock.requests).toHaveLength(ms > 0 ? 1 : 0);
    stream.abort(reason);
    const error = await rejection(AbortedError, contents(stream));
    expect(error.cause).toBe(reason);
    await expect(stream.final()).rejects.toMatchObject({ name: 'AbortedError', cause: reason });
    await turns();
    expect(gateway.concurrency.inFlight).toBe(0);
  });

  test('by a signal that is already aborted sends nothing', async () => {
    const { gateway, mock } = onMock();
    const options: RequestOptions = { signal: AbortSignal.abort(reason) };
    const stream = gateway.chat.completions.stream(chatParams, options);
    const error = await rejection(AbortedError, contents(stream));
    expect(error).toMatchObject({ cause: reason, outcome: 'not-sent' });
    expect(mock.requests).toEqual([]);
  });

  test('ends a stream from create() as well', async () => {
    const stop = new AbortController();
    const { gateway, mock } = onMock({ chunkDelayMs: 10_000 });
    const stream = await gateway.chat.completions.create(
      { ...chatParams, stream: true },
      { signal: stop.signal },
    );
    const chunks = stream[Symbol.asyncIterator]();
    await mock.clock.settle(chunks.next());
    const pending = rejection(AbortedError, chunks.next());
    stop.abort(reason);
    expect((await pending).cause).toBe(reason);
  });

  test('after the end has no effect', async () => {
    const stop = new AbortController();
    const { gateway } = onMock();
    const stream = gateway.chat.completions.stream(chatParams, { signal: stop.signal });
    await contents(stream);
    stop.abort(reason);
    stream.abort(reason);
    await expect(stream.final()).resolves.toMatchObject({ model: 'aurora-chat' });
  });
});

describe('errors of the request are thrown by the loop, text() and final()', () => {
  test('an error response', async () => {
    const { gateway } = onMock({}, { apiKey: 'sk-wrong' });
    const open = () => gateway.chat.completions.stream(chatParams);
    const stream = open();
    const error = await rejection(AuthenticationError, contents(stream));
    expect(error).toMatchObject({ status: 401, outcome: 'rejected' });
    await expect(stream.final()).rejects.toBe(error);
    await expect(open().final()).rejects.toBeInstanceOf(AuthenticationError);
    await expect(collect(open().text())).rejects.toBeInstanceOf(AuthenticationError);
    expect(gateway.concurrency.inFlight).toBe(0);
  });

  test('a broken connection, which is never retried', async () => {
    const { gateway, mock } = onMock();
    mock.fail({ route, reset: 'after' });
    const stream = gateway.chat.completions.stream(chatParams, { idempotencyKey: 'row-9' });
    const error = await rejection(ConnectionError, contents(stream));
    expect(error).toMatchObject({ outcome: 'unknown', idempotencyKey: 'row-9' });
    await expect(stream.final()).rejects.toBe(error);
    expect(mock.requests).toHaveLength(1);
  });

  test('without an unhandled rejection if the stream is never read', async () => {
    const gateway = clientOf(async () => {
      throw new TypeError('fetch failed');
    });
    gateway.chat.completions.stream(params);
    await turns();
    expect(gateway.concurrency.inFlight).toBe(0);
  });
});

test('a stream that is never read holds its slot until its idle timeout', async () => {
  const { gateway, mock } = onMock({}, { streamIdleTimeout: 30_000 });
  const stream = gateway.chat.completions.stream(chatParams);
  await mock.clock.advance(29_000);
  expect(gateway.concurrency.inFlight).toBe(1);
  expect(mock.inFlight).toBe(1);
  await mock.clock.advance(2_000);
  expect(gateway.concurrency.inFlight).toBe(0);
  expect(mock.inFlight).toBe(0);
  await expect(contents(stream)).rejects.toBeInstanceOf(StreamIdleTimeoutError);
});

test("no listener stays on the caller's signal, no matter how a stream ends", async () => {
  const { signal } = new AbortController();
  const { gateway, mock } = onMock({}, { streamIdleTimeout: 30_000 });
  const open = () => gateway.chat.completions.stream(chatParams, { signal });
  await open().final();
  await contents(
    await gateway.chat.completions.create({ ...chatParams, stream: true }, { signal }),
  );
  for await (const { choices } of open()) if (choices.length > 0) break;
  open().abort();
  mock.fail({ route, status: 400, times: 1 });
  await expect(open().final()).rejects.toBeInstanceOf(BadRequestError);
  mock.fail({ route, cutStreamAfter: 2, times: 1 });
  await expect(open().final()).rejects.toBeInstanceOf(StreamTruncatedError);
  await turns();
  expect(getEventListeners(signal, 'abort')).toEqual([]);
  open();
  await mock.clock.advance(31_000);
  expect(getEventListeners(signal, 'abort')).toEqual([]);
});
