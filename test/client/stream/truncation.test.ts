import { describe, expect, test } from 'vitest';

import { PolygateError, StreamError, StreamTruncatedError } from '../../../src/index.ts';
import { createMockGateway } from '../../../src/mock/index.ts';
import {
  deltaEvent,
  streamingFetch,
  chunk,
  clientOf,
  contents,
  doneEvent,
  event,
  params,
  textEvent,
  finishEvent,
  streamOf,
} from '../../support/event-stream.ts';
import { collect, rejection } from '../../support/rejection.ts';

describe('a stream that ends before it is proven complete is truncated', () => {
  test.each([
    ['the body ends after some text', [textEvent('Hello'), textEvent(' you')], 'close'],
    ['the connection is reset', [textEvent('Hello'), textEvent(' you')], 'reset'],
    [
      'the body ends inside an event',
      [textEvent('Hello'), textEvent(' you'), 'data: {"choi'],
      'close',
    ],
    [
      'the connection is reset inside an event',
      [textEvent('Hello'), textEvent(' you'), 'data: {'],
      'reset',
    ],
    ['the body ends inside [DONE]', [textEvent('Hello'), textEvent(' you'), 'data: [DON'], 'close'],
    [
      'only comments follow',
      [textEvent('Hello'), textEvent(' you'), ': bye\n\n', ': bye\n\n'],
      'close',
    ],
    [
      'the finish reason is null',
      [textEvent('Hello'), textEvent(' you'), event(chunk([]))],
      'close',
    ],
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

  test.each(['close', 'reset'] as const)('when there is no event at all: %s', async (end) => {
    const error = await rejection(StreamTruncatedError, contents(streamOf([], end)));
    expect(error.meta?.requestId).toBe('req-7');
    expect(error.partial).toBeUndefined();
  });

  test.each([
    [
      'one of two choices has not finished',
      [textEvent('a'), textEvent('b', 1), finishEvent()],
      undefined,
    ],
    [
      'the finished choice is not the one that has content',
      [finishEvent('stop', 1), textEvent('a')],
      undefined,
    ],
    ['one of two choices is missing', [textEvent('a'), finishEvent()], 2],
  ])('when %s', async (_, pieces, n) => {
    const options = n === undefined ? {} : { n };
    const stream = streamOf(pieces, 'close', options);
    const error = await rejection(StreamTruncatedError, contents(stream));
    expect(error.partial?.choices[0]?.message.content).toBe('a');
  });

  test('the chunks before the end are yielded first', async () => {
    const texts: (string | null | undefined)[] = [];
    const loop = async () => {
      for await (const { choices } of streamOf([textEvent('a'), textEvent('b')], 'reset')) {
        texts.push(choices[0]?.delta.content);
      }
    };
    await expect(loop()).rejects.toBeInstanceOf(StreamTruncatedError);
    expect(texts).toEqual(['a', 'b']);
  });

  test('text(), final() and a stream from create() throw the same error class', async () => {
    const pieces = [textEvent('a')];
    const text = collect(streamOf(pieces).text());
    await expect(text).rejects.toBeInstanceOf(StreamTruncatedError);
    await expect(streamOf(pieces).final()).rejects.toBeInstanceOf(StreamTruncatedError);
    const { chat } = clientOf(streamingFetch(pieces));
    const created = await chat.completions.create({ ...params, stream: true });
    await expect(contents(created)).rejects.toBeInstanceOf(StreamTruncatedError);
  });

  test('final() after the loop rejects with the same error', async () => {
    const stream = streamOf([textEvent('a')]);
    const error = await rejection(StreamTruncatedError, contents(stream));
    await expect(stream.final()).rejects.toBe(error);
  });

  test('partial tool calls are in the partial completion', async () => {
    const call = { index: 0, id: 't', type: 'function', function: { name: 'f', arguments: '{"a' } };
    const error = await rejection(
      StreamTruncatedError,
      contents(streamOf([deltaEvent({ tool_calls: [call] })])),
    );
    expect(error.partial?.choices[0]?.message.tool_calls).toEqual([
      { id: 't', type: 'function', function: { name: 'f', arguments: '{"a' } },
    ]);
  });

  test('it is never retried, because it may have been charged', async () => {
    const mock = createMockGateway();
    const gateway = clientOf(mock.fetch, {
      apiKey: mock.apiKey,
      baseURL: mock.baseURL,
      maxRetries: 3,
    });
    mock.fail({ route: 'POST /v1/chat/completions', cutStreamAfter: 3 });
    const chat = { model: 'aurora-chat', messages: [{ role: 'user' as const, content: 'Hi' }] };
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

describe('a stream in which every choice has finished is complete', () => {
  test.each([
    ['and then the body ends', [textEvent('a'), finishEvent()], 'close'],
    ['and then the connection is reset', [textEvent('a'), finishEvent()], 'reset'],
    [
      'and then an incomplete event arrives',
      [textEvent('a'), finishEvent(), 'data: {"usa'],
      'close',
    ],
    [
      'and then an incomplete event and a reset',
      [textEvent('a'), finishEvent(), 'data: {"usa'],
      'reset',
    ],
    ['and then an incomplete [DONE]', [textEvent('a'), finishEvent(), 'data: [DO'], 'close'],
    [
      'with the finish reason in its last, unterminated event',
      [textEvent('a'), finishEvent().trim()],
      'close',
    ],
  ] as const)('%s', async (_, pieces, end) => {
    const completion = await streamOf(pieces, end).final();
    expect(completion.choices).toMatchObject([
      { message: { content: 'a' }, finish_reason: 'stop' },
    ]);
  });

  test.each(['close', 'reset'] as const)('with several choices: %s', async (end) => {
    const pieces = [
      textEvent('a'),
      textEvent('b', 1),
      finishEvent('length', 1),
      textEvent('c'),
      finishEvent(),
    ];
    const completion = await streamOf(pieces, end, { n: 2 }).final();
    expect(completion.choices).toMatchObject([
      { index: 0, message: { content: 'ac' }, finish_reason: 'stop' },
      { index: 1, message: { content: 'b' }, finish_reason: 'length' },
    ]);
  });

  test('including a usage chunk after the finish reason', async () => {
    const usage = { prompt_tokens: 1, completion_tokens: 2, total_tokens: 3 };
    const pieces = [textEvent('a'), finishEvent(), event(chunk([], { usage }))];
    expect((await streamOf(pieces, 'reset').final()).usage).toEqual(usage);
  });
});

test('[DONE] alone proves that a stream is complete, without any finish reason', async () => {
  const completion = await streamOf([textEvent('a'), doneEvent], 'reset').final();
  expect(completion.choices).toMatchObject([{ message: { content: 'a' }, finish_reason: null }]);
});
