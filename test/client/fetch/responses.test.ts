import { describe, expect, test } from 'vitest';

import { errorReply, jsonReply, onMock, reset, submitted, textReply } from '../support.ts';
import type { Reply } from '../support.ts';
import { chatPath, imagePath, post, scriptedClient } from './support.ts';

/** A response whose body is not text, with headers of its own. */
const rawBytes = new Uint8Array([0xef, 0xbb, 0xbf, 0x2d, 0xff, 0x00, 0x0a]);
const raw = (status: number): Reply => {
  return () =>
    new Response(rawBytes, {
      status,
      statusText: 'As Sent',
      headers: { 'content-type': 'application/problem+json', 'x-request-id': 'r-1', 'x-own': 'a' },
    });
};

const statuses = [300, 302, 304, 400, 401, 402, 403, 404, 408, 409, 413, 422, 429, 451];
const failures = [500, 501, 502, 503, 504, 529];

describe.each([chatPath, imagePath, '/v1/images/edits'])('a POST to %s', (path) => {
  test.each([...statuses, ...failures])('resolves with a %d as it was sent', async (status) => {
    const hasBody = status !== 304;
    const reply: Reply = hasBody ? raw(status) : () => new Response(null, { status });
    const { gateway, settle } = scriptedClient([reply]);
    const response = await settle(gateway.fetch(path, post({})));
    expect(response.status).toBe(status);
    expect(response.ok).toBe(false);
    expect(response.bodyUsed).toBe(false);
    if (!hasBody) return;
    expect(response.statusText).toBe('As Sent');
    const mayBeCharged = status === 408 || (status >= 500 && status !== 503);
    expect(Object.fromEntries(response.headers)).toEqual({
      'content-type': 'application/problem+json',
      'x-request-id': 'r-1',
      'x-own': 'a',
      ...(mayBeCharged && { 'x-should-retry': 'false' }),
    });
    expect(new Uint8Array(await response.arrayBuffer())).toEqual(rawBytes);
  });
});

describe('an error status', () => {
  test('keeps its headers if a repetition cannot be charged again', async () => {
    const { gateway, settle } = scriptedClient([errorReply(502)]);
    const requests: [string, RequestInit?][] = [
      ['/v1/models'],
      [imagePath, post({}, { 'idempotency-key': 'order-17' })],
    ];
    for (const request of requests) {
      const response = await settle(gateway.fetch(...request));
      expect(response.headers.get('x-should-retry')).toBe(null);
    }
  });

  test('is that of the last attempt, after all safe retries', async () => {
    const { gateway, sent, settle } = scriptedClient([
      errorReply(503),
      errorReply(502),
      errorReply(500),
      errorReply(504, 'last'),
    ]);
    const response = await settle(gateway.fetch('/v1/models'));
    expect(response.status).toBe(504);
    expect(await response.json()).toMatchObject({ error: { code: 'last' } });
    expect(sent).toHaveLength(4);
  });

  test('that a retry resolves is not seen', async () => {
    const { gateway, sent, settle } = scriptedClient([errorReply(502), submitted]);
    const response = await settle(gateway.fetch(imagePath, post({})));
    expect(response.status).toBe(202);
    expect(await response.json()).toMatchObject({ id: 'task_1' });
    expect(sent).toHaveLength(2);
  });

  test('is followed by the error of a later attempt without a response', async () => {
    const { gateway, fail } = scriptedClient([errorReply(502), reset]);
    expect(await fail(gateway.fetch(imagePath, post({})))).toMatchObject({
      name: 'ConnectionError',
      outcome: 'unknown',
    });
  });

  test('cancels the bodies of the attempts before it', async () => {
    let canceled = 0;
    const reply: Reply = () => {
      const body = new ReadableStream({
        pull: (controller) => controller.enqueue(new Uint8Array(200_000)),
        cancel: () => {
          canceled += 1;
        },
      });
      return new Response(body, { status: 503 });
    };
    const { gateway, settle } = scriptedClient([reply], { maxRetries: 2 });
    const last = await settle(gateway.fetch('/v1/models'));
    expect(canceled).toBe(2);
    await last.body?.cancel();
    expect(canceled).toBe(3);
  });

  test('with a body of more than a megabyte is passed on completely', async () => {
    const long = 'x'.repeat(1_500_000);
    const { gateway, settle } = scriptedClient([textReply(400, long)]);
    const response = await settle(gateway.fetch('/v1/models'));
    expect(await response.text()).toBe(long);
  });

  test('has the body that an afterResponse hook has put in its place', async () => {
    const { gateway } = scriptedClient([errorReply(400, 'original')], {
      hooks: { afterResponse: [() => Response.json({ replaced: true }, { status: 400 })] },
    });
    const response = await gateway.fetch('/v1/models');
    expect(response.status).toBe(400);
    expect(await response.json()).toEqual({ replaced: true });
  });
});

describe('a redirect', () => {
  test.each([301, 302, 303, 307, 308])('%d resolves and is not followed', async (status) => {
    const headers = { location: 'https://elsewhere.example/v1/models' };
    const { gateway, sent, settle } = scriptedClient([
      () => new Response(null, { status, headers }),
    ]);
    const response = await settle(gateway.fetch('/v1/models', { redirect: 'follow' }));
    expect(response.status).toBe(status);
    expect(response.headers.get('location')).toBe(headers.location);
    expect(sent).toMatchObject([{ redirect: 'manual' }]);
  });

  test('that a browser hides resolves, too', async () => {
    const opaque = Response.error();
    const { gateway, sent, settle } = scriptedClient([() => opaque]);
    expect((await settle(gateway.fetch('/v1/models'))).status).toBe(0);
    expect(sent).toHaveLength(1);
  });
});

