import { once } from 'node:events';
import { request } from 'node:http';
import { connect } from 'node:net';
import { json, text as whole } from 'node:stream/consumers';

import { afterEach, expect, test } from 'vitest';

import { createMockGateway } from '../../../src/mock/index.ts';
import type { MockGatewayOptions } from '../../../src/mock/index.ts';
import { listen } from '../../../src/mock/node/index.ts';
import type { ListenOptions, MockServer } from '../../../src/mock/node/index.ts';
import { eventually } from '../../support/eventually.ts';
import { chat, image, video } from '../caller.ts';

let open: MockServer[] = [];
afterEach(async () => {
  await Promise.all(open.map((listening) => listening.close()));
  open = [];
});

const start = async (options: MockGatewayOptions = {}, where: ListenOptions = {}) => {
  const mock = createMockGateway({ tasks: { durationMs: 0 }, ...options });
  const listening = await listen(mock, where);
  open.push(listening);
  const headers = {
    authorization: `Bearer ${mock.apiKey}`,
    'content-type': 'application/json',
  };
  const send = (path: string, body?: unknown, init: RequestInit = {}) =>
    fetch(listening.baseURL + path, {
      method: body === undefined ? 'GET' : 'POST',
      headers,
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      ...init,
    });
  return { mock, listening, send, headers };
};
const streamed = { ...chat, stream: true };

test('the gateway responds on a socket, and its links point to that socket', async () => {
  const { listening, send } = await start();
  expect(listening.baseURL).toBe(`http://127.0.0.1:${listening.port}`);
  const task = await (await send('/v1/images/tasks', image)).json();
  expect(task.poll_url.startsWith(listening.baseURL)).toBe(true);
  expect((await fetch(task.poll_url)).status).toBe(401);
  const record = await (await send(`/v1/images/tasks/${task.id}`)).json();
  const file = await fetch(record.image_url);
  expect(file.headers.get('content-type')).toBe('image/png');
  expect(await file.text()).toContain('PNG');
});

test('links start with the host that the caller used', async () => {
  const { listening, headers } = await start();
  const outgoing = request(`${listening.baseURL}/v1/images/tasks`, {
    method: 'POST',
    headers: { ...headers, host: 'gateway.test:99' },
  });
  outgoing.end(JSON.stringify(image));
  const [response] = await once(outgoing, 'response');
  const record: any = await json(response);
  expect(record.poll_url).toBe(`http://gateway.test:99/v1/images/tasks/${record.id}`);
});

test('a stream arrives event by event', async () => {
  const { send } = await start({ chunkDelayMs: 5 });
  const response = await send('/v1/chat/completions', streamed);
  let chunks = 0;
  let text = '';
  const decoder = new TextDecoder();
  for await (const bytes of response.body!) {
    chunks += 1;
    text += decoder.decode(bytes, { stream: true });
  }
  expect(chunks).toBeGreaterThan(3);
  expect(text.endsWith('data: [DONE]\n\n')).toBe(true);
});

test('a reset fault resets the connection', async () => {
  const { mock, send } = await start();
  mock.fail({ route: 'POST /v1/videos', reset: 'after', times: 1 });
  const error = await send('/v1/videos', video).catch((reason: unknown) => reason);
  expect(error).toMatchObject({ cause: { code: 'ECONNRESET' } });
  expect(mock.invoice).toHaveLength(1);
});

test('a truncated body and a cut stream arrive up to the cut', async () => {
  const { mock, send } = await start();
  mock.fail({ truncateBody: 30, times: 1 });
  const cut = await send('/v1/account');
  expect(cut.status).toBe(200);
  await expect(cut.text()).rejects.toThrow('terminated');
  mock.fail({ cutStreamAfter: 2, times: 1 });
  const response = await send('/v1/chat/completions', streamed);
  const decoder = new TextDecoder();
  let text = '';
  await expect(
    (async () => {
      for await (const bytes of response.body!) text += decoder.decode(bytes, { stream: true });
    })(),
  ).rejects.toThrow('terminated');
  expect(text.match(/^data:/gm)).toHaveLength(2);
});

test('a client that disconnects frees its slot', async () => {
  const { mock, send } = await start({ chunkDelayMs: 20 });
  const controller = new AbortController();
  const response = await send('/v1/chat/completions', streamed, { signal: controller.signal });
  expect(mock.inFlight).toBe(1);
  controller.abort();
  await expect(response.text()).rejects.toThrow('aborted');
  await eventually(() => expect(mock.inFlight).toBe(0));
});

test('closing ends requests in flight', async () => {
  const { mock, listening, send } = await start();
  mock.fail({ stallHeaders: true });
  const waiting = send('/v1/videos', video).catch((error: unknown) => error);
  await eventually(() => expect(mock.inFlight).toBe(1));
  await listening.close();
  expect(await waiting).toBeInstanceOf(TypeError);
  await eventually(() => expect(mock.inFlight).toBe(0));
});

test('a body over the limit is rejected, and the gateway keeps running', async () => {
  const { send, listening } = await start({ maxBodyBytes: 1000 });
  const long = await send('/v1/videos', { ...video, prompt: 'x'.repeat(3_000_000) }).catch(
    (error: unknown) => error,
  );
  if (long instanceof Response) expect(long.status).toBe(413);
  expect((await fetch(`${listening.baseURL}/v1/status`)).status).toBe(200);
});

