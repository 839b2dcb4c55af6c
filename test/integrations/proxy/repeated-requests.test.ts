import { BudgetExceededError, ConflictError } from 'polygate';
import { memoryStore } from 'polygate/proxy';
import { afterEach, describe, expect, test, vi } from 'vitest';

import { rejection } from '../../support/rejection.ts';
import { mount, sendRaw, startProxy } from './support.ts';

const chat = {
  model: 'aurora-chat',
  messages: [{ role: 'user' as const, content: 'Hello' }],
};
const image = { model: 'prism-image', prompt: 'A harbor' };

/** A fetch that repeats POSTs as Chromium does when the response to the first one is lost. */
function repeatingBrowser() {
  const browser: typeof fetch = async (input, init) => {
    const response = await fetch(input, init);
    if (init?.method !== 'POST') return response;
    await response.body?.cancel();
    return fetch(input, init);
  };
  return browser;
}

describe('a request that the browser repeats by itself', () => {
  test('is not forwarded again: a chat is paid once and its outcome is unknown', async () => {
    const { mock, page } = await startProxy();
    const client = page({ fetch: repeatingBrowser() });
    const error = await rejection(ConflictError, client.chat.completions.create(chat));
    expect(error).toMatchObject({ status: 409, code: 'attempt_repeated', outcome: 'unknown' });
    expect(error.message).toMatch(/may have been charged; sending it again may charge you again/);
    expect(mock.invoice).toHaveLength(1);
    const stream = client.chat.completions.stream(chat).final();
    expect(await rejection(ConflictError, stream)).toMatchObject({ outcome: 'unknown' });
    expect(mock.invoice).toHaveLength(2);
  });

  test('is forwarded if it has a key, and returns the task that was paid for', async () => {
    const { mock, page } = await startProxy();
    const client = page({ fetch: repeatingBrowser(), maxRetries: 0 });
    const task = await client.images.submit(image);
    expect(task.id).toBe(mock.tasks[0]?.id);
    expect(task.meta?.idempotentReplay).toBe(true);
    expect(mock.invoice).toHaveLength(1);
  });

  test('keeps its price reserved in the budget, because it may have been charged', async () => {
    const { mock, page } = await startProxy();
    const browser = repeatingBrowser();
    const withoutKey: typeof fetch = (input, init) => {
      const headers = new Headers(init?.headers);
      headers.delete('x-idempotency-key');
      return browser(input, { ...init, headers });
    };
    const client = page({ fetch: withoutKey, maxRetries: 0, budget: { maxUsd: 0.03 } });
    await client.models.list();
    await rejection(ConflictError, client.images.submit(image));
    await rejection(BudgetExceededError, client.images.submit(image));
    expect(mock.invoice).toHaveLength(1);
  });
});

