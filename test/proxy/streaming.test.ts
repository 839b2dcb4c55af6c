import { createServer } from 'node:http';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

import { expect, test, vi } from 'vitest';

import { mount, openWay, opened } from './support.ts';

const ask = (signal: AbortSignal | null = null) => ({
  method: 'POST',
  headers: { 'x-user': 'ann', 'content-type': 'application/json' },
  body: '{}',
  signal,
});
const path = `${mount}/v1/chat/completions`;
const events = { 'content-type': 'text/event-stream' };

test('a word is passed on before the next one is there', async () => {
  let next: (word: string) => void;
  const server = createServer((_, response) => {
    response.writeHead(200, events);
    next = (word) => response.write(word);
    next('data: 0\n\n');
  });
  const { origin } = await openWay({ baseURL: await opened(server) });
  const answer = await fetch(origin + path, ask());
  expect(answer.headers.get('x-accel-buffering')).toBe('no');
  const reader = answer.body!.pipeThrough(new TextDecoderStream()).getReader();
  for (const word of ['data: 0\n\n', 'data: 1\n\n', 'data: 2\n\n']) {
    if (word !== 'data: 0\n\n') next!(word);
    expect(await reader.read()).toEqual({ done: false, value: word });
  }
  await reader.cancel();
});

/** A body without end, and how much of it was asked for. */
function endless() {
  let pulled = 0;
  const pull = (controller: ReadableStreamDefaultController) => {
    pulled += 1;
    controller.enqueue(new Uint8Array(1_000));
  };
  return {
    body: new ReadableStream({ pull }, { highWaterMark: 0 }),
    get pulled() {
      return pulled;
    },
  };
}

test('nothing is read ahead of the page', async () => {
  const upstream = endless();
  const { handler } = await openWay({ fetch: async () => new Response(upstream.body) });
  const answer = await handler(new Request(`http://app.example${path}`, ask()));
  const reader = answer.body!.getReader();
  for (const read of [1, 2, 3]) {
    await reader.read();
    for (let turn = 0; turn < 50; turn += 1) await new Promise((resolve) => setImmediate(resolve));
    expect(upstream.pulled).toBe(read);
  }
});

test('an error without end is cut off', async () => {
  const upstream = endless();
  const fetch = async () => new Response(upstream.body, { status: 500 });
  const { handler } = await openWay({ fetch });
  const answer = await handler(new Request(`http://app.example${path}`, ask()));
  expect(answer.status).toBe(500);
  expect(upstream.pulled).toBeLessThan(70);
});

test('a page that does not read holds the gateway back', async () => {
  let written = 0;
  let closed = false;
  const piece = Buffer.alloc(65_536, 'x');
  const server = createServer((_, response) => {
    response.writeHead(200, events);
    response.on('close', () => (closed = true));
    const more = () => {
      while (!response.destroyed && written < 1e9) {
        written += piece.length;
        if (!response.write(piece)) return void response.once('drain', more);
      }
    };
    more();
  });
  const { origin } = await openWay({ baseURL: await opened(server) });
  const left = new AbortController();
  await fetch(origin + path, ask(left.signal));
  let before = -1;
  await vi.waitFor(
    () => {
      const last = before;
      before = written;
      expect(written).toBe(last);
    },
    { timeout: 4_000, interval: 200 },
  );
  expect(written).toBeLessThan(5e7);
  left.abort();
  await vi.waitFor(() => expect(closed).toBe(true));
});

test.each([
  ['by its signal', true],
  ['by its body', false],
])('a page that leaves %s ends the request to the gateway', async (_, bySignal) => {
  let closed = false;
  const server = createServer((request, response) => {
    request.on('close', () => {});
    response.on('close', () => (closed = true));
    response.writeHead(200, events).write('data: 0\n\n');
  });
  const { handler } = await openWay({ baseURL: await opened(server) });
  const left = new AbortController();
  const answer = await handler(new Request(`http://app.example${path}`, ask(left.signal)));
  const reader = answer.body!.getReader();
  await reader.read();
  if (bySignal) left.abort();
  else await reader.cancel();
  await vi.waitFor(() => expect(closed).toBe(true));
});

test('a page that leaves is heard of however long its stream has been', async () => {
  let closed = false;
  const server = createServer((_, response) => {
    response.on('close', () => (closed = true));
    response.writeHead(200, events).write('data: 0\n\n');
  });
  const { handler } = await openWay({ baseURL: await opened(server) });
  const left = new AbortController();
  const answer = await handler(new Request(`http://app.example${path}`, ask(left.signal)));
  const reader = answer.body!.getReader();
  await reader.read();
  setFlagsFromString('--expose-gc');
  const collectGarbage: () => void = runInNewContext('gc');
  for (let round = 0; round < 5; round += 1) {
    collectGarbage();
    await new Promise((resolve) => setImmediate(resolve));
  }
  left.abort();
  await vi.waitFor(() => expect(closed).toBe(true));
  await expect(reader.read()).rejects.toBe(left.signal.reason);
});

test('a page that leaves ends an answer of a fetch that knows no signals', async () => {
  const cancel = vi.fn<(reason: unknown) => void>();
  const start = (controller: ReadableStreamDefaultController) =>
    controller.enqueue(new Uint8Array(1));
  const fetch = async () => new Response(new ReadableStream({ start, cancel }));
  const { handler } = await openWay({ fetch });
  const left = new AbortController();
  const answer = await handler(new Request(`http://app.example${path}`, ask(left.signal)));
  const reader = answer.body!.getReader();
  await reader.read();
  const next = reader.read();
  left.abort('gone');
  await expect(next).rejects.toBe('gone');
  expect(cancel).toHaveBeenCalledWith('gone');
});

test('a page that leaves while it still sends is not asked about, and not reported', async () => {
  const { mock, handler, reports } = await openWay();
  const left = new AbortController();
  const body = new ReadableStream({
    pull(controller) {
      left.abort();
      controller.error(new Error('gone'));
    },
  });
  const init = { ...ask(left.signal), body, duplex: 'half' };
  const answer = await handler(new Request(`http://app.example${path}`, init));
  expect(answer.status).toBe(499);
  expect(mock.requests).toEqual([]);
  expect(reports).toEqual([]);
});

test('a body that goes on for ever is cut off at the cap', async () => {
  const sent = endless();
  const { mock, handler } = await openWay({ maxBodyBytes: 10_000 });
  const init = { ...ask(), body: sent.body, duplex: 'half' };
  const request = new Request(`http://app.example${path}`, init);
  request.headers.set('content-length', '10');
  expect((await handler(request)).status).toBe(413);
  expect(sent.pulled).toBeLessThan(15);
  expect(mock.requests).toEqual([]);
});
