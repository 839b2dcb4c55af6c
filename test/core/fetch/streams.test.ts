import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

import { describe, expect, test } from 'vitest';

import {
  body,
  bytes,
  chunk,
  doneEvent,
  event,
  finishEvent,
  streamHeaders,
  textEvent,
} from '../../support/event-stream.ts';
import { caught, clientOf, coded, image, onMock, submitted, turns, virtualClock } from '../support.ts';
import type { PolygateOptions } from '../../../src/index.ts';
import { fetchChat, imagePath, networkCodesOf, post } from './support.ts';

type Pieces = Parameters<typeof body>[0];

const chat = { model: 'm', messages: [{ role: 'user', content: 'Hi' }], stream: true };

/** Fetches a streamed chat whose body consists of these pieces. */
async function fetchStream(
  pieces: Pieces,
  end: Parameters<typeof body>[1] = 'close',
  { n, ...options }: PolygateOptions & { n?: number } = {},
  init: RequestInit = {},
) {
  const clock = virtualClock();
  const state = { cancelled: 0, requests: 0 };
  const gateway = clientOf(
    async () => {
      state.requests += 1;
      const source = body(pieces, end).getReader();
      const watched = new ReadableStream<Uint8Array>(
        {
          async pull(controller) {
            const { done, value } = await source.read();
            if (done) controller.close();
            else controller.enqueue(value);
          },
          cancel: () => {
            state.cancelled += 1;
          },
        },
        { highWaterMark: 0 },
      );
      return new Response(watched, { headers: streamHeaders });
    },
    { clock, ...options },
  );
  const response = await fetchChat(gateway, n === undefined ? chat : { ...chat, n }, init);
  return { gateway, response, clock, state };
}

/** Reads the chunks of a body until it ends or fails. */
async function readChunks(response: Response) {
  const chunks: Uint8Array[] = [];
  const reader = response.body?.getReader();
  for (;;) {
    const result = await reader?.read().catch((error: unknown) => ({ error }));
    if (!result || 'error' in result) return { chunks, error: result?.error };
    if (result.done) return { chunks, error: undefined };
    chunks.push(result.value);
  }
}

const join = (chunks: readonly Uint8Array[]) => Buffer.concat(chunks);

const unusual = [
  '\uFEFF: a comment\n\n',
  'retry: 10\nid: 7\n\n',
  textEvent('Ahoy 港 👋 é'),
  'event: ping\ndata: {"ping":1}\n\n',
  'data:no space\r\n\r\n',
  'data: two\ndata: lines\n\n',
  finishEvent(),
  event(chunk([], { usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 } })),
  ': the end follows\n\n',
].join('');