describe('an attempt id', () => {
  afterEach(() => void vi.useRealTimers());

  const send = (
    origin: string,
    id: string,
    user = 'ann',
    path = '/v1/chat/completions',
    key: Record<string, string> = {},
  ) => {
    const headers = { 'x-user': user, 'content-type': 'application/json', ...key };
    const body = JSON.stringify(path.includes('chat') ? chat : image);
    return sendRaw(origin, {
      method: 'POST',
      path: mount + path,
      headers: { ...headers, 'x-polygate-attempt': id },
      body,
    });
  };

  test('is forwarded once per user, and never to the gateway', async () => {
    const { mock, origin } = await startProxy();
    const statuses = [];
    for (const [id, user] of [
      ['1', 'ann'],
      ['1', 'ann'],
      ['1', 'bob'],
      ['2', 'ann'],
    ] as const)
      statuses.push((await send(origin, id, user)).status);
    expect(statuses).toEqual([200, 409, 200, 200]);
    expect(mock.invoice).toHaveLength(3);
    for (const { headers } of mock.requests) {
      expect(Object.keys(headers)).not.toContain('x-polygate-attempt');
    }
  });

  test('can be used again on another route, and does not show the response of the first one', async () => {
    const { mock, origin } = await startProxy();
    const images = '/v1/images/tasks';
    expect((await send(origin, '1', 'ann', images)).status).toBe(202);
    expect((await send(origin, '1')).status).toBe(200);
    expect((await send(origin, '1', 'ann', images)).status).toBe(409);
    // The service ignores a key in the header of other routes.
    const otherKey = { 'idempotency-key': 'k1' };
    expect((await send(origin, '1', 'ann', images, otherKey)).status).toBe(409);
    expect(mock.invoice).toHaveLength(2);
  });

  test('is remembered even if the system time jumps by an hour', async () => {
    const { mock, origin } = await startProxy();
    expect((await send(origin, '1')).status).toBe(200);
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 3_600_000 });
    expect((await send(origin, '1')).status).toBe(409);
    expect(mock.invoice).toHaveLength(1);
  });

  test('of a GET is not remembered', async () => {
    const { origin } = await startProxy();
    const headers = { 'x-user': 'ann', 'x-polygate-attempt': '1' };
    const list = () => sendRaw(origin, { method: 'GET', path: `${mount}/v1/models`, headers });
    expect([(await list()).status, (await list()).status]).toEqual([200, 200]);
  });

  test('can be used again if the proxy rejected the request before it was forwarded', async () => {
    let isPermitted = false;
    const { origin } = await startProxy({ permit: () => isPermitted });
    expect((await send(origin, '1')).status).toBe(403);
    isPermitted = true;
    expect((await send(origin, '1')).status).toBe(200);
  });

  test.each([
    ['without limits', undefined],
    ['with limits', { usd: 1 }],
  ])('can be used again if the gateway could not be reached, %s', async (_, limits) => {
    let isDown = true;
    const refusing: typeof fetch = async (input, init) => {
      if (!isDown || new Request(input).url.endsWith('/v1/models')) return fetch(input, init);
      throw new TypeError('fetch failed', {
        cause: Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' }),
      });
    };
    const { mock, origin } = await startProxy({ fetch: refusing, limits });
    expect((await send(origin, '1')).status).toBe(503);
    isDown = false;
    expect((await send(origin, '1')).status).toBe(200);
    expect((await send(origin, '1')).status).toBe(409);
    expect(mock.invoice).toHaveLength(1);
  });

  test('can be used again if the page left before the request was forwarded', async () => {
    const store = memoryStore();
    const page = new AbortController();
    const { mock, handler } = await startProxy({
      store: {
        ...store,
        async reserve(reservation) {
          const result = await store.reserve(reservation);
          page.abort();
          return result;
        },
      },
    });
    const request = (signal?: AbortSignal) =>
      new Request(`https://app.example${mount}/v1/chat/completions`, {
        method: 'POST',
        headers: {
          'x-user': 'ann',
          'content-type': 'application/json',
          'x-polygate-attempt': '1',
        },
        body: JSON.stringify(chat),
        ...(signal && { signal }),
      });
    expect((await handler(request(page.signal))).status).toBe(499);
    expect(mock.requests).toEqual([]);
    expect((await handler(request())).status).toBe(200);
  });

  test('must be visible ASCII of limited length', async () => {
    const { origin, mock } = await startProxy();
    for (const id of ['a b', 'x'.repeat(201)]) {
      expect(await send(origin, id)).toMatchObject({ status: 400, code: 'invalid_attempt_id' });
    }
    expect(mock.requests).toEqual([]);
  });

  test('differs between the retries of one call, so that they are forwarded', async () => {
    const { mock, page } = await startProxy();
    mock.fail({ route: 'POST /v1/chat/completions', status: 503, times: 2 });
    await page({ random: () => 0 }).chat.completions.create(chat);
    expect(mock.requests.map(({ status }) => status)).toEqual([503, 503, 200]);
  });

  test('is sent only without an API key, only with a POST, and not if it is removed', async () => {
    const { gatewayURL, mock, page } = await startProxy();
    const names: string[][] = [];
    const recording: typeof fetch = (input, init) => {
      names.push([
        init?.method ?? 'GET',
        new Headers(init?.headers).get('x-polygate-attempt') ?? '',
      ]);
      return fetch(input, init);
    };
    await page({ fetch: recording }).models.list();
    await page({ fetch: recording }).images.submit(image);
    const direct = page({ fetch: recording, apiKey: mock.apiKey, baseURL: gatewayURL });
    await direct.images.submit(image);
    const headers = { 'x-user': 'ann', 'x-polygate-attempt': null };
    await page({ fetch: recording, headers }).images.submit(image);
    expect(names).toEqual([
      ['GET', ''],
      ['POST', expect.stringMatching(/\d/)],
      ['POST', ''],
      ['POST', ''],
    ]);
  });
});

test('a request with both headers for a key is sent with the one of its route only', async () => {
  const setup = await startProxy();
  const send = (route: string, body: object) =>
    sendRaw(setup.origin, {
      method: 'POST',
      path: mount + route,
      headers: {
        'x-user': 'ann',
        'content-type': 'application/json',
        'x-idempotency-key': 'one',
        'idempotency-key': 'two',
      },
      body: JSON.stringify(body),
    });
  await send('/v1/images/tasks', { model: 'prism-image', prompt: 'A harbor' });
  await send('/v1/materials', { url: 'https://files.example/a.png', type: 'image' });
  const keys = setup.mock.requests.map(({ headers }) =>
    Object.keys(headers).filter((name) => name.endsWith('idempotency-key')),
  );
  expect(keys).toEqual([['x-idempotency-key'], ['idempotency-key']]);
});
