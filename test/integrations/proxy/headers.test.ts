import { createServer } from 'node:http';
import type { IncomingMessage, ServerResponse } from 'node:http';

import { describe, expect, test } from 'vitest';

import { canary, mount, startProxy, serveLocally, sendRaw } from './support.ts';

const path = `${mount}/v1/models`;
const page = 'https://app.example';

/** Serves a gateway with this request listener. */
const serveGateway = (listener: (request: IncomingMessage, response: ServerResponse) => void) =>
  serveLocally(createServer(listener));

/** Headers of every response, whatever the gateway sends. */
const alwaysSent = [
  'vary',
  'cache-control',
  'x-content-type-options',
  // Set by the two servers of the test.
  'connection',
  'keep-alive',
  'transfer-encoding',
];

const gatewayHeaders = (headers: Readonly<Record<string, string>>) =>
  Object.keys(headers)
    .filter((name) => !alwaysSent.includes(name))
    .toSorted();

describe('the gateway receives', () => {
  test('only the API key, accept, content type, request id and idempotency key', async () => {
    const { mock, origin } = await startProxy();
    const headers = {
      'x-user': 'ann',
      accept: 'application/json',
      'content-type': 'application/json',
      'x-request-id': 'page-7',
      'x-idempotency-key': 'row-17',
      authorization: 'Bearer of-the-session',
      cookie: 'session=secret',
      origin: 'http://127.0.0.1',
      referer: 'https://app.example/private',
      'sec-fetch-site': 'same-origin',
      'x-api-key': 'sk-other',
      'x-goog-api-key': 'sk-other',
      'anthropic-version': '2023-06-01',
      'x-forwarded-for': '10.0.0.1',
      'x-forwarded-host': 'evil.example',
      forwarded: 'for=10.0.0.1',
      via: '1.1 somewhere',
      'x-original-url': '/v1/account',
      'x-svc-user': 'user-1',
      'user-agent': 'A page',
    };
    const body = '{"model":"prism-image","prompt":"A harbor"}';
    await sendRaw(origin, { method: 'POST', path: `${mount}/v1/images/tasks`, headers, body });
    const { headers: received, bodyText } = mock.requests[0]!;
    expect(bodyText).toBe(body);
    const { 'x-idempotency-key': key, host: _, ...rest } = received;
    expect(rest).toMatchObject({
      authorization: `Bearer ${canary}`,
      accept: 'application/json',
      'content-type': 'application/json',
      'x-request-id': 'page-7',
    });
    expect(key).toMatch(/^[0-9a-f]{64}$/);
    expect(JSON.stringify(received)).not.toMatch(
      /session|sk-other|10\.0\.0|evil|A page|app\.example/,
    );
    const addedByFetch = ['accept-encoding', 'accept-language', 'cache-control', 'connection'];
    expect(
      Object.keys(rest)
        .filter((name) => !addedByFetch.includes(name))
        .toSorted(),
    ).toEqual([
      'accept',
      'authorization',
      'content-length',
      'content-type',
      'pragma',
      'sec-fetch-mode',
      'user-agent',
      'x-request-id',
    ]);
  });

  test.each(['/', '/v1', '/v1/'])('the same path when the base URL ends with %s', async (end) => {
    const { mock, gatewayURL } = await startProxy();
    const { origin } = await startProxy({ baseURL: gatewayURL + end });
    await sendRaw(origin, { path, headers: { 'x-user': 'ann' } });
    expect(mock.requests[0]).toMatchObject({ path: '/v1/models' });
  });

  test('no API key on public routes', async () => {
    const { mock, origin } = await startProxy();
    await sendRaw(origin, { path: `${mount}/v1/status`, headers: { 'x-user': 'ann' } });
    expect(mock.requests[0]).toMatchObject({ path: '/v1/status' });
    expect(mock.requests[0]?.headers).not.toHaveProperty('authorization');
  });

  test('the API key that the function returns for each request', async () => {
    let calls = 0;
    const { mock, origin } = await startProxy({ apiKey: async () => `sk-${(calls += 1)}` });
    for (const _ of [1, 2]) await sendRaw(origin, { path, headers: { 'x-user': 'ann' } });
    expect(mock.requests.map(({ headers }) => headers['authorization'])).toEqual([
      'Bearer sk-1',
      'Bearer sk-2',
    ]);
  });
});

