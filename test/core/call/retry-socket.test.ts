import { createServer } from 'node:net';
import type { Server, Socket } from 'node:net';
import { gzipSync } from 'node:zlib';

import { afterEach, describe, expect, test } from 'vitest';

import { Polygate } from '../../../src/index.ts';
import { caught, chat, drain, image } from '../support.ts';

type Call = (gateway: Polygate) => Promise<unknown>;
const material = { url: 'https://files.example/a.png', type: 'image' as const };
const design = { prompt: 'An old sailor', preview_text: 'Ahoy' };

/** Whether a request of unknown outcome may go out again. */
const routes: readonly (readonly [string, boolean, Call])[] = [
  ['a GET', true, (gateway) => gateway.models.list()],
  ['a DELETE', true, (gateway) => gateway.materials.delete('mat_1')],
  ['a submit', true, (gateway) => gateway.images.submit(image)],
  ['a material', true, (gateway) => gateway.materials.create(material)],
  ['a chat', false, (gateway) => gateway.chat.completions.create(chat)],
  ['a stream', false, (gateway) => drain(gateway.chat.completions.stream(chat))],
  ['a voice', false, (gateway) => gateway.voices.design(design)],
];

const whole = JSON.stringify({ id: 'task_1', status: 'queued', filler: 'x'.repeat(500) });
const head = (headers: string) =>
  `HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n${headers}\r\n\r\n`;
const zipped = gzipSync(whole);
const reply = (socket: Socket, ...pieces: readonly (string | Uint8Array)[]) => {
  for (const piece of pieces) socket.write(piece);
  socket.end();
};

/** What the server does once a whole request has arrived. None of it tells whether the work was done. */
const cuts: Readonly<Record<string, (socket: Socket) => void>> = {
  'a reset': (socket) => void socket.resetAndDestroy(),
  'an end without an answer': (socket) => void socket.end(),
  'an answer that is no HTTP': (socket) => reply(socket, 'SSH-2.0-OpenSSH_9.6\r\n'),
  'half a status line': (socket) => reply(socket, 'HTTP/1.1 20'),
  'half a header': (socket) => reply(socket, 'HTTP/1.1 200 OK\r\nx-svc-char'),
  'a body that is shorter than announced': (socket) =>
    reply(socket, head('content-length: 900'), whole.slice(0, 100)),
  'no body where one was announced': (socket) => reply(socket, head('content-length: 900')),
  'half a chunk': (socket) =>
    reply(socket, head('transfer-encoding: chunked'), `ff\r\n${whole.slice(0, 100)}`),
  'chunks without the last one': (socket) =>
    reply(socket, head('transfer-encoding: chunked'), `64\r\n${whole.slice(0, 100)}\r\n`),
  'half of what was compressed': (socket) =>
    reply(
      socket,
      head(`content-encoding: gzip\r\ncontent-length: ${zipped.length}`),
      zipped.subarray(0, 40),
    ),
  'a body that a reset cuts': (socket) => {
    socket.write(`${head('content-length: 900')}${whole.slice(0, 100)}`, () => {
      socket.resetAndDestroy();
    });
  },
  'a body that ends with the connection, in the middle': (socket) =>
    reply(socket, head('connection: close'), whole.slice(0, 100)),
};

const servers: Server[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) server.close();
});

/** A server that reads each request to its end; what it has read. */
async function upstream(then: (socket: Socket) => void) {
  const requests: string[] = [];
  const server = createServer((socket) => {
    let text = '';
    socket.on('error', () => undefined);
    socket.on('data', (piece) => {
      text += piece.toString('latin1');
      const [headers = '', body] = text.split('\r\n\r\n', 2);
      const length = Number(/content-length: (\d+)/i.exec(headers)?.[1] ?? 0);
      if (body === undefined || body.length < length) return;
      requests.push(text);
      text = '';
      then(socket);
    });
  });
  servers.push(server);
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  const address = server.address();
  return { requests, port: typeof address === 'object' ? address?.port : undefined };
}

function client(baseURL: string) {
  let sent = 0;
  const counting: typeof fetch = (input, init) => {
    sent += 1;
    return fetch(input, init);
  };
  const options = { random: () => 0, logLevel: 'off', allowInsecureBaseURL: true } as const;
  const gateway = new Polygate({ apiKey: 'sk-test', baseURL, fetch: counting, ...options });
  return { gateway, sent: () => sent };
}

const keyOf = (request: string) => /idempotency-key: (.*)\r/i.exec(request)?.[1];
const bodyOf = (request: string) => request.split('\r\n\r\n')[1];

describe.each(Object.entries(cuts))('after %s', (_, then) => {
  test.each(routes)(
    '%s is sent again only where that cannot pay twice',
    async (__, again, call) => {
      const { requests, port } = await upstream(then);
      const error = await caught(call(client(`http://127.0.0.1:${port}`).gateway));
      expect(requests).toHaveLength(again ? 4 : 1);
      expect(new Set(requests.map(keyOf)).size).toBe(1);
      expect(new Set(requests.map(bodyOf)).size).toBe(1);
      // What was asked for without money at stake may have no outcome where an answer came.
      expect([error.outcome, error.name]).toContain(
        error.name === 'ResponseValidationError' && error.outcome === undefined
          ? error.name
          : 'unknown',
      );
      expect(error.idempotencyKey).toBe(keyOf(requests[0] ?? ''));
    },
  );
});

describe('before a byte has left', () => {
  const places = {
    'a port where nobody listens': async () => {
      const { port } = await upstream(() => undefined);
      await new Promise((resolve) => {
        servers.pop()?.close(resolve);
      });
      return `http://127.0.0.1:${port}`;
    },
  };

  test.each(
    Object.entries(places).flatMap(([place, find]) =>
      routes.map(([route, , call]) => [place, route, find, call] as const),
    ),
  )('%s: %s is sent again, and was not sent', async (_, __, find, call) => {
    const { gateway, sent } = client(await find());
    const error = await caught(call(gateway));
    expect(sent()).toBe(4);
    expect(error).toMatchObject({ name: 'ConnectionError', outcome: 'not-sent' });
  });

  // One route only, and with time: some networks are slow to say that they do not know a name.
  test('a name that does not exist: a chat is sent again, and was not sent', async () => {
    const { gateway, sent } = client('http://no-such-host.invalid');
    const error = await caught(gateway.chat.completions.create(chat));
    expect(sent()).toBe(4);
    expect(error).toMatchObject({ name: 'ConnectionError', outcome: 'not-sent' });
  }, 60_000);
});
