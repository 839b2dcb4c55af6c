import { describe, expect, test } from 'vitest';

import {
  bytes,
  chunk,
  doneEvent,
  event,
  finishEvent,
  streamHeaders,
  textEvent,
} from '../../support/event-stream.ts';
import { caught, clientOf, coded, onMock } from '../support.ts';
import { chat, fetchStream, join, readChunks } from './stream-support.ts';
import type { Pieces } from './stream-support.ts';
import { fetchChat, networkCodesOf, post } from './support.ts';

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
    ['after [DONE], if no other event is a chunk', ['data: not json\n\n', doneEvent], undefined],
    ['after an error and [DONE]', ['data: {"error":{}}\n\n', doneEvent], undefined],
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
    expect(state.canceled).toBe(1);
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

test.each<[string, Pieces]>([
  ['only [DONE]', [doneEvent]],
  ['[DONE] after a comment', [': processing\n\n', doneEvent]],
  ['[DONE] without an empty line', ['data: [DONE]']],
])('a streamed chat fails that contains %s, because nothing was delivered', async (_, pieces) => {
  const { response, gateway, state } = await fetchStream(pieces);
  const { error } = await readChunks(response);
  expect(error).toMatchObject({
    name: 'StreamError',
    outcome: 'unknown',
    message: expect.stringContaining('Invalid stream: it contained no chunks.'),
  });
  expect(gateway.concurrency.inFlight).toBe(0);
  expect(state.requests).toBe(1);
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

  test.each(['/v1/chat/completions/', '/v1//chat/completions'])(
    'also at %s, which many services accept',
    async (path) => {
      const reply = () => new Response(textEvent('a'), { headers: streamHeaders });
      const response = await clientOf(async () => reply()).fetch(path, post(chat));
      expect(await caught(response.text())).toMatchObject({ name: 'StreamTruncatedError' });
    },
  );

  test('also if the client does not limit concurrency', async () => {
    const { response } = await fetchStream([textEvent('a')], 'close', { concurrency: false });
    expect(await caught(response.text())).toMatchObject({ name: 'StreamTruncatedError' });
  });
});