describe('the page receives', () => {
  const allHeaders = {
    'content-type': 'application/json',
    'retry-after': '7',
    'x-request-id': 'req_1',
    'x-svc-task-id': 'task_1',
    'x-svc-idempotent-replay': 'true',
    'x-svc-concurrency-limit': '8',
    'x-svc-concurrency-remaining': '7',
    'x-svc-concurrency-source': 'tier_enterprise',
    'x-svc-charge-usd': '0.02',
    'x-svc-wallet': 'unified',
    'x-svc-balance-usd': '812.50',
    'x-svc-balance-cny': '5800',
    'x-svc-readiness-score': '100',
    'set-cookie': 'upstream=1',
    server: 'nginx/1.18.0',
    'x-powered-by': 'something',
    'access-control-allow-origin': '*',
    'access-control-allow-credentials': 'true',
    'strict-transport-security': 'max-age=1',
    'content-security-policy': 'none',
    location: '/v1/images/tasks/task_1',
    link: '</x>; rel=next',
    'clear-site-data': '"*"',
    etag: '"1"',
    'x-svc-something-new': 'secret',
  };
  const visible = [
    'content-type',
    'date',
    'retry-after',
    'x-request-id',
    'x-svc-charge-usd',
    'x-svc-concurrency-limit',
    'x-svc-concurrency-remaining',
    'x-svc-concurrency-source',
    'x-svc-idempotent-replay',
    'x-svc-task-id',
  ];
  const respondingWith = (status: number) =>
    serveGateway((_, response) => {
      response.writeHead(status, allHeaders).end('{"data":[]}');
    });

  test.each([200, 202, 402, 429, 500])(
    'only the headers that the client reads, with status %i',
    async (status) => {
      const { origin } = await startProxy({ baseURL: await respondingWith(status) });
      const reply = await sendRaw(origin, { path, headers: { 'x-user': 'ann' } });
      expect(reply.status).toBe(status);
      expect(gatewayHeaders(reply.headers)).toEqual(visible);
      expect(reply.headers).toMatchObject({
        'cache-control': 'no-store, no-transform',
        'x-content-type-options': 'nosniff',
      });
    },
  );

  test('the date header of the gateway', async () => {
    const date = 'Fri, 01 May 2026 00:00:00 GMT';
    const { handler } = await startProxy({
      fetch: async () => Response.json({}, { headers: { date } }),
    });
    const headers = { 'x-user': 'ann' };
    const response = await handler(new Request(`${page}${path}`, { headers }));
    expect(response.headers.get('date')).toBe(date);
  });

  test('no charges if exposeCharges is false', async () => {
    const { origin } = await startProxy({
      baseURL: await respondingWith(200),
      exposeCharges: false,
    });
    const { headers } = await sendRaw(origin, { path, headers: { 'x-user': 'ann' } });
    expect(gatewayHeaders(headers)).toEqual(visible.filter((name) => name !== 'x-svc-charge-usd'));
  });

  test('headers with a custom prefix and request id header', async () => {
    const baseURL = await serveGateway((_, response) => {
      response.writeHead(200, {
        'X-Acme-Task-Id': 't',
        'X-Acme-Trace': 'r',
        'x-svc-task-id': 'no',
      });
      response.end('{}');
    });
    const { origin } = await startProxy({
      baseURL,
      headerPrefix: 'X-Acme-',
      requestIdHeader: 'X-Acme-Trace',
    });
    const { headers } = await sendRaw(origin, { path, headers: { 'x-user': 'ann' } });
    expect(gatewayHeaders(headers)).toEqual(['date', 'x-acme-task-id', 'x-acme-trace']);
  });

  test.each([301, 302, 303, 307, 308, 304])(
    'a 502 instead of a redirect with status %i',
    async (status) => {
      let requests = 0;
      const redirectTarget = await serveGateway(
        (_, response) => void response.end(String((requests += 1))),
      );
      const baseURL = await serveGateway((_, response) => {
        response.writeHead(status, { location: redirectTarget }).end();
      });
      const { origin, reports } = await startProxy({ baseURL });
      const reply = await sendRaw(origin, { path, headers: { 'x-user': 'ann' } });
      expect(reply).toMatchObject({ status: 502, code: 'bad_gateway' });
      expect(reply.headers).not.toHaveProperty('location');
      expect(requests).toBe(0);
      expect(String(reports)).toContain('redirect');
    },
  );
});

describe('requests of pages on other origins:', () => {
  const preflightHeaders = {
    'access-control-request-method': 'POST',
    'access-control-request-headers': 'x-a',
  };

  test('a preflight succeeds for the listed origins', async () => {
    const { mock, origin } = await startProxy({ origins: [page, 'http://localhost:5173'] });
    const headers = { origin: page, ...preflightHeaders };
    const reply = await sendRaw(origin, { method: 'OPTIONS', path, headers });
    expect(reply.status).toBe(204);
    expect(reply.headers).toMatchObject({
      'access-control-allow-origin': page,
      'access-control-allow-methods': 'GET, POST, DELETE',
      'access-control-allow-headers': 'x-a',
      vary: 'origin',
    });
    expect(reply.headers).not.toHaveProperty('access-control-allow-credentials');
    expect(mock.requests).toEqual([]);
  });

  test.each([
    ['another origin', 'https://evil.example'],
    ['its own origin if it is not listed', undefined],
    ['a sandboxed page', 'null'],
    ['a page on another port', 'https://app.example:8443'],
    ['an origin in capitals', 'HTTPS://APP.EXAMPLE'],
    ['two origins', 'https://app.example https://evil.example'],
  ])('%s is rejected', async (_, otherOrigin) => {
    const { mock, origin } = await startProxy({ origins: [page] });
    const headers = { 'x-user': 'ann', origin: otherOrigin ?? origin };
    for (const method of ['OPTIONS', 'GET']) {
      const reply = await sendRaw(origin, { method, path, headers });
      expect(reply.status).toBe(403);
      expect(reply.headers).not.toHaveProperty('access-control-allow-origin');
    }
    expect(mock.requests).toEqual([]);
  });

  test('a page may read responses and their headers, including errors', async () => {
    const { origin } = await startProxy({ origins: [page], credentials: true });
    for (const user of ['ann', '']) {
      const { headers } = await sendRaw(origin, {
        path,
        headers: { 'x-user': user, origin: page },
      });
      expect(headers).toMatchObject({
        'access-control-allow-origin': page,
        'access-control-allow-credentials': 'true',
        'access-control-expose-headers': expect.stringContaining('x-svc-task-id'),
        vary: 'origin',
      });
      expect(headers['access-control-expose-headers']).not.toContain('balance');
    }
  });
});
