import { describe, expect, test } from 'vitest';

import { emptyMeta } from '../../../src/client/http/response-meta.ts';
import { teeSource } from '../../../src/client/stream/source.ts';
import { AbortedError, Stream, StreamTruncatedError } from '../../../src/index.ts';
import type { ChatCompletionChunk, ChatStream } from '../../../src/index.ts';
import {
  streamingFetch,
  bytes,
  clientOf,
  contents,
  doneEvent,
  params,
  textEvent,
  finishEvent,
  streamHeaders,
  streamOf,
} from '../../support/event-stream.ts';
import { collect, rejection } from '../../support/rejection.ts';
import { turns } from '../../support/turns.ts';
import { virtualClock } from '../support.ts';

const words = ['a', 'b', 'c', 'd'];
const pieces = [...words.map((word) => textEvent(word)), finishEvent(), doneEvent];

async function created(): Promise<Stream<ChatCompletionChunk>> {
  return clientOf(streamingFetch(pieces)).chat.completions.create({ ...params, stream: true });
}

describe('tee()', () => {
  const streams: Record<string, () => Promise<Stream<ChatCompletionChunk> | ChatStream>> = {
    'a stream of create()': created,
    'a chat stream': async () => streamOf(pieces),
  };

  test.each(Object.entries(streams))(
    'returns two streams of the same kind: %s',
    async (_, open) => {
      const stream = await open();
      const [one, other] = stream.tee();
      expect(one.constructor).toBe(stream.constructor);
      expect(await contents(one)).toEqual([...words, '']);
      expect(await contents(other)).toEqual([...words, '']);
      expect(other.meta?.requestId).toBe('req-7');
    },
  );

  test('lets each stream be read in its own way and at its own pace', async () => {
    const [one, other] = streamOf(pieces).tee();
    const slow = one.text();
    const received = [await slow.next()];
    const completion = await other.final();
    expect(completion.choices[0]?.message.content).toBe('abcd');
    for (let next = await slow.next(); !next.done; next = await slow.next()) received.push(next);
    expect(received.map(({ value }) => value)).toEqual(words);
    expect(await one.final()).toEqual(completion);
  });

  test('can be repeated on its results, with a single request in total', async () => {
    let requestCount = 0;
    const fetch = streamingFetch(pieces);
    const gateway = clientOf(async (...args) => {
      requestCount += 1;
      return fetch(...args);
    });
    const [one, rest] = gateway.chat.completions.stream(params).tee();
    const all = [one, ...rest.tee()];
    const texts = await Promise.all(all.map((stream) => collect(stream.text())));
    expect(texts).toEqual([words, words, words]);
    expect(requestCount).toBe(1);
  });

  test('replaces the stream, which can no longer be read', async () => {
    const stream = streamOf(pieces);
    stream.tee();
    expect(() => stream.tee()).toThrow(/already/);
    expect(() => stream.toReadableStream()).toThrow(/already/);
    await expect(contents(stream)).rejects.toThrow(/already/);
  });

  test('rejects both streams with the same error', async () => {
    const [one, other] = streamOf([textEvent('a')]).tee();
    const error = await rejection(StreamTruncatedError, contents(one));
    await expect(contents(other)).rejects.toBe(error);
    await expect(other.final()).rejects.toBe(error);
  });

  test('cancels the response once both streams are aborted, not before', async () => {
    let canceled = false;
    const body = new ReadableStream<Uint8Array<ArrayBuffer>>({
      start: (controller) => controller.enqueue(bytes(textEvent('a') + textEvent('b'))),
      cancel() {
        canceled = true;
      },
    });
    const gateway = clientOf(async () => new Response(body, { headers: streamHeaders }));
    const [one, other] = gateway.chat.completions.stream(params).tee();
    for await (const { choices } of one) if (choices.length > 0) break;
    await expect(one.final()).rejects.toBeInstanceOf(AbortedError);
    await turns();
    expect(canceled).toBe(false);
    const chunks = other[Symbol.asyncIterator]();
    expect((await chunks.next()).value?.choices[0]?.delta.content).toBe('a');
    expect((await chunks.next()).value?.choices[0]?.delta.content).toBe('b');
    const pending = rejection(AbortedError, chunks.next());
    const reason = new Error('enough');
    other.abort(reason);
    expect((await pending).cause).toBe(reason);
    await turns();
    expect(canceled).toBe(true);
    expect(gateway.concurrency.inFlight).toBe(0);
  });

  test('lets one stream be aborted during a read while the other continues', async () => {
    const [one, other] = streamOf([textEvent('a')], 'stall').tee();
    const chunks = one[Symbol.asyncIterator]();
    await chunks.next();
    const pending = rejection(AbortedError, chunks.next());
    one.abort();
    await pending;
    expect((await other[Symbol.asyncIterator]().next()).value?.id).toBe('c-1');
  });

  test('pulls no more than the faster stream reads', async () => {
    let pulls = 0;
    const body = new ReadableStream<Uint8Array<ArrayBuffer>>(
      {
        pull(controller) {
          pulls += 1;
          controller.enqueue(bytes(textEvent(`${pulls}`)));
        },
      },
      { highWaterMark: 0 },
    );
    const gateway = clientOf(async () => new Response(body, { headers: streamHeaders }));
    const [one] = gateway.chat.completions.stream(params).tee();
    const chunks = one[Symbol.asyncIterator]();
    for (let read = 1; read <= 5; read += 1) {
      await chunks.next();
      await turns(2);
      expect(pulls).toBe(read);
    }
    one.abort();
  });
});

/** A source that never has an item, and counts how often it was aborted. */
function silentSource() {
  const source = {
    final: new Promise<never>(() => undefined),
    clock: virtualClock(),
    meta: undefined,
    partial: undefined,
    aborts: 0,
    takeBuffered: () => undefined,
    next: () => new Promise<never>(() => undefined),
    abort() {
      source.aborts += 1;
    },
    abandon() {},
  };
  return source;
}

describe('a branch of tee()', () => {
  test('that was dropped and is then aborted leaves the other one open', () => {
    const source = silentSource();
    const [one, other] = teeSource(source, (branch) => branch);
    one.abandon();
    one.abort('no longer needed');
    expect(source.aborts).toBe(0);
    other.abort('no longer needed');
    expect(source.aborts).toBe(1);
  });

  test('ends all pending reads when it is closed', async () => {
    const [one] = teeSource(silentSource(), (branch) => branch);
    const items = new Stream(one, emptyMeta())[Symbol.asyncIterator]();
    const reads = [items.next(), items.next(), items.next()];
    await items.return?.();
    const ended = { done: true, value: undefined };
    expect(await Promise.all(reads)).toEqual([ended, ended, ended]);
  });

  test('fails all pending reads when it is aborted', async () => {
    const [one] = teeSource(silentSource(), (branch) => branch);
    const reads = [one.next(), one.next()];
    one.abort('no longer needed');
    for (const read of reads) await expect(read).rejects.toBeInstanceOf(AbortedError);
  });
});
