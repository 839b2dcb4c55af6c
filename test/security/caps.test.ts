import { createServer } from 'node:http';
import type { RequestListener, Server } from 'node:http';
import { createServer as createSocketServer } from 'node:net';
import type { AddressInfo, Server as SocketServer, Socket } from 'node:net';
import { gzipSync } from 'node:zlib';

import { afterEach, describe, expect, test } from 'vitest';

import {
  APIError,
  ConnectionError,
  Polygate,
  PolygateError,
  ResponseValidationError,
  ServerError,
  StreamError,
} from '../../src/index.ts';
import type { PolygateOptions } from '../../src/index.ts';
import {
  caught,
  chat,
  clientOf,
  drain,
  eventStream,
  image,
  scripted,
  textReply,
} from '../client/support.ts';
import { rejection } from '../support/rejection.ts';
import { nested } from './support.ts';

const servers: (Server | SocketServer)[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) server.close();
});

async function listening(server: Server | SocketServer): Promise<string> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  servers.push(server);
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

async function clientFor(listener: RequestListener, options: PolygateOptions = {}) {
  const baseURL = await listening(createServer(listener));
  return new Polygate({ apiKey: 'sk-test', baseURL, logLevel: 'off', maxRetries: 0, ...options });
}

const mebibyte = 2 ** 20;
/** A mebibyte of gzip data, in several members, that decompresses to a gibibyte. */
const bomb = Buffer.concat(Array<Buffer>(16).fill(gzipSync(Buffer.alloc(64 * mebibyte, ' '))));
const sendBomb =
  (status: number, type: string): RequestListener =>
  (_, response) => {
    response.on('error', () => undefined);
    response.writeHead(status, { 'content-type': type, 'content-encoding': 'gzip' }).end(bomb);
  };

/** The result of a function, and the peak growth of this process's memory while it ran, in bytes. */
async function measureMemory<Result>(work: () => Promise<Result>) {
  const memory = () => process.memoryUsage().rss;
  const before = memory();
  let peak = before;
  const timer = setInterval(() => {
    peak = Math.max(peak, memory());
  }, 1);
  const result = await work();
  clearInterval(timer);
  return { result, growth: Math.max(peak, memory()) - before };
}

describe('a mebibyte that decompresses to a gibibyte stops at the size limit', () => {
  const limits = { maxResponseBytes: 8 * mebibyte, maxEventBytes: 8 * mebibyte };
  const json = 'application/json';

  test.each([
    ['a response', 200, json, ResponseValidationError, (one: Polygate) => one.models.list()],
    ['a server error', 500, json, ServerError, (one: Polygate) => one.models.list()],
    ['a client error', 400, json, APIError, (one: Polygate) => one.images.submit(image)],
    ['a redirect', 302, json, APIError, (one: Polygate) => one.models.list()],
    [
      'JSON instead of a stream',
      200,
      json,
      ResponseValidationError,
      (one: Polygate) => drain(one.chat.completions.stream(chat)),
    ],
    [
      'a stream',
      200,
      'text/event-stream',
      StreamError,
      (one: Polygate) => drain(one.chat.completions.stream(chat)),
    ],
  ] as const)('as %s', async (_, status, type, kind, call) => {
    const gateway = await clientFor(sendBomb(status, type), limits);
    const { result, growth } = await measureMemory(() => caught(call(gateway)));
    expect(result).toBeInstanceOf(kind);
    expect(growth / mebibyte).toBeLessThan(256);
  });

  test('as a download', async () => {
    const baseURL = await listening(createServer(sendBomb(200, 'video/mp4')));
    const gateway = new Polygate({ apiKey: null, baseURL, allowInsecureBaseURL: true });
    const { result, growth } = await measureMemory(async () => {
      const response = await gateway.download(`${baseURL}/film`, { maxBytes: 8 * mebibyte });
      return caught(response.arrayBuffer());
    });
    expect(result.message).toContain('maxBytes');
    expect(growth / mebibyte).toBeLessThan(256);
  });
});

test('the compressed test data is about a mebibyte', () => {
  expect(bomb.byteLength / mebibyte).toBeLessThan(1.1);
});

describe('endless headers', () => {
  test.each([
    ['before the status', ''],
    ['after the status', 'HTTP/1.1 200 OK\r\n'],
    ['in one header', 'HTTP/1.1 200 OK\r\nx-long: '],
  ])('%s end the call with a typed error', async (_, start) => {
    let sent = 0;
    const writeHeaders = (socket: Socket) => {
      const line = start.endsWith(': ') ? 'x'.repeat(4096) : `x-${sent}: ${'y'.repeat(4000)}\r\n`;
      while (!socket.destroyed && socket.write(line)) sent += line.length;
      sent += line.length;
    };
    const baseURL = await listening(
      createSocketServer((socket) => {
        socket.on('error', () => undefined).on('drain', () => writeHeaders(socket));
        socket.once('data', () => {
          socket.write(start);
          writeHeaders(socket);
        });
      }),
    );
    const gateway = new Polygate({ apiKey: 'sk-test', baseURL, logLevel: 'off', maxRetries: 0 });
    await rejection(ConnectionError, gateway.models.list());
    expect(sent).toBeLessThan(16 * mebibyte);
  });
});

describe('deeply nested JSON leads to a result or a typed error', () => {
  // Recursion overflows the stack at about ten thousand levels.
  const deep = nested(50_000);
  const bodies = {
    'the whole body': deep,
    'an unknown field': `{"object":"list","id":"a","status":"queued","choices":[],"data":[],"x":${deep}}`,
    'required fields': `{"object":"list","id":"a","status":${deep},"choices":${deep},"data":${deep}}`,
    'error details': `{"detail":${deep}}`,
    'an error message': `{"error":{"message":${deep},"code":${deep}}}`,
    'nested objects': `${'{"data":'.repeat(50_000)}1${'}'.repeat(50_000)}`,
    'a tool call': `{"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"x":${deep}}]},"finish_reason":"stop"}]}`,
    'log probabilities': `{"choices":[{"index":0,"delta":{},"logprobs":{"content":${deep}},"finish_reason":"stop"}]}`,
  };

  test.each(Object.entries(bodies))('in %s', async (_, body) => {
    const untypedErrors: Error[] = [];
    for (const status of [200, 400, 500]) {
      const gateway = clientOf(scripted(textReply(status, body, 'application/json')).fetch, {
        maxRetries: 0,
      });
      const events = () =>
        new Response(`data: ${body}\n\ndata: ${body}\n\ndata: [DONE]\n\n`, eventStream);
      const streaming = clientOf(scripted(events).fetch, { maxRetries: 0 });
      for (const call of [
        () => gateway.models.list(),
        () => gateway.images.submit(image),
        () => gateway.images.retrieve('task_1'),
        () => gateway.chat.completions.create(chat),
        () => gateway.chat.completions.stream(chat).final(),
        () => streaming.chat.completions.stream(chat).final(),
      ]) {
        const outcome = await Promise.resolve(call()).catch((error: unknown) => error);
        if (outcome instanceof Error && !(outcome instanceof PolygateError))
          untypedErrors.push(outcome);
      }
    }
    expect(untypedErrors).toEqual([]);
  });
});
