import { createServer } from 'node:net';
import type { Server, Socket } from 'node:net';
import { gzipSync } from 'node:zlib';

import { afterEach, describe, expect, test } from 'vitest';

import { Polygate } from '../../../src/index.ts';
import { caught, chat, drain, image } from '../support.ts';

type Call = (gateway: Polygate) => Promise<unknown>;
const material = { url: 'https://files.example/a.png', type: 'image' as const };
const design = { prompt: 'An old sailor', preview_text: 'Ahoy' };

/** The routes, and whether a request with an unknown outcome is retried. */
const routes: readonly (readonly [string, boolean, Call])[] = [
  ['a GET', true, (gateway) => gateway.models.list()],
  ['a DELETE', true, (gateway) => gateway.materials.delete('mat_1')],
  ['a submit', true, (gateway) => gateway.images.submit(image)],
  ['a material', true, (gateway) => gateway.materials.create(material)],
  ['a chat', false, (gateway) => gateway.chat.completions.create(chat)],
  ['a stream', false, (gateway) => drain(gateway.chat.completions.stream(chat))],
  ['a voice', false, (gateway) => gateway.voices.design(design)],
];

const completeBody = JSON.stringify({ id: 'task_1', status: 'queued', filler: 'x'.repeat(500) });
const head = (headers: string) =>
  `HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n${headers}\r\n\r\n`;
const gzipped = gzipSync(completeBody);
const reply = (socket: Socket, ...pieces: readonly (string | Uint8Array)[]) => {
  for (const piece of pieces) socket.write(piece);
  socket.end();
};

/** What the server does after a complete request. The client cannot know whether the request was processed. */
const cuts: Readonly<Record<string, (socket: Socket) => void>> = {
  'a reset': (socket) => void socket.resetAndDestroy(),
  'an end without a response': (socket) => void socket.end(),
  'a response that is not HTTP': (socket) => reply(socket, 'SSH-2.0-OpenSSH_9.6\r\n'),
  'half a status line': (socket) => reply(socket, 'HTTP/1.1 20'),
  'half a header': (socket) => reply(socket, 'HTTP/1.1 200 OK\r\nx-svc-char'),
  'a body that is shorter than announced': (socket) =>
    reply(socket, head('content-length: 900'), completeBody.slice(0, 100)),
  'a missing body': (socket) => reply(socket, head('content-length: 900')),
  'half a chunk': (socket) =>
    reply(socket, head('transfer-encoding: chunked'), `ff\r\n${completeBody.slice(0, 100)}`),
  'chunks without the last one': (socket) =>
    reply(socket, head('transfer-encoding: chunked'), `64\r\n${completeBody.slice(0, 100)}\r\n`),
  'half of a compressed body': (socket) =>
    reply(
      socket,
      head(`content-encoding: gzip\r\ncontent-length: ${gzipped.length}`),
      gzipped.subarray(0, 40),
    ),
  'a body cut off by a reset': (socket) => {
    socket.write(`${head('content-length: 900')}${completeBody.slice(0, 100)}`, () => {
      socket.resetAndDestroy();
    });
  },
  'a body cut off by the end of the connection': (socket) =>
    reply(socket, head('connection: close'), completeBody.slice(0, 100)),
  'a connection that ends before the first byte of the body': (socket) =>
    reply(socket, head('connection: close')),
};

const servers: Server[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) server.close();
});

/** A server that reads each request to its end, and the requests it has received. */
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
  const warnings: string[] = [];
  const ignore = () => undefined;
  const warn = (text: string) => void warnings.push(text);
  const logger = { error: ignore, warn, info: ignore, debug: ignore };
  const options = { random: () => 0, logger, allowInsecureBaseURL: true } as const;
  const gateway = new Polygate({ apiKey: 'sk-test', baseURL, fetch: counting, ...options });
  return { gateway, warnings, sent: () => sent };
}

const keyOf = (request: string) => /idempotency-key: (.*)\r/i.exec(request)?.[1];
const bodyOf = (request: string) => request.split('\r\n\r\n')[1];

describe.each(Object.entries(cuts))('after %s', (_, then) => {
  test.each(routes)(
    '%s is retried only if it cannot be charged twice',
    async (__, isRetried, call) => {
      const { requests, port } = await upstream(then);
      const error = await caught(call(client(`http://127.0.0.1:${port}`).gateway));
      expect(requests).toHaveLength(isRetried ? 4 : 1);
      expect(new Set(requests.map(keyOf)).size).toBe(1);
      expect(new Set(requests.map(bodyOf)).size).toBe(1);
      // The error of a request that is never charged may have no outcome if a response arrived.
      expect([error.outcome, error.name]).toContain(
        error.name === 'ResponseValidationError' && error.outcome === undefined
          ? error.name
          : 'unknown',
      );
      expect(error.idempotencyKey).toBe(keyOf(requests[0] ?? ''));
    },
  );
});

describe('before any byte is sent', () => {
  const targets = {
    'a closed port': async () => {
      const { port } = await upstream(() => undefined);
      await new Promise((resolve) => {
        servers.pop()?.close(resolve);
      });
      return `http://127.0.0.1:${port}`;
    },
  };

  test.each(
    Object.entries(targets).flatMap(([target, baseURLOf]) =>
      routes.map(([route, , call]) => [target, route, baseURLOf, call] as const),
    ),
  )('%s: %s is retried, with outcome not-sent', async (_, __, baseURLOf, call) => {
    const { gateway, sent } = client(await baseURLOf());
    const error = await caught(call(gateway));
    expect(sent()).toBe(4);
    expect(error).toMatchObject({ name: 'ConnectionError', outcome: 'not-sent' });
  });

  test('the log says that a connection was refused', async () => {
    const { gateway, warnings } = client(await targets['a closed port']());
    await caught(gateway.images.submit(image));
    expect(warnings).toEqual(
      [1, 2, 3].map((retry) =>
        expect.stringMatching(`images/tasks: connection refused; retry ${retry} in`),
      ),
    );
  });

  // Only one route, with a long timeout: some networks are slow to report an unknown host.
  test('an unknown host: a chat is retried, with outcome not-sent', async () => {
    const { gateway, sent } = client('http://no-such-host.invalid');
    const error = await caught(gateway.chat.completions.create(chat));
    expect(sent()).toBe(4);
    expect(error).toMatchObject({ name: 'ConnectionError', outcome: 'not-sent' });
  }, 60_000);
});
