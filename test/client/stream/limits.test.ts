import { describe, expect, test } from 'vitest';

import { StreamError, StreamTruncatedError } from '../../../src/index.ts';
import type { ChatCompletionChunk } from '../../../src/index.ts';
import {
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
import { rejection } from '../../support/rejection.ts';
import { turns } from '../../support/turns.ts';
import { virtualClock } from '../support.ts';

const maxEventBytes = 2_000;

/** The bytes of a text in pieces of `size` bytes. */
function inPieces(text: string, size: number): Uint8Array<ArrayBuffer>[] {
  const all = bytes(text);
  const count = Math.ceil(all.length / size);
  return Array.from({ length: count }, (_, at) => all.slice(at * size, (at + 1) * size));
}

const many = Array.from({ length: 100 });

const tooLong: Record<string, string> = {
  'an event over maxEventBytes': textEvent('x'.repeat(2_000)),
  'an endless line': `data: ${'x'.repeat(4_000)}`,
  'an endless comment': `: ${'x'.repeat(4_000)}`,
  'an endless line of an unknown field': `foo: ${'x'.repeat(4_000)}`,
  'an endless line without a colon': 'x'.repeat(4_000),
  'endless lines of an unknown field': many.map(() => `foo: ${'x'.repeat(40)}\n`).join(''),
  'an endless event of many lines': many.map(() => `data: ${'x'.repeat(40)}\n`).join(''),
  'an endless event with comments': many.map(() => `data: ${'x'.repeat(40)}\n:\n`).join(''),
};

describe('an event that is too long ends the stream with a StreamError', () => {
  describe.each(Object.entries(tooLong))('%s', (_, text) => {
    test.each([1, 7, 500, 100_000])('in network chunks of %d bytes', async (size) => {
      const stream = streamOf([textEvent('Hello'), ...inPieces(text, size)], 'reset', {
        maxEventBytes,
      });
      const error = await rejection(StreamError, contents(stream));
      expect(error).not.toBeInstanceOf(StreamTruncatedError);
      expect(error).toMatchObject({ name: 'StreamError', meta: { requestId: 'req-7' } });
      expect(error.message).toContain('2000');
      expect(error.partial?.choices[0]?.message.content).toBe('Hello');
    });
  });

  test('bytes are counted, not characters', async () => {
    const stream = streamOf([textEvent('漢'.repeat(900)), doneEvent], 'close', { maxEventBytes });
    await expect(contents(stream)).rejects.toBeInstanceOf(StreamError);
  });

  test('events before it in the same network chunk are part of the partial completion', async () => {
    const text = textEvent('Hello') + textEvent('x'.repeat(3_000));
    const stream = streamOf([text], 'stall', { maxEventBytes });
    const error = await rejection(StreamError, contents(stream));
    expect(error.partial?.choices[0]?.message.content).toBe('Hello');
  });

  test('no more than the limit is read, and the body is canceled', async () => {
    let pulls = 0;
    let canceled = false;
    const body = new ReadableStream<Uint8Array<ArrayBuffer>>(
      {
        pull(controller) {
          pulls += 1;
          controller.enqueue(bytes('x'.repeat(100)));
        },
        cancel() {
          canceled = true;
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
    expect(canceled).toBe(true);
    expect(gateway.concurrency.inFlight).toBe(0);
  });
});

describe('the limit applies to each event, not to the whole stream', () => {
  test.each([1, 64, 100_000])('in network chunks of %d bytes', async (size) => {
    const text =
      many.map((_, index) => `: ${'y'.repeat(90)}\n${textEvent(`${index}`)}`).join('') + doneEvent;
    const stream = streamOf(inPieces(text, size), 'close', { maxEventBytes });
    expect(await contents(stream)).toHaveLength(100);
  });

  test.each(['\n', '\r', '\r\n'])(
    'with lines that end in %j, then an event in several network chunks',
    async (end) => {
      const lines = `: ${'y'.repeat(300)}${end}`.repeat(6);
      const words = 'x'.repeat(1_500);
      const stream = streamOf([lines, ...inPieces(textEvent(words), 700), doneEvent], 'close', {
        maxEventBytes,
      });
      expect(await contents(stream)).toEqual([words]);
    },
  );

  test('an event just below the limit is delivered', async () => {
    const words = 'x'.repeat(1_800);
    const stream = streamOf([textEvent(words), doneEvent], 'close', { maxEventBytes });
    expect(await contents(stream)).toEqual([words]);
  });

  test('an event of several megabytes, such as an image, is delivered by default', async () => {
    const words = 'x'.repeat(6 * 1024 * 1024);
    const pieces = inPieces(textEvent(words) + finishEvent() + doneEvent, 65_536);
    const { choices } = await streamOf(pieces).final();
    expect(choices[0]?.message.content?.length).toBe(words.length);
  });
});

describe('backpressure', () => {
  /** A stream of network chunks that counts its pulls. */
  function counted(pieces: readonly string[]) {
    const counter = { pulls: 0, canceled: false };
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
          counter.canceled = true;
        },
      },
      { highWaterMark: 0 },
    );
    const { chat } = clientOf(async () => new Response(body, { headers: streamHeaders }));
    return { counter, stream: chat.completions.stream(params) };
  }

  test('at most one network chunk is pulled ahead of the consumer', async () => {
    const texts = Array.from({ length: 30 }, (_, index) => `${index}`);
    const { counter, stream } = counted([...texts.map((text) => textEvent(text)), doneEvent]);
    const received: string[] = [];
    for await (const { choices } of stream) {
      await turns();
      received.push(choices[0]?.delta.content ?? '');
      expect(counter.pulls).toBeLessThanOrEqual(received.length + 1);
    }
    expect(received).toEqual(texts);
  });

  test('all events of a network chunk are delivered before the next chunk is pulled', async () => {
    const piece = textEvent('a').repeat(50);
    const { counter, stream } = counted([piece, piece, doneEvent]);
    const received: ChatCompletionChunk[] = [];
    for await (const chunk of stream) {
      await turns(1);
      received.push(chunk);
      expect(counter.pulls).toBeLessThanOrEqual(Math.ceil(received.length / 50) + 1);
    }
    expect(received).toHaveLength(100);
  });

  test('nothing is pulled while the stream is not read', async () => {
    const { counter, stream } = counted([
      textEvent('a'),
      textEvent('b'),
      textEvent('c'),
      doneEvent,
    ]);
    await turns(20);
    expect(stream.meta?.status).toBe(200);
    expect(counter.pulls).toBeLessThanOrEqual(1);
    stream.abort();
    await turns();
    expect(counter.canceled).toBe(true);
  });

  test('a body that stays open after [DONE] is canceled shortly afterwards', async () => {
    const clock = virtualClock();
    let canceled = false;
    const body = new ReadableStream<Uint8Array<ArrayBuffer>>({
      start: (controller) => controller.enqueue(bytes(textEvent('a') + doneEvent)),
      cancel() {
        canceled = true;
      },
    });
    const fetch = async () => new Response(body, { headers: streamHeaders });
    const { chat, concurrency } = clientOf(fetch, { clock });
    expect(await contents(chat.completions.stream(params))).toEqual(['a']);
    expect(concurrency.inFlight).toBe(0);
    await clock.advance(5_000);
    expect(canceled).toBe(true);
  });

  test('a break cancels the body', async () => {
    const { counter, stream } = counted([
      textEvent('a'),
      textEvent('b'),
      textEvent('c'),
      doneEvent,
    ]);
    for await (const { choices } of stream) if (choices[0]?.delta.content === 'b') break;
    expect(counter.canceled).toBe(true);
    expect(counter.pulls).toBeLessThanOrEqual(3);
  });
});
