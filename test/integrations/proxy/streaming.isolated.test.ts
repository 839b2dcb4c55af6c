import { createServer } from 'node:http';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

import { expect, test, vi } from 'vitest';

import { eventually } from '../../support/eventually.ts';
import { mount, startProxy, serveLocally } from './support.ts';

const chatRequest = (signal: AbortSignal | null = null) => ({
  method: 'POST',
  headers: { 'x-user': 'ann', 'content-type': 'application/json' },
  body: '{}',
  signal,
});
const path = `${mount}/v1/chat/completions`;
const events = { 'content-type': 'text/event-stream' };

test('a chunk is forwarded before the next one arrives', async () => {
  let write: (event: string) => void;
  const server = createServer((_, response) => {
    response.writeHead(200, events);
    write = (event) => response.write(event);
    write('data: 0\n\n');
  });
  const { origin } = await startProxy({ baseURL: await serveLocally(server) });
  const response = await fetch(origin + path, chatRequest());
  expect(response.headers.get('x-accel-buffering')).toBe('no');
  const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader();
  for (const event of ['data: 0\n\n', 'data: 1\n\n', 'data: 2\n\n']) {
    if (event !== 'data: 0\n\n') write!(event);
    expect(await reader.read()).toEqual({ done: false, value: event });
  }
  await reader.cancel();
});

/** An infinite body that counts how many chunks were pulled. */
function endlessBody() {
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

test('the proxy never reads ahead of the page', async () => {
  const upstream = endlessBody();
  const { handler } = await startProxy({ fetch: async () => new Response(upstream.body) });
  const response = await handler(new Request(`http://app.example${path}`, chatRequest()));
  const reader = response.body!.getReader();
  for (const read of [1, 2, 3]) {
    await reader.read();
    for (let turn = 0; turn < 50; turn += 1) await new Promise((resolve) => setImmediate(resolve));
    expect(upstream.pulled).toBe(read);
  }
});

test('an endless error body is cut off', async () => {
  const upstream = endlessBody();
  const fetch = async () => new Response(upstream.body, { status: 500 });
  const { handler } = await startProxy({ fetch });
  const response = await handler(new Request(`http://app.example${path}`, chatRequest()));
  expect(response.status).toBe(500);
  expect(upstream.pulled).toBeLessThan(1_100);
});

test('a page that does not read slows the gateway down', async () => {
  let written = 0;
  let closed = false;
  const chunk = Buffer.alloc(65_536, 'x');
  const server = createServer((_, response) => {
    response.writeHead(200, events);
    response.on('close', () => (closed = true));
    const more = () => {
      while (!response.destroyed && written < 1e9) {
        written += chunk.length;
        if (!response.write(chunk)) return void response.once('drain', more);
      }
    };
    more();
  });
  const { origin } = await startProxy({ baseURL: await serveLocally(server) });
  const page = new AbortController();
  await fetch(origin + path, chatRequest(page.signal));
  let before = -1;
  const isStill = () => {
    const last = before;
    before = written;
    return written === last;
  };
  await expect.poll(isStill, { interval: 200 }).toBe(true);
  expect(written).toBeLessThan(5e7);
  page.abort();
  await eventually(() => expect(closed).toBe(true));
});

test.each([
  ['aborting its signal', true],
  ['canceling the body', false],
])('a page that disconnects by %s ends the request to the gateway', async (_, bySignal) => {
  let closed = false;
  const server = createServer((request, response) => {
    request.on('close', () => {});
    response.on('close', () => (closed = true));
    response.writeHead(200, events).write('data: 0\n\n');
  });
  const { handler } = await startProxy({ baseURL: await serveLocally(server) });
  const page = new AbortController();
  const response = await handler(
    new Request(`http://app.example${path}`, chatRequest(page.signal)),
  );
  const reader = response.body!.getReader();
  await reader.read();
  if (bySignal) page.abort();
  else await reader.cancel();
  await eventually(() => expect(closed).toBe(true));
});

test('a disconnect is detected even after a garbage collection during the stream', async () => {
  let closed = false;
  const server = createServer((_, response) => {
    response.on('close', () => (closed = true));
    response.writeHead(200, events).write('data: 0\n\n');
  });
  const { handler } = await startProxy({ baseURL: await serveLocally(server) });
  const page = new AbortController();
  const response = await handler(
    new Request(`http://app.example${path}`, chatRequest(page.signal)),
  );
  const reader = response.body!.getReader();
  await reader.read();
  setFlagsFromString('--expose-gc');
  const collectGarbage: () => void = runInNewContext('gc');
  for (let round = 0; round < 5; round += 1) {
    collectGarbage();
    await new Promise((resolve) => setImmediate(resolve));
  }
  page.abort();
  await eventually(() => expect(closed).toBe(true));
  await expect(reader.read()).rejects.toBe(page.signal.reason);
});

test('a disconnect cancels the response of a fetch that ignores signals', async () => {
  const cancel = vi.fn<(reason: unknown) => void>();
  const start = (controller: ReadableStreamDefaultController) =>
    controller.enqueue(new Uint8Array(1));
  const fetch = async () => new Response(new ReadableStream({ start, cancel }));
  const { handler } = await startProxy({ fetch });
  const page = new AbortController();
  const response = await handler(
    new Request(`http://app.example${path}`, chatRequest(page.signal)),
  );
  const reader = response.body!.getReader();
  await reader.read();
  const next = reader.read();
  page.abort('gone');
  await expect(next).rejects.toBe('gone');
  expect(cancel).toHaveBeenCalledWith('gone');
});

test('a page that disconnects during its upload is neither forwarded nor reported', async () => {
  const { mock, handler, reports } = await startProxy();
  const page = new AbortController();
  const body = new ReadableStream({
    pull(controller) {
      page.abort();
      controller.error(new Error('gone'));
    },
  });
  const init = { ...chatRequest(page.signal), body, duplex: 'half' };
  const response = await handler(new Request(`http://app.example${path}`, init));
  expect(response.status).toBe(499);
  expect(mock.requests).toEqual([]);
  expect(reports).toEqual([]);
});

test('an endless request body is cut off at maxBodyBytes', async () => {
  const upload = endlessBody();
  const { mock, handler } = await startProxy({ maxBodyBytes: 10_000 });
  const init = { ...chatRequest(), body: upload.body, duplex: 'half' };
  const request = new Request(`http://app.example${path}`, init);
  request.headers.set('content-length', '10');
  expect((await handler(request)).status).toBe(413);
  expect(upload.pulled).toBeLessThan(15);
  expect(mock.requests).toEqual([]);
});
