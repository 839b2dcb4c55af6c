import { createServer } from 'node:http';
import type { ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';

import { afterEach, beforeEach, describe, expect, test } from 'vitest';

import { StreamTruncatedError } from '../../../src/index.ts';
import { createMockGateway } from '../../../src/mock/index.ts';
import { listen } from '../../../src/mock/node/index.ts';
import {
  clientOf,
  contents,
  doneEvent,
  params,
  textEvent,
  finishEvent,
  streamHeaders,
} from '../../support/event-stream.ts';
import { rejection } from '../../support/rejection.ts';
import { turns } from '../../support/turns.ts';

/** Writes the response of the server under test. */
type Reply = (response: ServerResponse) => void | Promise<void>;

let reply: Reply;
let requestCount = 0;
const server = createServer((request, response) => {
  requestCount += 1;
  request.resume().on('end', () => void reply(response));
});

beforeEach(async () => {
  requestCount = 0;
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
});

afterEach(async () => {
  server.closeAllConnections();
  await new Promise((resolve) => {
    server.close(resolve);
  });
});

function stream(respond: Reply) {
  reply = respond;
  // The address of a server that listens on a port is an object.
  const { port } = server.address() as AddressInfo;
  const options = { baseURL: `http://127.0.0.1:${port}`, maxRetries: 3 };
  return clientOf(globalThis.fetch, options).chat.completions.stream(params);
}

/** Writes a piece and resolves once it has been flushed. */
function write(response: ServerResponse, piece: string | Uint8Array): Promise<void> {
  return new Promise((resolve) => {
    response.write(piece, () => {
      resolve();
    });
  });
}

const words = textEvent('Hello') + textEvent(' you');

const truncations: Record<string, Reply> = {
  'the body is shorter than its content-length': async (response) => {
    response.writeHead(200, { ...streamHeaders, 'content-length': String(words.length + 100) });
    await write(response, words);
    response.destroy();
  },
  'a chunked body stops without its last chunk': async (response) => {
    response.writeHead(200, streamHeaders);
    await write(response, words);
    response.destroy();
  },
  'a chunked body stops inside a chunk': (response) => {
    const head = Object.entries(streamHeaders).map(([name, value]) => `${name}: ${value}\r\n`);
    const size = (words.length + 500).toString(16);
    const raw = `HTTP/1.1 200 OK\r\n${head.join('')}transfer-encoding: chunked\r\n\r\n${size}\r\n${words}`;
    response.socket?.end(raw);
  },
  'the body ends cleanly, but without [DONE]': (response) => {
    response.writeHead(200, streamHeaders);
    response.end(words);
  },
  'the body has no length and ends with the connection': (response) => {
    const head = Object.entries(streamHeaders).map(([name, value]) => `${name}: ${value}\r\n`);
    response.socket?.end(`HTTP/1.1 200 OK\r\n${head.join('')}connection: close\r\n\r\n${words}`);
  },
  'the gzip data is truncated in a complete body': (response) => {
    const compressed = gzipSync(words.repeat(50) + finishEvent() + doneEvent);
    response.writeHead(200, { ...streamHeaders, 'content-encoding': 'gzip' });
    response.end(compressed.subarray(0, compressed.length - 24));
  },
  'the gzip data and the connection end early': async (response) => {
    const compressed = gzipSync(words.repeat(50) + finishEvent() + doneEvent);
    response.writeHead(200, { ...streamHeaders, 'content-encoding': 'gzip' });
    await write(response, compressed.subarray(0, compressed.length - 24));
    response.destroy();
  },
};

describe('over a real socket, truncation is detected', () => {
  test.each(Object.entries(truncations))('when %s', async (_, respond) => {
    const error = await rejection(StreamTruncatedError, contents(stream(respond)));
    expect(error.meta).toMatchObject({ requestId: 'req-7', status: 200 });
    expect(requestCount).toBe(1);
  });

  test('when the connection is reset', async () => {
    let connection: ServerResponse | undefined;
    const chunks = stream(async (response) => {
      connection = response;
      response.writeHead(200, streamHeaders);
      await write(response, words);
    })[Symbol.asyncIterator]();
    await chunks.next();
    await chunks.next();
    connection?.socket?.resetAndDestroy();
    const error = await rejection(StreamTruncatedError, chunks.next());
    expect(error.partial?.choices[0]?.message.content).toBe('Hello you');
    expect(requestCount).toBe(1);
  });

  test('in a stream from the reference gateway, with the partial completion', async () => {
    const mock = createMockGateway();
    const { baseURL, close } = await listen(mock);
    mock.fail({ route: 'POST /v1/chat/completions', cutStreamAfter: 4 });
    const gateway = clientOf(globalThis.fetch, { apiKey: mock.apiKey, baseURL });
    const truncated = gateway.chat.completions.stream({ ...params, model: 'aurora-chat' });
    const error = await rejection(StreamTruncatedError, truncated.final());
    expect(error.partial?.model).toBe('aurora-chat');
    expect(error.meta?.requestId).toBe(mock.requests[0]?.requestId);
    await close();
  });
});

describe('over a real socket, a complete stream is recognized', () => {
  test('when it is compressed, or the connection breaks after the finish reason', async () => {
    const compressed = gzipSync(words + finishEvent() + doneEvent);
    const complete = stream((response) => {
      response.writeHead(200, { ...streamHeaders, 'content-encoding': 'gzip' });
      response.end(compressed);
    });
    expect(await contents(complete)).toEqual(['Hello', ' you', '']);

    const reset = stream(async (response) => {
      response.writeHead(200, streamHeaders);
      await write(response, words + finishEvent());
      response.destroy();
    });
    expect(await contents(reset)).toEqual(['Hello', ' you', '']);
  });

  test('when the server keeps the connection open after [DONE]', async () => {
    let open: ServerResponse | undefined;
    const kept = stream(async (response) => {
      open = response;
      response.writeHead(200, streamHeaders);
      await write(response, words + doneEvent);
    });
    expect(await contents(kept)).toEqual(['Hello', ' you']);
    expect(open?.writableEnded).toBe(false);
  });
});

test('over a real socket, a break closes the connection, so that the service can stop', async () => {
  const closed = new Promise((resolve) => {
    const left = stream(async (response) => {
      response.on('close', resolve);
      response.writeHead(200, streamHeaders);
      await write(response, words);
    });
    void (async () => {
      for await (const chunk of left) if (chunk.choices.length > 0) break;
    })();
  });
  await closed;
  await turns();
  expect(requestCount).toBe(1);
});
