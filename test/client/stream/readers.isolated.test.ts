import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

import { describe, expect, test } from 'vitest';

import { StreamError, StreamIdleTimeoutError } from '../../../src/index.ts';
import {
  streamingFetch,
  clientOf,
  contents,
  doneEvent,
  params,
  textEvent,
  finishEvent,
  streamOf,
} from '../../support/event-stream.ts';
import { collect, rejection } from '../../support/rejection.ts';
import { turns } from '../../support/turns.ts';
import { onMock } from '../support.ts';

const mockParams = {
  model: 'aurora-chat',
  messages: [{ role: 'user' as const, content: 'Describe a harbor' }],
};

describe('a stream that ends without a chunk is a StreamError', () => {
  test.each([
    ['[DONE] alone', [doneEvent]],
    ['comments and [DONE]', [': hi\n\n', 'data:\n\n', doneEvent]],
  ])('no matter how it is read: %s', async (_, pieces) => {
    const { completions } = clientOf(streamingFetch(pieces)).chat;
    const created = await completions.create({ ...params, stream: true });
    for (const read of [
      contents(created),
      contents(streamOf(pieces)),
      collect(streamOf(pieces).text()),
      streamOf(pieces).final(),
    ]) {
      const error = await rejection(StreamError, read);
      expect(error.message).toContain('no chunk');
      expect(error.partial).toBeUndefined();
    }
  });

  test('unlike a stream with a single chunk, even one without id or choices', async () => {
    const pieces = ['data: {"usage":{"total_tokens":3}}\n\n', doneEvent];
    expect(await contents(streamOf(pieces))).toEqual(['']);
    expect(await streamOf(pieces).final()).toMatchObject({
      choices: [],
      usage: { total_tokens: 3 },
    });
  });
});

test('concurrent calls of next() receive the chunks in order, each once', async () => {
  const words = Array.from({ length: 9 }, (_, index) => `${index}`);
  const pieces = words.map((word) => textEvent(word));
  const chunks = streamOf([
    pieces.slice(0, 3).join(''),
    ...pieces.slice(3),
    finishEvent(),
    doneEvent,
  ])[Symbol.asyncIterator]();
  const results = await Promise.all(Array.from({ length: 12 }, () => chunks.next()));
  const received = results.map(({ value }) => value?.choices[0]?.delta.content);
  expect(received.slice(0, 10)).toEqual([...words, undefined]);
  expect(results.slice(10)).toEqual(Array.from({ length: 2 }, () => ({ done: true })));
});

describe('a consumer that is garbage collected mid-stream', () => {
  setFlagsFromString('--expose-gc');
  // The flag only affects contexts created after it is set.
  const collectGarbage = runInNewContext('gc') as () => void;

  async function collectUnreachable(): Promise<void> {
    for (let round = 0; round < 3; round += 1) {
      await turns();
      collectGarbage();
    }
    await turns();
  }

  test('without return() is detected, and its slot is released after the idle timeout', async () => {
    const { gateway, mock } = onMock({ chunkDelayMs: 10 }, { streamIdleTimeout: 30_000 });
    const stream = gateway.chat.completions.stream(mockParams);
    await mock.clock.settle(
      (async () => {
        await stream[Symbol.asyncIterator]().next();
      })(),
    );
    await collectUnreachable();
    expect(gateway.concurrency.inFlight).toBe(1);
    await mock.clock.advance(31_000);
    expect(gateway.concurrency.inFlight).toBe(0);
    expect(mock.inFlight).toBe(0);
    await expect(stream.final()).rejects.toBeInstanceOf(StreamIdleTimeoutError);
  });

  test('is not confused with one that is merely slow', async () => {
    const { gateway, mock } = onMock({ chunkDelayMs: 10 }, { streamIdleTimeout: 30_000 });
    const chunks = gateway.chat.completions.stream(mockParams)[Symbol.asyncIterator]();
    await mock.clock.settle(chunks.next());
    await collectUnreachable();
    await mock.clock.advance(300_000);
    expect((await mock.clock.settle(chunks.next())).done).toBe(false);
  });

  test('still receives the chunk that it awaits, and then releases its slot', async () => {
    const { gateway, mock } = onMock({ chunkDelayMs: 10_000 }, { streamIdleTimeout: 30_000 });
    const pending = gateway.chat.completions.stream(mockParams)[Symbol.asyncIterator]().next();
    await collectUnreachable();
    expect((await mock.clock.settle(pending)).value?.object).toBe('chat.completion.chunk');
    expect(gateway.concurrency.inFlight).toBe(1);
    await mock.clock.advance(31_000);
    expect(gateway.concurrency.inFlight).toBe(0);
  });
});
