import { describe, expect, test } from 'vitest';

import { PolygateError, StreamError, StreamTruncatedError } from '../../../src/index.ts';
import { createMockGateway } from '../../../src/mock/index.ts';
import {
  adds,
  answering,
  chunk,
  clientOf,
  contents,
  done,
  event,
  params,
  says,
  stops,
  streamOf,
} from '../../support/event-stream.ts';
import { collect, rejection } from '../../support/rejection.ts';

describe('a stream that ends before its end is proven is truncated', () => {
  test.each([
    ['the body ends after some words', [says('Hello'), says(' you')], 'close'],
    ['the connection is reset', [says('Hello'), says(' you')], 'reset'],
    ['the body ends inside an event', [says('Hello'), says(' you'), 'data: {"choi'], 'close'],
    ['the connection is reset inside an event', [says('Hello'), says(' you'), 'data: {'], 'reset'],
    ['the body ends inside [DONE]', [says('Hello'), says(' you'), 'data: [DON'], 'close'],
    ['only comments follow', [says('Hello'), says(' you'), ': bye\n\n', ': bye\n\n'], 'close'],
    ['the finish reason is null', [says('Hello'), says(' you'), event(chunk([]))], 'close'],
  ] as const)('when %s', async (_, pieces, end) => {
    const stream = streamOf(pieces, end);
    const error = await rejection(StreamTruncatedError, contents(stream));
    expect(error).toBeInstanceOf(StreamError);
    expect(error.name).toBe('StreamTruncatedError');
    expect(error.partial).toMatchObject({
      id: 'c-1',
      object: 'chat.completion',
      model: 'm',
      choices: [{ index: 0, message: { role: 'assistant', content: 'Hello you' } }],
    });
    expect(error.partial?.choices[0]?.finish_reason).toBeNull();
    expect(error.meta).toMatchObject({ requestId: 'req-7', status: 200, chargeUsd: 0.25 });
    expect(error.outcome).toBe('unknown');
  });

  test.each(['close', 'reset'] as const)('when nothing came at all: %s', async (end) => {
    const error = await rejection(StreamTruncatedError, contents(streamOf([], end)));
    expect(error.meta?.requestId).toBe('req-7');
    expect(error.partial).toBeUndefined();
  });

  test.each([
    ['one of two choices has not finished', [says('a'), says('b', 1), stops()], undefined],
    [
      'the choice that finished is not the one that goes on',
      [stops('stop', 1), says('a')],
      undefined,
    ],
    ['one of two choices never came', [says('a'), stops()], 2],
  ])('when %s', async (_, pieces, n) => {
    const options = n === undefined ? {} : { n };
    const stream = streamOf(pieces, 'close', options);
    const error = await rejection(StreamTruncatedError, contents(stream));
    expect(error.partial?.choices[0]?.message.content).toBe('a');
  });

  test('the words that came are yielded first', async () => {
    const said: (string | null | undefined)[] = [];
    const loop = async () => {
      for await (const { choices } of streamOf([says('a'), says('b')], 'reset')) {
        said.push(choices[0]?.delta.content);
      }
    };
    await expect(loop()).rejects.toBeInstanceOf(StreamTruncatedError);
    expect(said).toEqual(['a', 'b']);
  });

  test('text(), final() and a stream of create() say so as well', async () => {
    const pieces = [says('a')];
    const words = collect(streamOf(pieces).text());
    await expect(words).rejects.toBeInstanceOf(StreamTruncatedError);
    await expect(streamOf(pieces).final()).rejects.toBeInstanceOf(StreamTruncatedError);
    const { chat } = clientOf(answering(pieces));
    const created = await chat.completions.create({ ...params, stream: true });
    await expect(contents(created)).rejects.toBeInstanceOf(StreamTruncatedError);
  });

  test('final() after the loop rejects with the same error', async () => {
    const stream = streamOf([says('a')]);
    const error = await rejection(StreamTruncatedError, contents(stream));
    await expect(stream.final()).rejects.toBe(error);
  });

  test('pieces of tool calls are in the partial answer', async () => {
    const call = { index: 0, id: 't', type: 'function', function: { name: 'f', arguments: '{"a' } };
    const error = await rejection(
      StreamTruncatedError,
      contents(streamOf([adds({ tool_calls: [call] })])),
    );
    expect(error.partial?.choices[0]?.message.tool_calls).toEqual([
      { id: 't', type: 'function', function: { name: 'f', arguments: '{"a' } },
    ]);
  });

  test('it is never asked again: it may have been charged', async () => {
    const mock = createMockGateway();
    const gateway = clientOf(mock.fetch, {
      apiKey: mock.apiKey,
      baseURL: mock.baseURL,
      maxRetries: 3,
    });
    mock.fail({ route: 'POST /v1/chat/completions', cutStreamAfter: 3 });
    const chat = { model: 'aurora-chat', messages: [{ role: 'user', content: 'Hi' }] };
    const error = await rejection(
      StreamTruncatedError,
      gateway.chat.completions.stream(chat).final(),
    );
    expect(PolygateError.is(error)).toBe(true);
    expect(error.partial?.model).toBe('aurora-chat');
    expect(mock.requests).toHaveLength(1);
    expect(mock.invoice).toHaveLength(1);
    expect(error.meta?.chargeUsd).toBe(mock.invoice[0]?.usd);
    expect(mock.inFlight).toBe(0);
    expect(gateway.concurrency.inFlight).toBe(0);
  });
});

describe('a stream in which every choice has finished is whole', () => {
  test.each([
    ['and then the body ends', [says('a'), stops()], 'close'],
    ['and then the connection is reset', [says('a'), stops()], 'reset'],
    ['and then half an event comes', [says('a'), stops(), 'data: {"usa'], 'close'],
    ['and then half an event and a reset', [says('a'), stops(), 'data: {"usa'], 'reset'],
    ['and then half of [DONE]', [says('a'), stops(), 'data: [DO'], 'close'],
    [
      'with the finish reason in its last, unterminated event',
      [says('a'), stops().trim()],
      'close',
    ],
  ] as const)('%s', async (_, pieces, end) => {
    const completion = await streamOf(pieces, end).final();
    expect(completion.choices).toMatchObject([
      { message: { content: 'a' }, finish_reason: 'stop' },
    ]);
  });

  test.each(['close', 'reset'] as const)('however many choices there are: %s', async (end) => {
    const pieces = [says('a'), says('b', 1), stops('length', 1), says('c'), stops()];
    const completion = await streamOf(pieces, end, { n: 2 }).final();
    expect(completion.choices).toMatchObject([
      { index: 0, message: { content: 'ac' }, finish_reason: 'stop' },
      { index: 1, message: { content: 'b' }, finish_reason: 'length' },
    ]);
  });

  test('a usage chunk after the finish reason still counts', async () => {
    const usage = { prompt_tokens: 1, completion_tokens: 2, total_tokens: 3 };
    const pieces = [says('a'), stops(), event(chunk([], { usage }))];
    expect((await streamOf(pieces, 'reset').final()).usage).toEqual(usage);
  });
});

test('[DONE] alone proves the end, without any finish reason', async () => {
  const completion = await streamOf([says('a'), done], 'reset').final();
  expect(completion.choices).toMatchObject([{ message: { content: 'a' }, finish_reason: null }]);
});
