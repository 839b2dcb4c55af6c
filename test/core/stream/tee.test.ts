import { describe, expect, test } from 'vitest';

import { AbortedError, StreamTruncatedError } from '../../../src/index.ts';
import type { ChatCompletionChunk, ChatStream, Stream } from '../../../src/index.ts';
import {
  answering,
  bytes,
  clientOf,
  contents,
  done,
  params,
  says,
  stops,
  streamHeaders,
  streamOf,
  turns,
} from '../../support/event-stream.ts';
import { collect, rejection } from '../../support/rejection.ts';

const words = ['a', 'b', 'c', 'd'];
const pieces = [...words.map((word) => says(word)), stops(), done];

async function created(): Promise<Stream<ChatCompletionChunk>> {
  return clientOf(answering(pieces)).chat.completions.create({ ...params, stream: true });
}

describe('tee()', () => {
  const streams: Record<string, () => Promise<Stream<ChatCompletionChunk> | ChatStream>> = {
    'a stream of create()': created,
    'a chat stream': async () => streamOf(pieces),
  };

  test.each(Object.entries(streams))('gives two streams like %s', async (_, open) => {
    const stream = await open();
    const [one, other] = stream.tee();
    expect(one.constructor).toBe(stream.constructor);
    expect(await contents(one)).toEqual([...words, '']);
    expect(await contents(other)).toEqual([...words, '']);
    expect(other.meta?.requestId).toBe('req-7');
  });

  test('lets each be read in a way and at a speed of its own', async () => {
    const [one, other] = streamOf(pieces).tee();
    const slow = one.text();
    const said = [await slow.next()];
    const whole = await other.final();
    expect(whole.choices[0]?.message.content).toBe('abcd');
    for (let next = await slow.next(); !next.done; next = await slow.next()) said.push(next);
    expect(said.map(({ value }) => value)).toEqual(words);
    expect(await one.final()).toEqual(whole);
  });

  test('can be done again with each of them, and makes one request', async () => {
    let hits = 0;
    const fetch = answering(pieces);
    const gateway = clientOf(async (...args) => {
      hits += 1;
      return fetch(...args);
    });
    const [one, rest] = gateway.chat.completions.stream(params).tee();
    const all = [one, ...rest.tee()];
    const answers = await Promise.all(all.map((stream) => collect(stream.text())));
    expect(answers).toEqual([words, words, words]);
    expect(hits).toBe(1);
  });

  test('takes the place of the stream, which can be read no more', async () => {
    const stream = streamOf(pieces);
    stream.tee();
    expect(() => stream.tee()).toThrow(/already/);
    expect(() => stream.toReadableStream()).toThrow(/already/);
    await expect(contents(stream)).rejects.toThrow(/already/);
  });

  test('tells the same error to both', async () => {
    const [one, other] = streamOf([says('a')]).tee();
    const error = await rejection(StreamTruncatedError, contents(one));
    await expect(contents(other)).rejects.toBe(error);
    await expect(other.final()).rejects.toBe(error);
  });

  test('cancels the answer when both were left, not before', async () => {
    let cancelled = false;
    const body = new ReadableStream<Uint8Array<ArrayBuffer>>({
      start: (controller) => controller.enqueue(bytes(says('a') + says('b'))),
      cancel() {
        cancelled = true;
      },
    });
    const gateway = clientOf(async () => new Response(body, { headers: streamHeaders }));
    const [one, other] = gateway.chat.completions.stream(params).tee();
    for await (const { choices } of one) if (choices.length > 0) break;
    await expect(one.final()).rejects.toBeInstanceOf(AbortedError);
    await turns();
    expect(cancelled).toBe(false);
    const chunks = other[Symbol.asyncIterator]();
    expect((await chunks.next()).value?.choices[0]?.delta.content).toBe('a');
    expect((await chunks.next()).value?.choices[0]?.delta.content).toBe('b');
    const pending = rejection(AbortedError, chunks.next());
    const reason = new Error('enough');
    other.abort(reason);
    expect((await pending).cause).toBe(reason);
    await turns();
    expect(cancelled).toBe(true);
    expect(gateway.concurrency.inFlight).toBe(0);
  });

  test('lets one of them be aborted while it waits, and the other go on', async () => {
    const [one, other] = streamOf([says('a')], 'stall').tee();
    const chunks = one[Symbol.asyncIterator]();
    await chunks.next();
    const pending = rejection(AbortedError, chunks.next());
    one.abort();
    await pending;
    expect((await other[Symbol.asyncIterator]().next()).value?.id).toBe('c-1');
  });

  test('pulls no more than the faster one asks for', async () => {
    let pulls = 0;
    const body = new ReadableStream<Uint8Array<ArrayBuffer>>(
      {
        pull(controller) {
          pulls += 1;
          controller.enqueue(bytes(says(`${pulls}`)));
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