test.each([
  'TRACE /v1/status HTTP/1.1\r\nHost: x\r\n\r\n',
  'GET http://[ HTTP/1.1\r\nHost: x\r\n\r\n',
  'GET //// HTTP/1.1\r\nHost: a b/c\r\n\r\n',
  'POST /v1/videos HTTP/1.1\r\nHost: x\r\nContent-Length: 0\r\n\r\n',
  'GARBAGE\r\n\r\n',
])('malformed input gets an error response: %j', async (raw) => {
  const { listening } = await start();
  const response = await new Promise<string>((resolve, reject) => {
    const socket = connect(listening.port, '127.0.0.1', () => socket.write(raw));
    socket.once('data', (bytes) => {
      resolve(String(bytes));
      socket.destroy();
    });
    socket.once('error', reject);
  });
  expect(response).toMatch(/^HTTP\/1\.1 4\d\d /);
});

test('web pages can call the gateway only if CORS is enabled', async () => {
  const closed = await start();
  const allowed = await start({}, { cors: true });
  const preflight = { method: 'OPTIONS', headers: { 'access-control-request-headers': 'x-a' } };
  const preflightResponse = await fetch(`${allowed.listening.baseURL}/v1/videos`, preflight);
  expect([
    preflightResponse.status,
    preflightResponse.headers.get('access-control-allow-headers'),
  ]).toEqual([204, 'x-a']);
  expect((await allowed.send('/v1/status')).headers.get('access-control-allow-origin')).toBe('*');
  const rejected = await fetch(`${closed.listening.baseURL}/v1/videos`, preflight);
  expect([rejected.status, rejected.headers.has('access-control-allow-origin')]).toEqual([
    405,
    false,
  ]);
});

test('listen() rejects with the system error if the port is in use', async () => {
  const { listening } = await start();
  const second = listen(createMockGateway(), { port: listening.port });
  await expect(second).rejects.toMatchObject({ code: 'EADDRINUSE' });
});

/** Writes bytes to a socket and returns everything that it receives. */
const sendBytes = async (port: number, bytes: string): Promise<string> => {
  const socket = connect(port, '127.0.0.1');
  socket.end(bytes);
  return whole(socket);
};

test.each([
  ['FOO /v1/videos HTTP/1.1\r\nhost: x\r\n\r\n', 400],
  ['TRACE /v1/videos HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n', 405],
  ['CONNECT x:1 HTTP/1.1\r\nhost: x\r\n\r\n', 405],
  ['GET http:// HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n', 400],
  ['GET /v1/\u0000 HTTP/1.1\r\nhost: x\r\n\r\n', 400],
  [`GET / HTTP/1.1\r\nhost: x\r\nlong: ${'x'.repeat(20_000)}\r\n\r\n`, 431],
])('%j gets a %i in the error envelope, with a request id', async (bytes, status) => {
  const { listening } = await start();
  const response = await sendBytes(listening.port, bytes);
  expect(response).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
  expect(response).toMatch(/\r\nx-request-id: req_\w{20}\r\n/i);
  const { error } = JSON.parse(
    response.slice(response.indexOf('{'), response.lastIndexOf('}') + 1),
  );
  expect(error).toMatchObject({ message: expect.any(String), type: 'invalid_request_error' });
});

test.each([
  'GET /v1/status HTTP/1.1\r\nconnection: close\r\n\r\n',
  'GET /v1/status HTTP/1.1\r\nhost: x\r\nexpect: miracles\r\nconnection: close\r\n\r\n',
])('%j gets a normal response', async (bytes) => {
  const { listening } = await start();
  expect(await sendBytes(listening.port, bytes)).toMatch(/^HTTP\/1.1 200 /);
});

test.each([
  'x-api-key',
  'x-goog-api-key',
  'api-key',
  'cookie',
  'proxy-authorization',
  'x-auth-token',
])('the header %s is not served', async (name) => {
  const { listening } = await start({}, { records: true });
  const headers = { [name]: 'secret-1', 'x-idempotency-key': 'row-1' };
  await fetch(`${listening.baseURL}/v1/models?api_key=secret-2`, { headers });
  const records = await fetch(`${listening.baseURL}/__mock/requests`);
  const text = await records.text();
  expect(text).not.toContain('secret');
  expect(text).toContain('row-1');
});

test('invoice and requests are served without API keys, and are not requests themselves', async () => {
  const { mock, listening, send } = await start({}, { records: true });
  await send('/v1/images/tasks?key=sk-query', image);
  const invoice = await (await fetch(`${listening.baseURL}/__mock/invoice`)).json();
  expect(invoice).toEqual(JSON.parse(JSON.stringify(mock.invoice)));
  expect(invoice).toMatchObject([{ usd: 0.02, route: 'POST /v1/images/tasks' }]);
  const text = await (await fetch(`${listening.baseURL}/__mock/requests?now`)).text();
  expect(text).not.toMatch(/sk-/);
  expect(JSON.parse(text)).toMatchObject([
    {
      path: '/v1/images/tasks',
      search: '?key=[redacted]',
      headers: { authorization: '[redacted]' },
      body: image,
      status: 202,
    },
  ]);
  expect(mock.requests[0]?.headers.authorization).toBe(`Bearer ${mock.apiKey}`);
  expect(mock.requests).toHaveLength(1);
});

test('without `records`, and for other methods, these paths do not exist', async () => {
  const closed = await start();
  expect((await closed.send('/__mock/invoice')).status).toBe(404);
  const served = await start({}, { records: true });
  expect((await served.send('/__mock/invoice', {})).status).toBe(404);
  expect((await served.send('/__mock/other')).status).toBe(404);
});
