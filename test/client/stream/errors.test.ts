import { describe, expect, test } from 'vitest';

import {
  ResponseValidationError,
  StreamError,
  StreamIdleTimeoutError,
  StreamTruncatedError,
} from '../../../src/index.ts';
import { createMockGateway } from '../../../src/mock/index.ts';
import {
  streamingFetch,
  bytes,
  chunk,
  clientOf,
  contents,
  doneEvent,
  event,
  params,
  textEvent,
  streamHeaders,
  streamOf,
} from '../../support/event-stream.ts';
import { rejection } from '../../support/rejection.ts';
import { virtualClock } from '../support.ts';

/** The error of a stream with these pieces, which must be a StreamError but not a truncation. */
async function failure(pieces: string[]): Promise<StreamError> {
  const error = await rejection(StreamError, contents(streamOf(pieces)));
  expect(error).not.toBeInstanceOf(StreamTruncatedError);
  expect(error.name).toBe('StreamError');
  expect(error.meta).toMatchObject({ requestId: 'req-7', status: 200 });
  expect(error.message).toContain('req-7');
  return error;
}

describe('an error object in the stream', () => {
  const error = { message: 'Too many cooks', type: 'api_error', code: 'kitchen_full' };

  test.each([
    ['alone', [event({ error })]],
    ['in a chunk', [event(chunk([], { error }))]],
    ['as an event of type error', [`event: error\n${event({ error })}`]],
    ['as the data of an event of type error', [`event: error\n${event(error)}`]],
  ])('%s is a StreamError with its code, type and message', async (_, pieces) => {
    const thrown = await failure([textEvent('Hello'), ...pieces, textEvent('more'), doneEvent]);
    expect(thrown).toMatchObject({ code: 'kitchen_full', type: 'api_error', outcome: 'unknown' });
    expect(thrown.message).toContain('Too many cooks');
    expect(thrown.partial?.choices[0]?.message.content).toBe('Hello');
  });

  test('is a StreamError as an unterminated last event', async () => {
    const thrown = await failure([textEvent('Hello'), event({ error }).trim()]);
    expect(thrown).toMatchObject({ code: 'kitchen_full', type: 'api_error' });
  });

  test('is a StreamError if it is a string', async () => {
    const thrown = await failure([
      textEvent('Hello'),
      event({ error: 'Too many cooks' }),
      doneEvent,
    ]);
    expect(thrown.message).toContain('Too many cooks');
  });

  test('is a StreamError without a partial completion as the first event, never an empty success', async () => {
    const thrown = await failure([event({ error }), doneEvent]);
    expect(thrown.partial).toBeUndefined();
    await expect(streamOf([event({ error }), doneEvent]).final()).rejects.toBeInstanceOf(
      StreamError,
    );
  });

  test('from the reference gateway rejects the loop and final()', async () => {
    const mock = createMockGateway();
    mock.fail({ route: 'POST /v1/chat/completions', streamErrorAfter: 3 });
    const { chat } = clientOf(mock.fetch, { apiKey: mock.apiKey, baseURL: mock.baseURL });
    const stream = chat.completions.stream({ ...params, model: 'aurora-chat' });
    const thrown = await rejection(StreamError, contents(stream));
    expect(thrown).toMatchObject({ code: 'internal_error', type: 'api_error' });
    expect(thrown.message).toContain(String(mock.requests[0]?.requestId));
    await expect(stream.final()).rejects.toBe(thrown);
  });
});

describe('an event that is not a chunk is a StreamError', () => {
  test.each([
    ['incomplete JSON', '{"choices":[{'],
    ['plain text', 'overloaded, sorry'],
    ['HTML', '<html>502</html>'],
    ['an array', '[1]'],
    ['a number', '7'],
    ['a string', '"hello"'],
    ['choices that are not an array', '{"choices":7}'],
    ['a choice that is not an object', '{"choices":[7]}'],
    ['content that is not a string', '{"choices":[{"index":0,"delta":{"content":7}}]}'],
  ])('%s', async (_, data) => {
    const thrown = await failure([
      textEvent('Hello'),
      `data: ${data}\n\n`,
      textEvent('more'),
      doneEvent,
    ]);
    expect(thrown.partial?.choices[0]?.message.content).toBe('Hello');
  });

  test('whose message quotes at most 500 characters', async () => {
    const thrown = await failure([textEvent('Hello'), `data: ${'x'.repeat(5000)}\n\n`, doneEvent]);
    expect(thrown.message.length).toBeLessThan(800);
  });
});

