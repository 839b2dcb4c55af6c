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
  text,
} from '../core/support.ts';
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

async function on(listener: RequestListener, options: PolygateOptions = {}) {
  const baseURL = await listening(createServer(listener));
  return new Polygate({ apiKey: 'sk-test', baseURL, logLevel: 'off', maxRetries: 0, ...options });
}

const mebibyte = 2 ** 20;
/** A mebibyte of compressed bytes that become a gibibyte: members of one file, one after another. */
const bomb = Buffer.concat(Array<Buffer>(16).fill(gzipSync(Buffer.alloc(64 * mebibyte, ' '))));
const explode =
  (status: number, type: string): RequestListener =>
  (_, response) => {
    response.on('error', () => undefined);
    response.writeHead(status, { 'content-type': type, 'content-encoding': 'gzip' }).end(bomb);
  };

/** What some work ends with, and how much memory this process held at most while it ran, bytes more than before. */
async function measured<Result>(work: () => Promise<Result>) {
  const held = () => process.memoryUsage().rss;
  const before = held();
  let most = before;
  const timer = setInterval(() => {
    most = Math.max(most, held());
  }, 1);
  const result = await work();
  clearInterval(timer);
  return { result, growth: Math.max(most, held()) - before };
}

describe('a mebibyte that becomes a gibibyte stops at the cap', () => {
  const limits = { maxResponseBytes: 8 * mebibyte, maxEventBytes: 8 * mebibyte };
  const json = 'application/json';

  test('it is what it says', () => {
    expect(bomb.byteLength / mebibyte).toBeLessThan(1.1);
  });

  test.each([
    ['an answer', 200, json, ResponseValidationError, (one: Polygate) => one.models.list()],
    ['an error', 500, json, ServerError, (one: Polygate) => one.models.list()],
    ['a refusal', 400, json, APIError, (one: Polygate) => one.images.submit(image)],
    ['a redirect', 302, json, APIError, (one: Polygate) => one.models.list()],
    [
      'no stream',
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
    const gateway = await on(explode(status, type), limits);
    const { result, growth } = await measured(() => caught(call(gateway)));
    expect(result).toBeInstanceOf(kind);
    expect(growth / mebibyte).toBeLessThan(256);
  });

  test('as a download', async () => {
    const baseURL = await listening(createServer(explode(200, 'video/mp4')));
    const gateway = new Polygate({ apiKey: null, baseURL, allowInsecureBaseURL: true });
    const { result, growth } = await measured(async () => {
      const response = await gateway.download(`${baseURL}/film`, { maxBytes: 8 * mebibyte });
      return caught(response.arrayBuffer());
    });
    expect(result.message).toContain('maxBytes');
    expect(growth / mebibyte).toBeLessThan(256);
  });
});

describe('headers without an end', () => {
  test.each([
    ['before the status', ''],
    ['after the status', 'HTTP/1.1 200 OK\r\n'],
    ['in one header', 'HTTP/1.1 200 OK\r\nx-long: '],
  ])('%s end the call with a typed error', async (_, start) => {
    let sent = 0;
    const pour = (socket: Socket) => {
      const line = start.endsWith(': ') ? 'x'.repeat(4096) : `x-${sent}: ${'y'.repeat(4000)}\r\n`;
      while (!socket.destroyed && socket.write(line)) sent += line.length;
      sent += line.length;
    };
    const baseURL = await listening(
      createSocketServer((socket) => {
        socket.on('error', () => undefined).on('drain', () => pour(socket));
        socket.once('data', () => {
          socket.write(start);
          pour(socket);
        });
      }),
    );
    const gateway = new Polygate({ apiKey: 'sk-test', baseURL, logLevel: 'off', maxRetries: 0 });
    await rejection(ConnectionError, gateway.models.list());
    expect(sent).toBeLessThan(16 * mebibyte);
  });
});

describe('JSON that is nested without end is an answer or a typed error', () => {
  const deep = nested(200_000);
  const bodies = {
    'the body': deep,
    'a field': `{"object":"list","id":"a","status":"queued","choices":[],"data":[],"x":${deep}}`,
    'a field that counts': `{"object":"list","id":"a","status":${deep},"choices":${deep},"data":${deep}}`,
    'a detail': `{"detail":${deep}}`,
    'a message': `{"error":{"message":${deep},"code":${deep}}}`,
    objects: `${'{"data":'.repeat(100_000)}1${'}'.repeat(100_000)}`,
    'a tool call': `{"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"x":${deep}}]},"finish_reason":"stop"}]}`,
    'log probabilities': `{"choices":[{"index":0,"delta":{},"logprobs":{"content":${deep}},"finish_reason":"stop"}]}`,
  };

  test.each(Object.entries(bodies))('as %s', async (_, body) => {
    const strange: Error[] = [];
    for (const status of [200, 400, 500]) {
      const gateway = clientOf(scripted(text(status, body, 'application/json')).fetch, {
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
        if (outcome instanceof Error && !(outcome instanceof PolygateError)) strange.push(outcome);
      }
    }
    expect(strange).toEqual([]);
  });
});
