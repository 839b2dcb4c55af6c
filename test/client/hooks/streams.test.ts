import { createServer } from 'node:http';
import type { ServerResponse } from 'node:http';

import { describe, expect, onTestFinished, test } from 'vitest';

import type { Hooks } from '../../../src/index.ts';
import {
  body,
  bytes,
  clientOf,
  contents,
  doneEvent,
  finishEvent,
  params,
  streamHeaders,
  streamingFetch,
  textEvent,
} from '../../support/event-stream.ts';
import { eventually } from '../../support/eventually.ts';
import { caught, eventStream } from '../support.ts';

type AfterResponse = NonNullable<Hooks['afterResponse']>[number];

const complete = [textEvent('A'), textEvent('hoy'), finishEvent(), doneEvent];
const open = (fetch: typeof globalThis.fetch, ...afterResponse: AfterResponse[]) => {
  const gateway = clientOf(fetch, { hooks: { afterResponse } });
  return { gateway, stream: gateway.chat.completions.stream(params) };
};

/** Hooks that replace nothing. */
const idle: Readonly<Record<string, AfterResponse[]>> = {
  'does nothing': [() => undefined],
  'runs with two others': [() => undefined, () => undefined, () => undefined],
  'reads the response': [async ({ response }) => void (await response.text())],
  'returns its response': [({ response }) => response],
  'returns a copy of its response': [
    ({ response }) => response.clone(),
    ({ response }) => response,
  ],
  'returns its body with other headers': [
    ({ response }) => new Response(response.body, { headers: { 'x-seen': '1' } }),
  ],
};

test('a content type in upper case, with parameters, is a stream too', async () => {
  const headers = { ...streamHeaders, 'content-type': 'Text/Event-Stream; charset=utf-8' };
  let given: unknown;
  const { stream } = open(
    streamingFetch(complete.slice(0, 2), 'reset', headers),
    ({ response }) => {
      given = response.body;
    },
  );
  await caught(contents(stream));
  expect(stream.partial?.choices[0]?.message.content).toBe('Ahoy');
  expect(given).toBeNull();
});

describe.each(Object.entries(idle))('a stream with a hook that %s', (_, hooks) => {
  test('has all chunks and ends with [DONE]', async () => {
    const { gateway, stream } = open(streamingFetch(complete, 'stall'), ...hooks);
    expect(await contents(stream)).toEqual(['A', 'hoy', '']);
    expect(stream.meta).toMatchObject({ requestId: 'req-7', chargeUsd: 0.25 });
    expect(gateway.spend.totalUsd).toBe(0.25);
  });

  test('has all chunks before a reset', async () => {
    const { stream } = open(streamingFetch(complete.slice(0, 2), 'reset'), ...hooks);
    const error = await caught(contents(stream));
    expect(error).toMatchObject({ name: 'StreamTruncatedError', outcome: 'unknown' });
    expect(stream.partial?.choices[0]?.message.content).toBe('Ahoy');
  });

  test('reports that it is truncated', async () => {
    const { stream } = open(streamingFetch(complete.slice(0, 2)), ...hooks);
    expect(await caught(contents(stream))).toMatchObject({ name: 'StreamTruncatedError' });
  });

  test('is read no faster than its consumer reads', async () => {
    let pulled = 0;
    const endless = new ReadableStream<Uint8Array>(
      { pull: (controller) => controller.enqueue(bytes(textEvent(String((pulled += 1))))) },
      { highWaterMark: 0 },
    );
    const { stream } = open(
      async () => new Response(endless, { headers: streamHeaders }),
      ...hooks,
    );
    let read = 0;
    for await (const chunk of stream) {
      void chunk;
      read += 1;
      await new Promise((resolve) => setImmediate(resolve));
      expect(pulled).toBeLessThanOrEqual(read + 1);
      if (read === 20) break;
    }
  });
});

test('hooks receive status and headers of a stream, but no body', async () => {
  const seen: unknown[] = [];
  const { stream } = open(streamingFetch(complete), ({ response }) => {
    const { status, headers, body: given } = response;
    seen.push([status, headers.get('x-request-id'), headers.get('content-type'), given]);
  });
  await stream.final();
  expect(seen).toEqual([[200, 'req-7', 'text/event-stream', null]]);
});