describe('a 200 that is not an event stream is a ResponseValidationError', () => {
  const record = { id: 'c', status: 'ok' };

  test.each([
    ['text/html', '<html>Welcome</html>'],
    ['application/json', '{"error":{"message":"no stream here"}}'],
    ['text/plain', 'Welcome'],
    ['', '{"status":"ok"}'],
    ['text/html', ''],
  ])('of type %j: %s', async (type, text) => {
    const fetch = async () => {
      const response = new Response(bytes(text), { headers: streamHeaders });
      if (type === '') response.headers.delete('content-type');
      else response.headers.set('content-type', type);
      return response;
    };
    const { chat } = clientOf(fetch);
    const error = await rejection(
      ResponseValidationError,
      contents(chat.completions.stream(params)),
    );
    expect(error.meta).toMatchObject({ status: 200, requestId: 'req-7', chargeUsd: 0.25 });
    expect(error.outcome).toBe('unknown');
    expect(error.message.length).toBeLessThan(1000);
    await rejection(ResponseValidationError, chat.completions.stream(params).final());
    await rejection(ResponseValidationError, chat.completions.create({ ...params, stream: true }));
  });

  test('with the body', async () => {
    const headers = { ...streamHeaders, 'content-type': 'application/json' };
    const { chat } = clientOf(streamingFetch([JSON.stringify(record)], 'close', headers));
    const error = await rejection(ResponseValidationError, chat.completions.stream(params).final());
    expect(error.body).toEqual(record);
  });

  test('even if it is a 204 without a body', async () => {
    const { chat } = clientOf(
      async () => new Response(null, { status: 204, headers: streamHeaders }),
    );
    await expect(chat.completions.stream(params).final()).rejects.toBeInstanceOf(
      ResponseValidationError,
    );
  });
});

describe('a stream', () => {
  /** A stream whose pieces arrive after pauses in virtual time. After the last piece, nothing more arrives. */
  function paced(pieces: readonly (readonly [number, string])[], streamIdleTimeout?: number) {
    const clock = virtualClock();
    const rest = [...pieces];
    const stream = new ReadableStream<Uint8Array<ArrayBuffer>>({
      async pull(controller) {
        const [pause, piece] = rest.shift() ?? [Infinity, ''];
        await clock.sleep(pause);
        controller.enqueue(bytes(piece));
      },
    });
    const gateway = clientOf(async () => new Response(stream, { headers: streamHeaders }), {
      clock,
      streamIdleTimeout,
    });
    return { clock, gateway, stream: gateway.chat.completions.stream(params) };
  }

  test('throws a StreamIdleTimeoutError if no bytes arrive for longer than streamIdleTimeout', async () => {
    const { clock, stream, gateway } = paced([[10, textEvent('Hello')]], 5_000);
    const since = clock.now();
    const error = await rejection(StreamIdleTimeoutError, clock.settle(contents(stream)));
    expect(error).toMatchObject({ name: 'StreamIdleTimeoutError', outcome: 'unknown' });
    expect(error.partial?.choices[0]?.message.content).toBe('Hello');
    expect(error.meta?.requestId).toBe('req-7');
    expect(clock.now() - since).toBe(5_010);
    expect(gateway.concurrency.inFlight).toBe(0);
  });

  test('times out after 60 seconds without bytes by default', async () => {
    const { clock, stream } = paced([[59_999, textEvent('Hello')]]);
    const since = clock.now();
    await rejection(StreamIdleTimeoutError, clock.settle(contents(stream)));
    expect(clock.now() - since).toBe(119_999);
  });

  test('does not time out while comments or parts of an event arrive', async () => {
    const [head, tail] = [textEvent('Hello').slice(0, 20), textEvent('Hello').slice(20)];
    const parts = [': ping\n\n', ':', ' p\n\n', head, tail, ': ping\n\n', doneEvent];
    const { clock, stream } = paced(parts.map((piece) => [50_000, piece]));
    await expect(clock.settle(contents(stream))).resolves.toEqual(['Hello']);
  });

  test('times out relative to the last piece, no matter how many came before', async () => {
    const { clock, stream } = paced([
      [50_000, textEvent('a')],
      [30_000, textEvent('b')],
      [1, textEvent('c')],
    ]);
    const since = clock.now();
    await rejection(StreamIdleTimeoutError, clock.settle(contents(stream)));
    expect(clock.now() - since).toBe(140_001);
  });

  test('does not time out while its consumer is slow', async () => {
    const { clock, stream } = paced([
      [10, textEvent('a') + textEvent('b')],
      [10, textEvent('c')],
      [10, doneEvent],
    ]);
    const reading = async () => {
      const texts: unknown[] = [];
      for await (const { choices } of stream) {
        texts.push(choices[0]?.delta.content);
        await clock.sleep(300_000);
      }
      return texts;
    };
    await expect(clock.settle(reading())).resolves.toEqual(['a', 'b', 'c']);
  });
});
