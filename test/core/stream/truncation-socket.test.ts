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
  done,
  params,
  says,
  stops,
  streamHeaders,
  turns,
} from '../../support/event-stream.ts';
import { rejection } from '../../support/rejection.ts';

/** How the server under test answers. */
type Reply = (response: ServerResponse) => void | Promise<void>;

let reply: Reply;
let hits = 0;
const server = createServer((request, response) => {
  hits += 1;
  request.resume().on('end', () => void reply(response));
});

beforeEach(async () => {
  hits = 0;
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

function stream(answer: Reply) {
  reply = answer;
  // The server listens on a port, so its address is an object.
  const { port } = server.address() as AddressInfo;
  const options = { baseURL: `http://127.0.0.1:${port}`, maxRetries: 3 };
  return clientOf(globalThis.fetch, options).chat.completions.stream(params);
}

/** Writes a piece and resolves once it has left. */
function write(response: ServerResponse, piece: string | Uint8Array): Promise<void> {
  return new Promise((resolve) => {
    response.write(piece, () => {
      resolve();
    });
  });
}

const words = says('Hello') + says(' you');

const cuts: Record<string, Reply> = {
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
  'the body is proper and ends without [DONE]': (response) => {
    response.writeHead(200, streamHeaders);
    response.end(words);
  },
  'the body ends with the connection, and has no length': (response) => {
    const head = Object.entries(streamHeaders).map(([name, value]) => `${name}: ${value}\r\n`);
    response.socket?.end(`HTTP/1.1 200 OK\r\n${head.join('')}connection: close\r\n\r\n${words}`);
  },
  'gzip stops in the middle, in a body that is whole': (response) => {
    const packed = gzipSync(words.repeat(50) + stops() + done);
    response.writeHead(200, { ...streamHeaders, 'content-encoding': 'gzip' });
    response.end(packed.subarray(0, packed.length - 24));
  },
  'gzip stops with the connection': async (response) => {
    const packed = gzipSync(words.repeat(50) + stops() + done);
    response.writeHead(200, { ...streamHeaders, 'content-encoding': 'gzip' });
    await write(response, packed.subarray(0, packed.length - 24));
    response.destroy();
  },
};

describe('over a real socket, a cut is found', () => {
  test.each(Object.entries(cuts))('when %s', async (_, answer) => {
    const error = await rejection(StreamTruncatedError, contents(stream(answer)));
    expect(error.meta).toMatchObject({ requestId: 'req-7', status: 200 });
    expect(hits).toBe(1);
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
    expect(hits).toBe(1);
  });

  test('on the reference gateway, with what came before it', async () => {
    const mock = createMockGateway();
    const { baseURL, close } = await listen(mock);
    mock.fail({ route: 'POST /v1/chat/completions', cutStreamAfter: 4 });
    const gateway = clientOf(globalThis.fetch, { apiKey: mock.apiKey, baseURL });
    const answer = gateway.chat.completions.stream({ ...params, model: 'aurora-chat' });
    const error = await rejection(StreamTruncatedError, answer.final());
    expect(error.partial?.model).toBe('aurora-chat');
    expect(error.meta?.requestId).toBe(mock.requests[0]?.requestId);
    await close();
  });
});

describe('over a real socket, a whole stream is whole', () => {
  test('when it is packed, or the connection breaks after the finish reason', async () => {
    const packed = gzipSync(words + stops() + done);
    const whole = stream((response) => {
      response.writeHead(200, { ...streamHeaders, 'content-encoding': 'gzip' });
      response.end(packed);
    });
    expect(await contents(whole)).toEqual(['Hello', ' you', '']);

    const cut = stream(async (response) => {
      response.writeHead(200, streamHeaders);
      await write(response, words + stops());
      response.destroy();
    });
    expect(await contents(cut)).toEqual(['Hello', ' you', '']);
  });

  test('when the server keeps the connection open after [DONE]', async () => {
    let open: ServerResponse | undefined;
    const answer = stream(async (response) => {
      open = response;
      response.writeHead(200, streamHeaders);
      await write(response, words + done);
    });
    expect(await contents(answer)).toEqual(['Hello', ' you']);
    expect(open?.writableEnded).toBe(false);
  });

  test('a break closes the connection, so that the service can stop', async () => {
    const closed = new Promise((resolve) => {
      const answer = stream(async (response) => {
        response.on('close', resolve);
        response.writeHead(200, streamHeaders);
        await write(response, words);
      });
      void (async () => {
        for await (const chunk of answer) if (chunk.choices.length > 0) break;
      })();
    });
    await closed;
    await turns();
    expect(hits).toBe(1);
  });
});