/** A fetch whose stream never ends, and whether it was canceled. */
function cancellable() {
  const state = { canceled: false };
  const cancel = () => void (state.canceled = true);
  const stream = () =>
    new ReadableStream<Uint8Array>({
      start: (controller) => controller.enqueue(bytes(complete[0] ?? '')),
      cancel,
    });
  const fetch = async () => new Response(stream(), { headers: streamHeaders });
  return { fetch, state };
}

describe('a hook that replaces a stream', () => {
  test('by a stream of its own cancels the original one', async () => {
    const { fetch, state } = cancellable();
    // Without a content type: status and headers stay those of the service.
    const own = () => new Response(body([textEvent('Own'), finishEvent(), doneEvent]));
    const { stream } = open(fetch, own, () => undefined);
    expect(await contents(stream)).toEqual(['Own', '']);
    expect(stream.meta).toMatchObject({ requestId: 'req-7', chargeUsd: 0.25 });
    await eventually(() => expect(state.canceled).toBe(true));
  });

  test('by a truncated stream fails as any truncated stream', async () => {
    const own = () => new Response(body([textEvent('Own')]), eventStream);
    const { stream } = open(streamingFetch(complete), own);
    expect(await caught(contents(stream))).toMatchObject({
      name: 'StreamTruncatedError',
      meta: { chargeUsd: 0.25 },
    });
  });
});

test('a hook that throws cancels the stream', async () => {
  const { fetch, state } = cancellable();
  const cause = new Error('Broken');
  const { gateway, stream } = open(fetch, () => {
    throw cause;
  });
  expect(await caught(stream.final())).toMatchObject({ name: 'HookError', cause });
  expect(gateway.spend.totalUsd).toBe(0.25);
  expect(gateway.concurrency.inFlight).toBe(0);
  await eventually(() => expect(state.canceled).toBe(true));
});

test('a beforeRequest hook can supply a stream, of which afterResponse hooks keep every chunk', async () => {
  let pulled = 0;
  const pieces = complete.slice(0, 2);
  const supplied = new ReadableStream<Uint8Array>(
    {
      pull(controller) {
        const piece = pieces[pulled];
        pulled += 1;
        if (piece === undefined) controller.error(new TypeError('terminated'));
        else controller.enqueue(bytes(piece));
      },
    },
    { highWaterMark: 0 },
  );
  const gateway = clientOf(async () => Response.error(), {
    hooks: {
      beforeRequest: [() => new Response(supplied, { headers: streamHeaders })],
      afterResponse: [() => undefined, ({ response }) => response],
    },
  });
  const stream = gateway.chat.completions.stream(params);
  expect(await caught(contents(stream))).toMatchObject({ name: 'StreamTruncatedError' });
  expect(stream.partial?.choices[0]?.message.content).toBe('Ahoy');
  expect(gateway.spend.totalUsd).toBe(0.25);
});

describe('over a socket', () => {
  /** A server that sends the start of a stream, and then calls `then`. */
  async function serve(then: (response: ServerResponse) => void) {
    const server = createServer((request, response) => {
      request.resume();
      response.writeHead(200, streamHeaders);
      response.write(`${complete[0]}${complete[1]}`, () => then(response));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => {
      server.closeAllConnections();
      server.close();
    });
    const address = server.address();
    return `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`;
  }

  test('hooks lose no chunk before a reset', async () => {
    let reset = () => {};
    const baseURL = await serve(({ socket }) => (reset = () => void socket?.resetAndDestroy()));
    const hooks = { afterResponse: [() => undefined, () => undefined] };
    const stream = clientOf(fetch, { baseURL, hooks }).chat.completions.stream(params);
    const texts: (string | null | undefined)[] = [];
    const reading = (async () => {
      for await (const { choices } of stream) {
        texts.push(choices[0]?.delta.content);
        if (texts.length === 2) reset();
      }
    })();
    expect(await caught(reading)).toMatchObject({ name: 'StreamTruncatedError' });
    expect(texts).toEqual(['A', 'hoy']);
  });

  test('a hook that throws closes the connection', async () => {
    let closed = false;
    const baseURL = await serve((response) => response.on('close', () => (closed = true)));
    const afterResponse = [() => Promise.reject(new Error('Broken'))];
    const stream = clientOf(fetch, { baseURL, hooks: { afterResponse } }).chat.completions.stream(
      params,
    );
    expect(await caught(stream.final())).toMatchObject({ name: 'HookError' });
    await eventually(() => expect(closed).toBe(true));
  });
});
