import { describe, expect, test } from 'vitest';

import { StreamError, StreamTruncatedError } from '../../../src/index.ts';
import type { ChatCompletionChunk } from '../../../src/index.ts';
import { createMockGateway } from '../../../src/mock/index.ts';
import {
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
import { rejection } from '../../support/rejection.ts';

const maxEventBytes = 2_000;

/** A text in pieces of so many bytes. */
function inPieces(text: string, size: number): Uint8Array<ArrayBuffer>[] {
  const whole = bytes(text);
  const count = Math.ceil(whole.length / size);
  return Array.from({ length: count }, (_, at) => whole.slice(at * size, (at + 1) * size));
}

const many = Array.from({ length: 100 });

const tooLong: Record<string, string> = {
  'an event over maxEventBytes': says('x'.repeat(2_000)),
  'a line that never ends': `data: ${'x'.repeat(4_000)}`,
  'a comment that never ends': `: ${'x'.repeat(4_000)}`,
  'a line of an unknown field that never ends': `foo: ${'x'.repeat(4_000)}`,
  'a line without a colon that never ends': 'x'.repeat(4_000),
  'an event of many lines that never ends': many.map(() => `data: ${'x'.repeat(40)}\n`).join(''),
};

describe('an event that is too long ends the stream with a StreamError', () => {
  describe.each(Object.entries(tooLong))('%s', (_, text) => {
    test.each([1, 7, 500, 100_000])('in network chunks of %d bytes', async (size) => {
      const stream = streamOf([says('Hello'), ...inPieces(text, size)], 'reset', { maxEventBytes });
      const error = await rejection(StreamError, contents(stream));
      expect(error).not.toBeInstanceOf(StreamTruncatedError);
      expect(error).toMatchObject({ name: 'StreamError', meta: { requestId: 'req-7' } });
      expect(error.message).toContain('2000');
      expect(error.partial?.choices[0]?.message.content).toBe('Hello');
    });
  });

  test('bytes are counted, not characters', async () => {
    const stream = streamOf([says('漢'.repeat(900)), done], 'close', { maxEventBytes });
    await expect(contents(stream)).rejects.toBeInstanceOf(StreamError);
  });

  test('what came before it in the same network chunk is part of the partial answer', async () => {
    const text = says('Hello') + says('x'.repeat(3_000));
    const stream = streamOf([text], 'stall', { maxEventBytes });
    const error = await rejection(StreamError, contents(stream));
    expect(error.partial?.choices[0]?.message.content).toBe('Hello');
  });

  test('no more is read of it than the limit, and the body is cancelled', async () => {
    let pulls = 0;
    let cancelled = false;
    const body = new ReadableStream<Uint8Array<ArrayBuffer>>(
      {
        pull(controller) {
          pulls += 1;
          controller.enqueue(bytes('x'.repeat(100)));
        },
        cancel() {
          cancelled = true;
        },
      },
      { highWaterMark: 0 },
    );
    const gateway = clientOf(async () => new Response(body, { headers: streamHeaders }), {
      maxEventBytes,
    });
    const stream = gateway.chat.completions.stream(params);
    await expect(contents(stream)).rejects.toBeInstanceOf(StreamError);
    expect(pulls).toBeLessThanOrEqual(25);
    expect(cancelled).toBe(true);
    expect(gateway.concurrency.inFlight).toBe(0);
  });
});

describe('the limit is for one event, not for all of them', () => {
  test.each([1, 64, 100_000])('in network chunks of %d bytes', async (size) => {
    const text = many.map((_, index) => `: ${'y'.repeat(90)}\n${says(`${index}`)}`).join('') + done;
    const stream = streamOf(inPieces(text, size), 'close', { maxEventBytes });
    expect(await contents(stream)).toHaveLength(100);
  });

  test.each(['\n', '\r', '\r\n'])('lines that end in %j, then an event in pieces', async (end) => {
    const lines = `: ${'y'.repeat(300)}${end}`.repeat(6);
    const words = 'x'.repeat(1_500);
    const stream = streamOf([lines, ...inPieces(says(words), 700), done], 'close', {
      maxEventBytes,
    });
    expect(await contents(stream)).toEqual([words]);
  });

  test('an event just under it is delivered', async () => {
    const words = 'x'.repeat(1_800);
    const stream = streamOf([says(words), done], 'close', { maxEventBytes });
    expect(await contents(stream)).toEqual([words]);
  });

  test('by default an event of several megabytes, such as an image, is delivered', async () => {
    const words = 'x'.repeat(6 * 1024 * 1024);
    const pieces = inPieces(says(words) + stops() + done, 65_536);
    const { choices } = await streamOf(pieces).final();
    expect(choices[0]?.message.content?.length).toBe(words.length);
  });
});

describe('back pressure', () => {
  /** A stream of network chunks that counts how many were asked for. */
  function counted(pieces: readonly string[]) {
    const counter = { pulls: 0, cancelled: false };
    const rest = [...pieces];
    const body = new ReadableStream<Uint8Array<ArrayBuffer>>(
      {
        pull(controller) {
          counter.pulls += 1;
          const piece = rest.shift();
          if (piece === undefined) controller.close();
          else controller.enqueue(bytes(piece));
        },
        cancel() {
          counter.cancelled = true;
        },
      },
      { highWaterMark: 0 },
    );
    const { chat } = clientOf(async () => new Response(body, { headers: streamHeaders }));
    return { counter, stream: chat.completions.stream(params) };
  }

  test('at most one network chunk is pulled ahead of the reader', async () => {
    const texts = Array.from({ length: 30 }, (_, index) => `${index}`);
    const { counter, stream } = counted([...texts.map((text) => says(text)), done]);
    const said: string[] = [];
    for await (const { choices } of stream) {
      await turns();
      said.push(choices[0]?.delta.content ?? '');
      expect(counter.pulls).toBeLessThanOrEqual(said.length + 1);
    }
    expect(said).toEqual(texts);
  });

  test('a network chunk of many events is read to its end before the next one is asked for', async () => {
    const piece = says('a').repeat(50);
    const { counter, stream } = counted([piece, piece, done]);
    const seen: ChatCompletionChunk[] = [];
    for await (const chunk of stream) {
      await turns(1);
      seen.push(chunk);
      expect(counter.pulls).toBeLessThanOrEqual(Math.ceil(seen.length / 50) + 1);
    }
    expect(seen).toHaveLength(100);
  });

  test('nothing is pulled while nobody reads', async () => {
    const { counter, stream } = counted([says('a'), says('b'), says('c'), done]);
    await turns(20);
    expect(stream.meta?.status).toBe(200);
    expect(counter.pulls).toBeLessThanOrEqual(1);
    stream.abort();
    await turns();
    expect(counter.cancelled).toBe(true);
  });

  test('a body that stays open after [DONE] is cancelled soon', async () => {
    const { clock } = createMockGateway({ clock: 'virtual' });
    let cancelled = false;
    const body = new ReadableStream<Uint8Array<ArrayBuffer>>({
      start: (controller) => controller.enqueue(bytes(says('a') + done)),
      cancel() {
        cancelled = true;
      },
    });
    const fetch = async () => new Response(body, { headers: streamHeaders });
    const { chat, concurrency } = clientOf(fetch, { clock });
    expect(await contents(chat.completions.stream(params))).toEqual(['a']);
    expect(concurrency.inFlight).toBe(0);
    await clock.advance(5_000);
    expect(cancelled).toBe(true);
  });

  test('a break cancels the body', async () => {
    const { counter, stream } = counted([says('a'), says('b'), says('c'), done]);
    for await (const { choices } of stream) if (choices[0]?.delta.content === 'b') break;
    expect(counter.cancelled).toBe(true);
    expect(counter.pulls).toBeLessThanOrEqual(3);
  });
});