describe('a success', () => {
  test('has the status, headers, URL and body of the response', async () => {
    const { mock, gateway } = onMock();
    const response = await gateway.fetch(imagePath, post({ model: 'prism-image', prompt: 'Sea' }));
    expect(response.status).toBe(202);
    expect(response.bodyUsed).toBe(false);
    const { id } = await response.json();
    expect(response.headers.get('x-svc-charge-usd')).toBe('0.02');
    expect(id).toMatch(/^task_/);
    expect(mock.requests).toHaveLength(1);
  });

  test('can be cloned', async () => {
    const { gateway } = onMock();
    const response = await gateway.fetch('/v1/models');
    const copy = response.clone();
    expect(await copy.text()).toBe(await response.text());
  });

  test('without a body is passed on', async () => {
    const { gateway, settle } = scriptedClient([() => new Response(null, { status: 204 })]);
    const response = await settle(gateway.fetch('/v1/materials/mat_1', { method: 'DELETE' }));
    expect(response.status).toBe(204);
    expect(response.body).toBeNull();
  });

  test.each([
    ['/v1/models', 'GET', 4],
    [imagePath, 'POST', 4],
    [chatPath, 'POST', 1],
    ['/v1/files', 'GET', 1],
  ])('with JSON that is cut off is passed on in the end: %s', async (path, method, requests) => {
    const headers = { 'x-svc-charge-usd': '0.02', 'x-svc-idempotent-replay': 'true' };
    const { gateway, sent, settle } = scriptedClient([
      () => new Response('{"data":[{"id":', { headers }),
    ]);
    const response = await settle(gateway.fetch(path, { method }));
    expect(response.status).toBe(200);
    expect(await response.text()).toBe('{"data":[{"id":');
    expect(sent).toHaveLength(requests);
  });

  test('that is no JSON is passed on at once', async () => {
    const { gateway, sent, settle } = scriptedClient([textReply(200, 'pong')]);
    expect(await (await settle(gateway.fetch('/v1/status'))).text()).toBe('pong');
    expect(sent).toHaveLength(1);
  });

  test('that exceeds maxResponseBytes rejects', async () => {
    const { gateway, fail } = scriptedClient([errorReply(503), textReply(200, 'x'.repeat(100))], {
      maxResponseBytes: 50,
    });
    expect(await fail(gateway.fetch('/v1/models'))).toMatchObject({
      name: 'ResponseValidationError',
    });
  });
});

describe('hooks', () => {
  test('run for each attempt', async () => {
    const seen: string[] = [];
    const { gateway, sent, settle } = scriptedClient([errorReply(502), submitted], {
      hooks: {
        beforeRequest: [({ request }) => request.headers.set('x-hook', '1')],
        afterResponse: [
          ({ response, retryCount }) => void seen.push(`${retryCount} ${response.status}`),
        ],
      },
    });
    await settle(gateway.fetch(imagePath, post({})));
    expect(seen).toEqual(['0 502', '1 202']);
    expect(sent.map(({ headers }) => headers.get('x-hook'))).toEqual(['1', '1']);
  });

  test('can respond in place of the service', async () => {
    const { gateway, sent } = scriptedClient([submitted], {
      hooks: { beforeRequest: [() => Response.json({ id: 'recorded' })] },
    });
    const response = await gateway.fetch(imagePath, post({}));
    expect(await response.json()).toEqual({ id: 'recorded' });
    expect(sent).toEqual([]);
  });

  test('that throw end the call', async () => {
    const { gateway, sent, fail } = scriptedClient([submitted], {
      hooks: {
        beforeRequest: [
          () => {
            throw new Error('no');
          },
        ],
      },
    });
    expect(await fail(gateway.fetch(imagePath, post({})))).toMatchObject({
      name: 'HookError',
      outcome: 'not-sent',
    });
    expect(sent).toEqual([]);
  });
});

test('the response to an attempt that has timed out is not taken for that of the last one', async () => {
  let respond: (response: Response) => void = () => undefined;
  const late: Reply = () =>
    new Promise((resolve) => {
      respond = resolve;
    });
  const { gateway, fail } = scriptedClient(
    [
      late,
      () => {
        respond(new Response('late', { status: 500 }));
        throw new TypeError('fetch failed');
      },
    ],
    { timeout: 1_000, maxRetries: 1 },
  );
  expect(await fail(gateway.fetch(imagePath, post({})))).toMatchObject({ name: 'ConnectionError' });
});

test('a charge enters the ledger once, although keyed attempts are repeated', async () => {
  const { mock, gateway } = onMock();
  mock.fail({ reset: 'after', times: 2, route: 'POST /v1/images/tasks' });
  const call = gateway.fetch(imagePath, post({ model: 'prism-image', prompt: 'Sea' }));
  const response = await mock.clock.settle(call);
  expect(response.headers.get('x-svc-idempotent-replay')).toBeTruthy();
  expect(mock.requests).toHaveLength(3);
  expect(mock.invoice).toHaveLength(1);
  expect(gateway.spend).toMatchObject({ totalUsd: 0.02, requests: 1 });
});

test('a charge is reported to onCharge with its model and route', async () => {
  const charges: unknown[] = [];
  const { gateway } = scriptedClient([jsonReply(200, {}, { 'x-svc-charge-usd': '0.1' })], {
    onCharge: ({ usd, model, route }) => charges.push({ usd, model, route }),
  });
  await gateway.fetch(chatPath, post({ model: 'm', messages: [] }));
  expect(charges).toEqual([{ usd: 0.1, model: 'm', route: `POST ${chatPath}` }]);
});