describe('a streamed chat passes byte for byte', () => {
  const all = bytes(unusual + doneEvent);

  test.each([1, 2, 3, 7, 16, 64, 1_000])('in chunks of %d bytes', async (size) => {
    const pieces: Uint8Array<ArrayBuffer>[] = [];
    for (let at = 0; at < all.length; at += size) pieces.push(all.slice(at, at + size));
    const { response, gateway } = await fetchStream(pieces);
    const { chunks, error } = await readChunks(response);
    expect(error).toBeUndefined();
    expect(chunks.map(({ length }) => length)).toEqual(pieces.map(({ length }) => length));
    expect(join(chunks).equals(all)).toBe(true);
    expect(gateway.concurrency.inFlight).toBe(0);
  });

  test('split in two at any byte, with any line ending', async () => {
    for (const ending of ['\n', '\r\n', '\r']) {
      const text = [textEvent('港'), finishEvent(), doneEvent].join('').replaceAll('\n', ending);
      const whole = bytes(text);
      for (let at = 0; at <= whole.length; at += 1) {
        const { response } = await fetchStream([whole.slice(0, at), whole.slice(at)]);
        const { chunks, error } = await readChunks(response);
        expect(error).toBeUndefined();
        // The \r of a final \r\n already ends the stream.
        const isCut = ending === '\r\n' && at === whole.length - 1;
        expect(join(chunks).toString()).toBe(isCut ? text.slice(0, -1) : text);
      }
    }
  });

  test('with the status and the headers of the response', async () => {
    const { response } = await fetchStream([finishEvent(), doneEvent]);
    expect(response.status).toBe(200);
    expect(Object.fromEntries(response.headers)).toEqual(streamHeaders);
    await response.text();
  });

  test('with bytes that are no valid UTF-8', async () => {
    const odd = new Uint8Array([...bytes('data: "'), 0xff, 0xc3, ...bytes('"\n\n')]);
    const { response } = await fetchStream([odd, finishEvent(), doneEvent]);
    const { chunks } = await readChunks(response);
    expect(chunks[0]).toEqual(odd);
  });

  test('from the reference gateway', async () => {
    const { mock, gateway } = onMock();
    const params = { ...chat, model: 'aurora-chat', stream_options: { include_usage: true } };
    const { apiKey } = mock;
    const direct = await mock.fetch(`${mock.baseURL}/v1/chat/completions`, {
      ...post(params, { authorization: `Bearer ${apiKey}` }),
    });
    const response = await fetchChat(gateway, params);
    const [a, b] = await Promise.all([direct.text(), response.text()]);
    const withoutIds = (text: string) => text.replaceAll(/"(id|created)":("[^"]*"|\d+)/g, '');
    expect(withoutIds(b)).toBe(withoutIds(a));
    expect(gateway.spend.requests).toBe(1);
  });

  test('even if a chunk is none that the client knows', async () => {
    const { response } = await fetchStream([
      'data: {"object":"other"}\n\n',
      'data: not json\n\n',
      doneEvent,
    ]);
    expect(await response.text()).toContain('not json');
  });
});

describe('a streamed chat is complete', () => {
  test.each<[string, Pieces, number | undefined]>([
    ['after [DONE]', [textEvent('a'), doneEvent], undefined],
    ['after [DONE] without an empty line', [textEvent('a'), 'data: [DONE]'], undefined],
    ['after a finish reason', [textEvent('a'), finishEvent()], undefined],
    ['after a finish reason per choice', [finishEvent('stop', 0), finishEvent('length', 1)], 2],
    ['after a finish reason and usage', [finishEvent(), event(chunk([]))], undefined],
    ['after a finish reason and a fragment', [finishEvent(), 'data: {"id":"c'], undefined],
  ])('%s', async (_, pieces, n) => {
    const { response, gateway } = await fetchStream(pieces, 'close', { ...(n && { n }) });
    expect(await response.text()).toBe(pieces.join(''));
    expect(gateway.concurrency.inFlight).toBe(0);
  });

  test('after a finish reason, even if the connection then breaks', async () => {
    const { response, gateway } = await fetchStream([textEvent('a'), finishEvent()], 'reset');
    expect(await response.text()).toBe(textEvent('a') + finishEvent());
    expect(gateway.concurrency.inFlight).toBe(0);
  });

  test('after [DONE], without waiting for the connection to end', async () => {
    const { response, gateway, clock, state } = await fetchStream(
      [textEvent('a'), doneEvent],
      'stall',
    );
    expect(await response.text()).toBe(textEvent('a') + doneEvent);
    expect(gateway.concurrency.inFlight).toBe(0);
    await clock.advance(200);
    expect(state.cancelled).toBe(1);
  });

  test('after an error event, which is passed on', async () => {
    for (const failure of [
      'data: {"error":{"message":"overloaded","code":"internal_error"}}\n\n',
      'event: error\ndata: {"message":"overloaded"}\n\n',
    ]) {
      for (const end of ['close', 'reset'] as const) {
        const { response, gateway } = await fetchStream([textEvent('a'), failure], end);
        expect(await response.text()).toBe(textEvent('a') + failure);
        expect(gateway.concurrency.inFlight).toBe(0);
      }
    }
  });
});

describe('a streamed chat is truncated', () => {
  test.each<[string, Pieces, number | undefined]>([
    ['before the first event', [], undefined],
    ['before a finish reason', [textEvent('a')], undefined],
    ['within an event', [textEvent('a'), 'data: {"id":"c'], undefined],
    ['within [DONE]', [textEvent('a'), 'data: [DON'], undefined],
    ['after something that starts with [DONE]', [textEvent('a'), 'data: [DONE]x\n\n'], undefined],
    ['after one of two choices', [textEvent('a', 1), finishEvent('stop', 0)], 2],
    ['before the second choice', [finishEvent('stop', 0)], 2],
    ['after one of two choices, if only one was asked for', [finishEvent(), textEvent('b', 1)], 1],
    ['within a character', [textEvent('a'), bytes('data: "港').slice(0, -1)], undefined],
  ])('%s', async (_, pieces, n) => {
    for (const end of ['close', 'reset'] as const) {
      const { response, gateway, state } = await fetchStream(pieces, end, { ...(n && { n }) });
      const { chunks, error } = await readChunks(response);
      expect(error).toMatchObject({ name: 'StreamTruncatedError', outcome: 'unknown' });
      expect(networkCodesOf(error)).toEqual([]);
      expect(String(error)).toContain('may charge you again');
      const sent = join(pieces.map((piece) => (typeof piece === 'string' ? bytes(piece) : piece)));
      expect(join(chunks).equals(sent)).toBe(true);
      expect(gateway.concurrency.inFlight).toBe(0);
      // Never sent again.
      expect(state.requests).toBe(1);
    }
  });

  test.each(['end', 'reset'] as const)('by the reference gateway: %s', async (cut) => {
    const { mock, gateway } = onMock();
    mock.fail({ cutStreamAfter: 2, cut });
    const response = await fetchChat(gateway, { ...chat, model: 'aurora-chat' });
    expect(await caught(response.text())).toMatchObject({ name: 'StreamTruncatedError' });
    expect(mock.requests).toHaveLength(1);
    expect(mock.invoice).toHaveLength(1);
    expect(gateway.spend.requests).toBe(1);
    expect(gateway.concurrency.inFlight).toBe(0);
  });

  test('with a network error whose code is not passed on', async () => {
    const broken = () =>
      new ReadableStream({
        pull: (controller) => controller.error(coded('ECONNRESET')),
      });
    const gateway = clientOf(async () => new Response(broken(), { headers: streamHeaders }));
    const error = await caught((await fetchChat(gateway, chat)).text());
    expect(error.name).toBe('StreamTruncatedError');
    expect(networkCodesOf(error)).toEqual([]);
  });

  test('also if the client does not limit concurrency', async () => {
    const { response } = await fetchStream([textEvent('a')], 'close', { concurrency: false });
    expect(await caught(response.text())).toMatchObject({ name: 'StreamTruncatedError' });
  });
});

describe('the slot of a streamed chat', () => {
  const busy = (pieces: Pieces = [textEvent('a')]) =>
    fetchStream(pieces, 'stall', { concurrency: 1 });

  test('is held until the body ends', async () => {
    const { response, gateway } = await fetchStream([textEvent('a'), doneEvent], 'close', {
      concurrency: 1,
    });
    expect(gateway.concurrency.inFlight).toBe(1);
    await response.text();
    expect(gateway.concurrency.inFlight).toBe(0);
  });

  test('is freed when the body is cancelled, and so is the connection', async () => {
    const { response, gateway, state } = await busy();
    await response.body?.cancel();
    expect(gateway.concurrency.inFlight).toBe(0);
    expect(state.cancelled).toBe(1);
  });

  test('is freed when a reader cancels', async () => {
    const { response, gateway, state } = await busy();
    const reader = response.body?.getReader();
    await reader?.read();
    await reader?.cancel();
    expect(gateway.concurrency.inFlight).toBe(0);
    expect(state.cancelled).toBe(1);
  });

  test('is freed when the signal aborts, with its reason', async () => {
    const stop = new AbortController();
    const { response, gateway, state } = await fetchStream(
      [textEvent('a')],
      'stall',
      { concurrency: 1 },
      { signal: stop.signal },
    );
    const reader = response.body?.getReader();
    await reader?.read();
    const pending = caught(Promise.resolve(reader?.read()));
    const reason = new Error('enough');
    stop.abort(reason);
    expect(await pending).toBe(reason);
    expect(gateway.concurrency.inFlight).toBe(0);
    expect(state.cancelled).toBe(1);
  });

  test('is freed after silence, with StreamIdleTimeoutError', async () => {
    const { response, gateway, clock, state } = await busy();
    const text = caught(response.text());
    await turns();
    await clock.advance(61_000);
    expect(await text).toMatchObject({ name: 'StreamIdleTimeoutError', outcome: 'unknown' });
    expect(gateway.concurrency.inFlight).toBe(0);
    expect(state.cancelled).toBe(1);
  });

  test('is freed if the body is never read', async () => {
    const { response, gateway, clock } = await busy();
    await clock.advance(61_000);
    expect(gateway.concurrency.inFlight).toBe(0);
    expect(await caught(response.text())).toMatchObject({ name: 'StreamIdleTimeoutError' });
  });

  test('is freed when an event exceeds maxEventBytes, and so is the connection', async () => {
    const { response, gateway, state } = await fetchStream([textEvent('a'.repeat(500))], 'stall', {
      concurrency: 1,
      maxEventBytes: 100,
    });
    expect(await caught(response.text())).toMatchObject({ name: 'StreamError' });
    expect(gateway.concurrency.inFlight).toBe(0);
    expect(state.cancelled).toBe(1);
  });

  test('lets the next request through', async () => {
    const { mock, gateway } = onMock({}, { concurrency: 1 });
    const response = await fetchChat(gateway, { ...chat, model: 'aurora-chat' });
    const next = gateway.fetch(imagePath, post(image));
    await turns();
    expect(mock.requests).toHaveLength(1);
    await response.text();
    expect((await next).status).toBe(202);
  });

  test('is not held by a response that is no stream', async () => {
    const gateway = clientOf(async () => submitted(undefined as never), { concurrency: 1 });
    await gateway.fetch(imagePath, post(image));
    expect(gateway.concurrency.inFlight).toBe(0);
  });

  test('is freed when the response is garbage collected', async () => {
    setFlagsFromString('--expose-gc');
    const collectGarbage = runInNewContext('gc') as () => void;
    const { mock, gateway } = onMock({ chunkDelayMs: 10 });
    const start = async () => {
      const response = await fetchChat(gateway, { ...chat, model: 'aurora-chat' });
      await response.body?.getReader().read();
    };
    await mock.clock.settle(start());
    expect(gateway.concurrency.inFlight).toBe(1);
    for (let round = 0; round < 5; round += 1) {
      await turns();
      collectGarbage();
    }
    await turns();
    expect(gateway.concurrency.inFlight).toBe(0);
    expect(mock.inFlight).toBe(0);
  });
});

describe('the body of a streamed chat', () => {
  test('is read on demand, one chunk at a time', async () => {
    let pulled = 0;
    const endless = () =>
      new ReadableStream(
        {
          pull(controller) {
            pulled += 1;
            controller.enqueue(bytes(textEvent('a')));
          },
        },
        { highWaterMark: 0 },
      );
    const gateway = clientOf(async () => new Response(endless(), { headers: streamHeaders }));
    const response = await fetchChat(gateway, chat);
    await turns();
    expect(pulled).toBe(0);
    const reader = response.body?.getReader();
    await reader?.read();
    await turns();
    expect(pulled).toBe(1);
    await reader?.cancel();
  });

  test('is not timed while the caller does not read on', async () => {
    const { response, clock } = await fetchStream([textEvent('a'), doneEvent]);
    const reader = response.body?.getReader();
    await reader?.read();
    await clock.advance(250_000);
    expect(await reader?.read()).toMatchObject({ done: false });
  });

  test('leaves no timer behind', async () => {
    const clock = virtualClock();
    let pending = 0;
    const counting = {
      now: () => clock.now(),
      sleep: async (ms: number, signal?: AbortSignal) => {
        pending += 1;
        await clock.sleep(ms, signal).finally(() => {
          pending -= 1;
        });
      },
    };
    for (const end of ['close', 'reset'] as const) {
      const { response } = await fetchStream([textEvent('a')], end, { clock: counting });
      await caught(response.text());
      await turns();
      expect(pending).toBe(0);
    }
  });
});
