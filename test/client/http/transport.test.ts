import { createServer } from 'node:net';

import { describe, expect, inject, onTestFinished, test } from 'vitest';

import { Polygate } from '../../../src/index.ts';
import { caught, chat, clientOf, image } from '../support.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** How the clients of the test project send their requests. */
    transport: 'fetch' | 'ky';
  }
}

/** The error of a chat request that Node's own fetch sends to this address. */
function failureAt(baseURL: string) {
  const gateway = new Polygate({ apiKey: 'sk-test', baseURL, maxRetries: 0, logLevel: 'off' });
  return caught(gateway.chat.completions.create(chat));
}

/** The port of a server that closes every connection without a response. */
async function closingServer(): Promise<number> {
  const server = createServer((socket) => {
    socket.on('error', () => undefined);
    socket.once('data', () => socket.destroy());
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  onTestFinished(() => void server.close());
  const address = server.address();
  return typeof address === 'object' && address !== null ? address.port : 0;
}

describe('a request that fetch fails', () => {
  test('is not-sent if its port is blocked', async () => {
    const error = await failureAt('http://127.0.0.1:6666');
    expect(error).toMatchObject({ name: 'ConnectionError', outcome: 'not-sent' });
    expect(error.message).toContain(
      'Could not connect to the service: bad port. Nothing was charged.',
    );
  });

  test('is not-sent if the TLS handshake fails', async () => {
    const error = await failureAt(`https://127.0.0.1:${await closingServer()}`);
    expect(error).toMatchObject({ name: 'ConnectionError', outcome: 'not-sent' });
  });

  test('is unknown if the connection is closed after the request', async () => {
    const error = await failureAt(`http://127.0.0.1:${await closingServer()}`);
    expect(error).toMatchObject({ name: 'ConnectionError', outcome: 'unknown' });
  });
});

/** How Node, undici and Deno word the loss of an HTTP/2 stream. */
const lostStreams = [
  ['not-sent', 'ERR_HTTP2_STREAM_ERROR', 'Stream closed with error code NGHTTP2_REFUSED_STREAM'],
  ['not-sent', '', 'stream error received: refused stream before processing any application logic'],
  ['not-sent', 'UND_ERR_INFO', 'HTTP/2: "GOAWAY" frame received with code 0'],
  ['unknown', 'UND_ERR_SOCKET', 'HTTP/2: "GOAWAY" frame received with code 0'],
  ['unknown', 'UND_ERR_INFO', 'HTTP/2: stream closed before the response was complete'],
  ['unknown', 'ERR_HTTP2_STREAM_ERROR', 'Stream closed with error code NGHTTP2_CANCEL'],
  ['unknown', 'ERR_HTTP2_SESSION_ERROR', 'Session closed with error code 7'],
] as const;

test.each(lostStreams)('a chat is %s if its HTTP/2 stream ends with %s: %s', async (...row) => {
  const [outcome, code, message] = row;
  let requests = 0;
  const gateway = clientOf(
    async () => {
      requests += 1;
      throw new TypeError('fetch failed', { cause: Object.assign(new Error(message), { code }) });
    },
    { maxRetries: 1, random: () => 0 },
  );
  const error = await caught(gateway.chat.completions.create(chat));
  expect(error).toMatchObject({ name: 'ConnectionError', outcome });
  expect(requests).toBe(outcome === 'not-sent' ? 2 : 1);
});

test('a fetch that returns no response fails like a lost connection', async () => {
  const gateway = clientOf(async () => JSON.parse('null'), { maxRetries: 0 });
  const error = await caught(gateway.images.submit(image, { idempotencyKey: 'row-1' }));
  expect(error).toMatchObject({
    name: 'ConnectionError',
    outcome: 'unknown',
    idempotencyKey: 'row-1',
  });
});

test('a simulated response whose headers can only be looked up does not lose its task', async () => {
  const headers = { get: () => null };
  const gateway = clientOf(async () =>
    Object.defineProperty(Response.json({ id: 'task_1' }), 'headers', { value: headers }),
  );
  const task = await gateway.images.submit(image);
  expect(task.id).toBe('task_1');
});

test('the clients of this test project send through its transport', async () => {
  const sent: unknown[] = [];
  const gateway = clientOf(async (input) => {
    sent.push(input);
    return Response.json({ object: 'list', data: [] });
  });
  await gateway.models.list();
  expect(sent[0] instanceof Request ? 'ky' : 'fetch').toBe(inject('transport'));
});
