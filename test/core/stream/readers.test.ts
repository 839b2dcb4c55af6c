import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

import { describe, expect, test } from 'vitest';

import { StreamError, StreamIdleTimeoutError } from '../../../src/index.ts';
import { onMock } from '../support.ts';
import {
  answering,
  clientOf,
  contents,
  done,
  params,
  says,
  stops,
  streamOf,
  turns,
} from '../../support/event-stream.ts';
import { collect, rejection } from '../../support/rejection.ts';

const ask = { model: 'aurora-chat', messages: [{ role: 'user', content: 'Tell me of harbours' }] };

describe('a stream that ends without a chunk is a StreamError', () => {
  test.each([
    ['[DONE] alone', [done]],
    ['comments and [DONE]', [': hi\n\n', 'data:\n\n', done]],
  ])('in every way to read it: %s', async (_, pieces) => {
    const { completions } = clientOf(answering(pieces)).chat;
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

  test('but one chunk is enough, also one that has neither id nor choices', async () => {
    const pieces = ['data: {"usage":{"total_tokens":3}}\n\n', done];
    expect(await contents(streamOf(pieces))).toEqual(['']);
    expect(await streamOf(pieces).final()).toMatchObject({
      choices: [],
      usage: { total_tokens: 3 },
    });
  });
});

test('chunks that are asked for before the last one came arrive in order, each once', async () => {
  const words = Array.from({ length: 9 }, (_, index) => `${index}`);
  const pieces = words.map((word) => says(word));
  const chunks = streamOf([pieces.slice(0, 3).join(''), ...pieces.slice(3), stops(), done])[
    Symbol.asyncIterator
  ]();
  const results = await Promise.all(Array.from({ length: 12 }, () => chunks.next()));
  const said = results.map(({ value }) => value?.choices[0]?.delta.content);
  expect(said.slice(0, 10)).toEqual([...words, undefined]);
  expect(results.slice(10)).toEqual(Array.from({ length: 2 }, () => ({ done: true })));
});

describe('a reader that is dropped in the middle', () => {
  setFlagsFromString('--expose-gc');
  // The flag reaches contexts that are made after it.
  const collectGarbage = runInNewContext('gc') as () => void;

  async function forget(): Promise<void> {
    for (let round = 0; round < 3; round += 1) {
      await turns();
      collectGarbage();
    }
    await turns();
  }

  test('without return() is noticed, and its slot is free after the idle timeout', async () => {
    const { gateway, mock } = onMock({ chunkDelayMs: 10 }, { streamIdleTimeout: 30_000 });
    const stream = gateway.chat.completions.stream(ask);
    await mock.clock.settle(
      (async () => {
        await stream[Symbol.asyncIterator]().next();
      })(),
    );
    await forget();
    expect(gateway.concurrency.inFlight).toBe(1);
    await mock.clock.advance(31_000);
    expect(gateway.concurrency.inFlight).toBe(0);
    expect(mock.inFlight).toBe(0);
    await expect(stream.final()).rejects.toBeInstanceOf(StreamIdleTimeoutError);
  });

  test('is no reader that is only slow', async () => {
    const { gateway, mock } = onMock({ chunkDelayMs: 10 }, { streamIdleTimeout: 30_000 });
    const chunks = gateway.chat.completions.stream(ask)[Symbol.asyncIterator]();
    await mock.clock.settle(chunks.next());
    await forget();
    await mock.clock.advance(300_000);
    expect((await mock.clock.settle(chunks.next())).done).toBe(false);
  });

  test('still gets the chunk that it waits for, and frees the slot after it', async () => {
    const { gateway, mock } = onMock({ chunkDelayMs: 10_000 }, { streamIdleTimeout: 30_000 });
    const pending = gateway.chat.completions.stream(ask)[Symbol.asyncIterator]().next();
    await forget();
    expect((await mock.clock.settle(pending)).value?.object).toBe('chat.completion.chunk');
    expect(gateway.concurrency.inFlight).toBe(1);
    await mock.clock.advance(31_000);
    expect(gateway.concurrency.inFlight).toBe(0);
  });
});
