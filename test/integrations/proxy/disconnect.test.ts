import { setImmediate } from 'node:timers/promises';

import { createMockGateway } from 'polygate/mock';
import { createProxyHandler } from 'polygate/proxy';
import type { ProxyResponse } from 'polygate/proxy';
import { describe, expect, onTestFinished, test, vi } from 'vitest';

import { eventually } from '../../support/eventually.ts';
import { canary, mount, startProxy } from './support.ts';

test('a page that disconnects before the gateway responds is not reported as a failure', async () => {
  const reports: unknown[] = [];
  const handler = createProxyHandler({
    apiKey: 'sk-server',
    baseURL: 'https://gateway.example',
    authorize: () => 'ann',
    onError: (error) => reports.push(error),
    fetch: (_, init) =>
      new Promise((_resolve, reject) => {
        const { signal } = init ?? {};
        signal?.addEventListener('abort', () => reject(signal.reason));
      }),
  });
  const page = new AbortController();
  const url = 'https://app.example/api/gateway/v1/models';
  const response = handler(new Request(url, { signal: page.signal }));
  await setImmediate();
  page.abort();
  await response;
  expect(reports).toEqual([]);
});

describe('a paid request whose page leaves', () => {
  test('is still reported once, with its charge, and its retry as a replay', async () => {
    const responses: ProxyResponse[] = [];
    const { mock, page } = await startProxy({
      onResponse: (response) => void responses.push(response),
    });
    mock.fail({ route: 'POST /v1/images/tasks', delayMs: 200, times: 1 });
    const client = page({ maxRetries: 0 });
    const params = { model: 'prism-image', prompt: 'A harbor' };
    const options = { idempotencyKey: 'visit-1' };
    const leaving = new AbortController();
    const submitted = client.images.submit(params, { ...options, signal: leaving.signal });
    await eventually(() => expect(mock.invoice).toHaveLength(1));
    leaving.abort();
    await expect(submitted).rejects.toMatchObject({ name: 'AbortedError', outcome: 'unknown' });
    await eventually(() => expect(responses).toHaveLength(1));
    await client.images.submit(params, options);
    expect(responses).toMatchObject([
      { status: 202, replay: false, chargeUsd: mock.invoice[0]?.usd },
      { status: 202, replay: true },
    ]);
    expect(mock.invoice).toHaveLength(1);
  });

  test('frees the slot of a stream as soon as its headers arrive', async () => {
    const responses: ProxyResponse[] = [];
    const { mock, page } = await startProxy({
      onResponse: (response) => void responses.push(response),
    });
    mock.fail({ route: 'POST /v1/chat/completions', delayMs: 200, times: 1 });
    const stream = page({ maxRetries: 0 }).chat.completions.stream({
      model: 'aurora-chat',
      messages: [{ role: 'user', content: 'Hello' }],
    });
    stream.final().catch(() => undefined);
    await eventually(() => expect(mock.requests).toHaveLength(1));
    stream.abort();
    await eventually(() => expect(responses).toHaveLength(1));
    expect(responses[0]?.chargeUsd).toBe(mock.invoice[0]?.usd);
  });

  test('is not sent if the page left before the proxy could send it', async () => {
    const { mock, handler } = await startProxy({ permit: () => (leaving.abort(), true) });
    const leaving = new AbortController();
    const request = new Request(`https://app.example${mount}/v1/images/tasks`, {
      method: 'POST',
      headers: {
        'x-user': 'ann',
        'content-type': 'application/json',
        origin: 'https://app.example',
      },
      body: JSON.stringify({ model: 'prism-image', prompt: 'A harbor' }),
      signal: leaving.signal,
    });
    expect((await handler(request)).status).toBe(499);
    expect(mock.requests).toEqual([]);
  });
});

test('an error body that stalls ends when its page leaves', async () => {
  let cancelled = false;
  const handler = createProxyHandler({
    apiKey: 'sk-server',
    baseURL: 'https://gateway.example',
    authorize: () => 'ann',
    fetch: async () => {
      const cancel = () => void (cancelled = true);
      return new Response(new ReadableStream({ cancel }), { status: 400 });
    },
  });
  const page = new AbortController();
  const response = handler(postChat(page.signal));
  await setImmediate();
  page.abort();
  await response;
  expect(cancelled).toBe(true);
});

test('a paid request without a response after its page left is reported', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
  const reports: unknown[] = [];
  const handler = createProxyHandler({
    apiKey: 'sk-server',
    baseURL: 'https://gateway.example',
    authorize: () => 'ann',
    onError: (error) => reports.push(error),
    fetch: (_, init) =>
      new Promise((_resolve, reject) => {
        init?.signal?.addEventListener('abort', () => reject(init.signal?.reason));
      }),
  });
  const page = new AbortController();
  const response = handler(postChat(page.signal));
  await setImmediate();
  page.abort();
  await vi.advanceTimersByTimeAsync(600_000);
  await response;
  expect(String(reports)).toContain('The page left, and no response arrived within 10 minutes');
});

function postChat(signal?: AbortSignal): Request {
  return new Request('https://app.example/api/gateway/v1/chat/completions', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'aurora-chat', messages: [{ role: 'user', content: 'Hello' }] }),
    ...(signal && { signal }),
  });
}

test.each([
  [429, false],
  [503, false],
  [503, true],
])(
  'a page does not pay for a chat again after a %i with a charge (exposeCharges: %s)',
  async (status, exposeCharges) => {
    const responses: ProxyResponse[] = [];
    const onResponse = (response: ProxyResponse) => void responses.push(response);
    const { mock, page } = await startProxy({ exposeCharges, onResponse });
    const headers = { 'x-svc-charge-usd': '0.05', 'retry-after': '0' };
    mock.fail({ route: 'POST /v1/chat/completions', handled: true, status, headers });
    const chat = page().chat.completions.create({
      model: 'aurora-chat',
      messages: [{ role: 'user', content: 'Hello' }],
    });
    await expect(chat).rejects.toMatchObject({ outcome: 'unknown' });
    expect(mock.invoice).toHaveLength(1);
    expect(responses).toMatchObject([{ status, chargeUsd: 0.05 }]);
  },
);

test('a redirect that reports a charge is reported', async () => {
  const responses: ProxyResponse[] = [];
  const headers = { location: '/elsewhere', 'x-svc-charge-usd': '0.02' };
  const handler = createProxyHandler({
    apiKey: 'sk-server',
    baseURL: 'https://gateway.example',
    authorize: () => 'ann',
    onResponse: (response) => void responses.push(response),
    fetch: async () => new Response(null, { status: 303, headers }),
  });
  expect((await handler(postChat())).status).toBe(502);
  expect(responses).toMatchObject([{ status: 303, chargeUsd: 0.02 }]);
});

test.each(['read EHOSTUNREACH', 'write ENETUNREACH', 'read ECONNREFUSED'])(
  'an open connection that fails with "%s" does not make a page pay for a chat again',
  async (message) => {
    const mock = createMockGateway({ keys: [{ key: canary }] });
    const { page } = await startProxy({
      baseURL: mock.baseURL,
      fetch: async (input, init) => {
        const response = await mock.fetch(input, init);
        if (init?.method !== 'POST') return response;
        const cause = Object.assign(new Error(message), { code: message.split(' ')[1] });
        throw new TypeError('fetch failed', { cause });
      },
    });
    const chat = page().chat.completions.create({
      model: 'aurora-chat',
      messages: [{ role: 'user', content: 'Hello' }],
    });
    await expect(chat).rejects.toMatchObject({ outcome: 'unknown' });
    expect(mock.invoice).toHaveLength(1);
  },
);
