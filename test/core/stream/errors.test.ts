import { describe, expect, test } from 'vitest';

import {
  ResponseValidationError,
  StreamError,
  StreamIdleTimeoutError,
  StreamTruncatedError,
} from '../../../src/index.ts';
import { createMockGateway } from '../../../src/mock/index.ts';
import {
  answering,
  bytes,
  chunk,
  clientOf,
  contents,
  done,
  event,
  params,
  says,
  stops,
  streamHeaders,
  streamOf,
} from '../../support/event-stream.ts';
import { rejection } from '../../support/rejection.ts';

/** The error with which a stream of these pieces ends, which must be a StreamError and no truncation. */
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
    ['as all of an event of type error', [`event: error\n${event(error)}`]],
  ])('%s is a StreamError with its code, type and words', async (_, pieces) => {
    const thrown = await failure([says('Hello'), ...pieces, says('more'), done]);
    expect(thrown).toMatchObject({ code: 'kitchen_full', type: 'api_error', outcome: 'unknown' });
    expect(thrown.message).toContain('Too many cooks');
    expect(thrown.partial?.choices[0]?.message.content).toBe('Hello');
  });

  test('as the last event, without a line end, is one too', async () => {
    const thrown = await failure([says('Hello'), event({ error }).trim()]);
    expect(thrown).toMatchObject({ code: 'kitchen_full', type: 'api_error' });
  });

  test('as a string is one too', async () => {
    const thrown = await failure([says('Hello'), event({ error: 'Too many cooks' }), done]);
    expect(thrown.message).toContain('Too many cooks');
  });

  test('as the first event has no partial answer, and is never an empty success', async () => {
    const thrown = await failure([event({ error }), done]);
    expect(thrown.partial).toBeUndefined();
    await expect(streamOf([event({ error }), done]).final()).rejects.toBeInstanceOf(StreamError);
  });

  test('after the finish reason is still an error', async () => {
    const thrown = await failure([says('Hello'), stops(), event({ error }), done]);
    expect(thrown.partial?.choices[0]?.finish_reason).toBe('stop');
  });

  test('of the reference gateway surfaces in the loop and in final()', async () => {
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

describe('an event that is no chunk is a StreamError', () => {
  test.each([
    ['JSON that breaks off', '{"choices":[{'],
    ['words', 'overloaded, sorry'],
    ['HTML', '<html>502</html>'],
    ['an array', '[1]'],
    ['a number', '7'],
    ['null', 'null'],
    ['a string', '"hello"'],
    ['choices that are no list', '{"choices":7}'],
    ['a choice that is no record', '{"choices":[7]}'],
    ['content that is no text', '{"choices":[{"index":0,"delta":{"content":7}}]}'],
  ])('%s', async (_, data) => {
    const thrown = await failure([says('Hello'), `data: ${data}\n\n`, says('more'), done]);
    expect(thrown.partial?.choices[0]?.message.content).toBe('Hello');
  });

  test('its message quotes at most 500 characters', async () => {
    const thrown = await failure([says('Hello'), `data: ${'x'.repeat(5000)}\n\n`, done]);
    expect(thrown.message.length).toBeLessThan(800);
  });
});

describe('a 200 that is no event stream is a ResponseValidationError', () => {
  const completion = { id: 'c', choices: [{ index: 0, message: { content: 'Hi' } }] };

  test.each([
    ['text/html', '<html>Welcome</html>'],
    ['application/json', JSON.stringify(completion)],
    ['application/json', '{"error":{"message":"no stream here"}}'],
    ['text/event-streams', says('Hello') + done],
    ['text/plain', says('Hello') + done],
    ['', says('Hello') + done],
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

  test('it carries the body', async () => {
    const headers = { ...streamHeaders, 'content-type': 'application/json' };
    const { chat } = clientOf(answering([JSON.stringify(completion)], 'close', headers));
    const error = await rejection(ResponseValidationError, chat.completions.stream(params).final());
    expect(error.body).toEqual(completion);
  });

  test('a 204 without a body is one too', async () => {
    const { chat } = clientOf(
      async () => new Response(null, { status: 204, headers: streamHeaders }),
    );
    await expect(chat.completions.stream(params).final()).rejects.toBeInstanceOf(
      ResponseValidationError,
    );
  });
});

describe('silence', () => {
  /** A stream whose pieces come after pauses by a virtual clock; a last pause without a piece never ends. */
  function paced(pieces: readonly (readonly [number, string])[], streamIdleTimeout?: number) {
    const { clock } = createMockGateway({ clock: 'virtual' });
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

  test('longer than streamIdleTimeout is a StreamIdleTimeoutError', async () => {
    const { clock, stream, gateway } = paced([[10, says('Hello')]], 5_000);
    const since = clock.now();
    const error = await rejection(StreamIdleTimeoutError, clock.settle(contents(stream)));
    expect(error).toMatchObject({ name: 'StreamIdleTimeoutError', outcome: 'unknown' });
    expect(error.partial?.choices[0]?.message.content).toBe('Hello');
    expect(error.meta?.requestId).toBe('req-7');
    expect(clock.now() - since).toBe(5_010);
    expect(gateway.concurrency.inFlight).toBe(0);
  });

  test('lasts 60 seconds by default', async () => {
    const { clock, stream } = paced([[59_999, says('Hello')]]);
    const since = clock.now();
    await rejection(StreamIdleTimeoutError, clock.settle(contents(stream)));
    expect(clock.now() - since).toBe(119_999);
  });

  test('is broken by comments and by pieces of an event', async () => {
    const [head, tail] = [says('Hello').slice(0, 20), says('Hello').slice(20)];
    const pauses = [': ping\n\n', ':', ' p\n\n', head, tail, ': ping\n\n', done];
    const { clock, stream } = paced(pauses.map((piece) => [50_000, piece]));
    await expect(clock.settle(contents(stream))).resolves.toEqual(['Hello']);
  });

  test('is counted from the last piece, however many came before', async () => {
    const { clock, stream } = paced([
      [50_000, says('a')],
      [30_000, says('b')],
      [1, says('c')],
    ]);
    const since = clock.now();
    await rejection(StreamIdleTimeoutError, clock.settle(contents(stream)));
    expect(clock.now() - since).toBe(140_001);
  });

  test('is not what a slow reader makes', async () => {
    const { clock, stream } = paced([
      [10, says('a') + says('b')],
      [10, says('c')],
      [10, done],
    ]);
    const reading = async () => {
      const said: unknown[] = [];
      for await (const { choices } of stream) {
        said.push(choices[0]?.delta.content);
        await clock.sleep(300_000);
      }
      return said;
    };
    await expect(clock.settle(reading())).resolves.toEqual(['a', 'b', 'c']);
  });
});
