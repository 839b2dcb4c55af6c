import { createServer } from 'node:http';
import type { IncomingMessage, ServerResponse } from 'node:http';

import { describe, expect, test } from 'vitest';

import { canary, mount, openWay, opened, send } from './support.ts';

const path = `${mount}/v1/models`;
const page = 'https://app.example';

/** A gateway that answers as it is told. */
const gateway = (answer: (request: IncomingMessage, response: ServerResponse) => void) =>
  opened(createServer(answer));

/** Headers that a page gets to see whatever the gateway answers. */
const own = [
  'vary',
  'cache-control',
  'x-content-type-options',
  // Of the two servers in the test.
  'connection',
  'keep-alive',
  'transfer-encoding',
];

const shown = (headers: Readonly<Record<string, string>>) =>
  Object.keys(headers)
    .filter((name) => !own.includes(name))
    .toSorted();

describe('what the gateway sees of a page', () => {
  test('the key, the type, what is accepted, and the ids of the request', async () => {
    const { mock, origin } = await openWay();
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
      'x-svc-user': 'somebody',
      'user-agent': 'A page',
    };
    const body = '{"model":"prism-image","prompt":"A harbour"}';
    await send(origin, { method: 'POST', path: `${mount}/v1/images/tasks`, headers, body });
    const { headers: seen, bodyText } = mock.requests[0]!;
    expect(bodyText).toBe(body);
    const { 'x-idempotency-key': key, host: _, ...rest } = seen;
    expect(rest).toMatchObject({
      authorization: `Bearer ${canary}`,
      accept: 'application/json',
      'content-type': 'application/json',
      'x-request-id': 'page-7',
    });
    expect(key).toMatch(/^[0-9a-f]{64}$/);
    expect(JSON.stringify(seen)).not.toMatch(/session|sk-other|10\.0\.0|evil|A page|app\.example/);
    const ofFetch = ['accept-encoding', 'accept-language', 'cache-control', 'connection'];
    expect(
      Object.keys(rest)
        .filter((name) => !ofFetch.includes(name))
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
    const { mock, gatewayURL } = await openWay();
    const { origin } = await openWay({ baseURL: gatewayURL + end });
    await send(origin, { path, headers: { 'x-user': 'ann' } });
    expect(mock.requests[0]).toMatchObject({ path: '/v1/models' });
  });

  test('no key where none is needed', async () => {
    const { mock, origin } = await openWay();
    await send(origin, { path: `${mount}/v1/status`, headers: { 'x-user': 'ann' } });
    expect(mock.requests[0]).toMatchObject({ path: '/v1/status' });
    expect(mock.requests[0]?.headers).not.toHaveProperty('authorization');
  });

  test('a key that its function gives for each request', async () => {
    let turn = 0;
    const { mock, origin } = await openWay({ apiKey: async () => `sk-${(turn += 1)}` });
    for (const _ of [1, 2]) await send(origin, { path, headers: { 'x-user': 'ann' } });
    expect(mock.requests.map(({ headers }) => headers['authorization'])).toEqual([
      'Bearer sk-1',
      'Bearer sk-2',
    ]);
  });
});

describe('what a page sees of the gateway', () => {
  const everything = {
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
  const answering = (status: number) =>
    gateway((_, response) => {
      response.writeHead(status, everything).end('{"data":[]}');
    });

  test.each([200, 202, 402, 429, 500])(
    'headers that a client reads, and no other, with a %i',
    async (status) => {
      const { origin } = await openWay({ baseURL: await answering(status) });
      const reply = await send(origin, { path, headers: { 'x-user': 'ann' } });
      expect(reply.status).toBe(status);
      expect(shown(reply.headers)).toEqual(visible);
      expect(reply.headers).toMatchObject({
        'cache-control': 'no-store, no-transform',
        'x-content-type-options': 'nosniff',
      });
    },
  );

  test("the gateway's own date, against which its times are measured", async () => {
    const date = 'Fri, 01 May 2026 00:00:00 GMT';
    const { handler } = await openWay({
      fetch: async () => Response.json({}, { headers: { date } }),
    });
    const headers = { 'x-user': 'ann' };
    const answer = await handler(new Request(`${page}${path}`, { headers }));
    expect(answer.headers.get('date')).toBe(date);
  });

  test('no charges when they are not exposed', async () => {
    const { origin } = await openWay({ baseURL: await answering(200), exposeCharges: false });
    const { headers } = await send(origin, { path, headers: { 'x-user': 'ann' } });
    expect(shown(headers)).toEqual(visible.filter((name) => name !== 'x-svc-charge-usd'));
  });

  test('the headers of a gateway with other names', async () => {
    const baseURL = await gateway((_, response) => {
      response.writeHead(200, {
        'X-Acme-Task-Id': 't',
        'X-Acme-Trace': 'r',
        'x-svc-task-id': 'no',
      });
      response.end('{}');
    });
    const { origin } = await openWay({
      baseURL,
      headerPrefix: 'X-Acme-',
      requestIdHeader: 'X-Acme-Trace',
    });
    const { headers } = await send(origin, { path, headers: { 'x-user': 'ann' } });
    expect(shown(headers)).toEqual(['date', 'x-acme-task-id', 'x-acme-trace']);
  });

  test.each([301, 302, 303, 307, 308, 304])('no redirect: %i becomes 502', async (status) => {
    let asked = 0;
    const elsewhere = await gateway((_, response) => void response.end(String((asked += 1))));
    const baseURL = await gateway((_, response) => {
      response.writeHead(status, { location: elsewhere }).end();
    });
    const { origin, reports } = await openWay({ baseURL });
    const reply = await send(origin, { path, headers: { 'x-user': 'ann' } });
    expect(reply).toMatchObject({ status: 502, code: 'bad_gateway' });
    expect(reply.headers).not.toHaveProperty('location');
    expect(asked).toBe(0);
    expect(String(reports)).toContain('redirect');
  });
});

describe('pages of other origins', () => {
  const ask = { 'access-control-request-method': 'POST', 'access-control-request-headers': 'x-a' };

  test('a preflight is answered for origins that are named', async () => {
    const { mock, origin } = await openWay({ origins: [page, 'http://localhost:5173'] });
    const headers = { origin: page, ...ask };
    const reply = await send(origin, { method: 'OPTIONS', path, headers });
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
    ['another', 'https://evil.example'],
    ['its own, when it is not named', undefined],
    ['a sandboxed page', 'null'],
    ['a neighbour on another port', 'https://app.example:8443'],
    ['in capitals', 'HTTPS://APP.EXAMPLE'],
    ['two', 'https://app.example https://evil.example'],
  ])('%s is refused by a list', async (_, stranger) => {
    const { mock, origin } = await openWay({ origins: [page] });
    const headers = { 'x-user': 'ann', origin: stranger ?? origin };
    for (const method of ['OPTIONS', 'GET']) {
      const reply = await send(origin, { method, path, headers });
      expect(reply.status).toBe(403);
      expect(reply.headers).not.toHaveProperty('access-control-allow-origin');
    }
    expect(mock.requests).toEqual([]);
  });

  test('a page may read answers and their headers, errors too', async () => {
    const { origin } = await openWay({ origins: [page], credentials: true });
    for (const user of ['ann', '']) {
      const { headers } = await send(origin, { path, headers: { 'x-user': user, origin: page } });
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
