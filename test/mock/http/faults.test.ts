import { expect, test } from 'vitest';

import { createMockGateway } from '../../../src/mock/index.ts';
import type { Fault } from '../../../src/mock/index.ts';
import { callerOf, chat, codeOf, eventsOf, image, video } from '../caller.ts';

const start = (...faults: Fault[]) => {
  const mock = createMockGateway({ clock: 'virtual' });
  const caller = callerOf(mock);
  return { mock, caller, injected: faults.map((fault) => mock.fail(fault)) };
};
const streamed = { ...chat, stream: true };

test('a status replaces the response `times` times, and nothing is charged', async () => {
  const { mock, caller, injected } = start({ route: 'POST /v1/videos', status: 503, times: 2 });
  for (const status of [503, 503, 202]) {
    expect((await caller.post('/v1/videos', video)).status).toBe(status);
  }
  expect(injected[0]?.affectedRequests).toBe(2);
  expect(mock.invoice).toHaveLength(1);
  expect(mock.requests.map((request) => request.status)).toEqual([503, 503, 202]);
});

test.each([
  [400, 'invalid_request_parameter'],
  [401, 'invalid_api_key'],
  [402, 'insufficient_balance'],
  [403, 'api_key_disabled'],
  [429, 'concurrency_limit_exceeded'],
  [500, 'internal_error'],
  [503, 'service_unavailable'],
])('an injected status %i has the code %s by default', async (status, code) => {
  const { caller } = start({ status });
  expect(await codeOf(await caller.get('/v1/account'))).toBe(code);
});

test('code, headers, Retry-After and body can be injected', async () => {
  const { caller } = start(
    { status: 429, code: 'slow_down', retryAfter: 7, headers: { 'x-more': '1' }, times: 1 },
    { status: 502, body: '<html>Bad gateway</html>', times: 1 },
    { body: { odd: true }, times: 1 },
    { headers: { 'x-svc-wallet': null }, times: 1 },
  );
  const slow = await caller.get('/v1/account');
  expect([slow.status, slow.headers.get('retry-after'), slow.headers.get('x-more')]).toEqual([
    429,
    '7',
    '1',
  ]);
  expect(await codeOf(slow)).toBe('slow_down');
  const bad = await caller.get('/v1/account');
  expect([bad.status, await bad.text()]).toEqual([502, '<html>Bad gateway</html>']);
  expect(await caller.read('/v1/account')).toEqual({ odd: true });
  expect((await caller.get('/v1/account')).headers.has('x-svc-wallet')).toBe(false);
});

test('a reset before handling charges nothing, a reset after it does, and both are recorded', async () => {
  const route = 'POST /v1/videos';
  const { mock, caller } = start({ route, reset: 'before', times: 1 }, { route, reset: 'after' });
  const before = await caller.post('/v1/videos', video).catch((error: unknown) => error);
  expect(before).toBeInstanceOf(TypeError);
  expect(before).toMatchObject({ cause: { code: 'ECONNRESET' } });
  expect(mock.invoice).toHaveLength(0);
  await expect(caller.post('/v1/videos', video)).rejects.toThrow(TypeError);
  expect(mock.invoice).toHaveLength(1);
  expect(mock.requests).toHaveLength(2);
  expect(mock.inFlight).toBe(0);
});

test('a request whose connection is refused is not recorded', async () => {
  const { mock, caller } = start({ unreachable: true });
  const error = await caller.get('/v1/account').catch((reason: unknown) => reason);
  expect(error).toMatchObject({ cause: { code: 'ECONNREFUSED' } });
  expect(mock.requests).toEqual([]);
});

test('a delay starts after the request was handled', async () => {
  const { mock, caller } = start({ route: 'POST /v1/videos', delayMs: 500 });
  let hasResponse = false;
  const waiting = caller.post('/v1/videos', video).then(() => (hasResponse = true));
  await mock.clock.advance(499);
  expect([mock.invoice.length, mock.inFlight, hasResponse]).toEqual([1, 1, false]);
  await mock.clock.advance(1);
  expect([mock.inFlight, hasResponse]).toEqual([0, true]);
  await waiting;
});

test('with `handled`, a request is charged although its response is an error', async () => {
  const { mock, caller } = start({ status: 502, handled: true, times: 1 });
  const headers = { 'x-idempotency-key': 'k' };
  expect((await caller.post('/v1/videos', video, headers)).status).toBe(502);
  const again = await caller.post('/v1/videos', video, headers);
  expect(again.headers.get('x-svc-idempotent-replay')).toBe('true');
  expect(mock.invoice).toHaveLength(1);
});

test('a malformed response is a 200 with invalid JSON and the usual headers', async () => {
  const { caller } = start({ malformed: true });
  const response = await caller.post('/v1/videos', video);
  expect(response.status).toBe(200);
  expect(response.headers.get('x-svc-task-id')).toMatch(/^task_/);
  await expect(response.json()).rejects.toThrow(SyntaxError);
});

test('a truncated body fails after the given number of bytes', async () => {
  const { caller } = start({ truncateBody: 12 });
  const response = await caller.get('/v1/account');
  expect(Number(response.headers.get('content-length'))).toBeGreaterThan(12);
  const reader = response.body!.getReader();
  const { value } = await reader.read();
  expect(value).toHaveLength(12);
  await expect(reader.read()).rejects.toThrow('terminated');
});

test.each([
  [{ cutStreamAfter: 3 }, 3, 'terminated'],
  [{ cutStreamAfter: 0 }, 0, 'terminated'],
  [{ cutStreamAfter: 3, cut: 'end' as const }, 3, undefined],
])('a stream is cut by %o', async (fault, count, failure) => {
  const { caller } = start(fault);
  const response = await caller.post('/v1/chat/completions', streamed);
  const decoder = new TextDecoder();
  let text = '';
  let error: unknown;
  try {
    for await (const bytes of response.body!) text += decoder.decode(bytes, { stream: true });
  } catch (reason) {
    error = reason;
  }
  expect(text.match(/^data:/gm) ?? []).toHaveLength(count);
  expect(error instanceof TypeError ? error.message : undefined).toBe(failure);
});

test('a stream can contain an error object or invalid JSON', async () => {
  const { caller } = start({ streamErrorAfter: 2, times: 1 }, { malformed: true, times: 1 });
  const events = await eventsOf(await caller.post('/v1/chat/completions', streamed));
  expect(events).toHaveLength(3);
  expect(JSON.parse(events[2]!)).toMatchObject({ error: { code: 'internal_error' } });
  const [broken] = await eventsOf(await caller.post('/v1/chat/completions', streamed));
  expect(() => JSON.parse(broken!)).toThrow(SyntaxError);
});

test('a body in chunks of one byte is the same body', async () => {
  const { mock, caller } = start({ splitBytes: 1, times: 1 });
  const split = await eventsOf(await caller.post('/v1/chat/completions', streamed));
  expect(split).toEqual(await eventsOf(await caller.post('/v1/chat/completions', streamed)));
  expect(mock.inFlight).toBe(0);
});

test('`attempt` affects the nth matching request, for any id in the path', async () => {
  const { caller } = start({
    route: 'GET /v1/images/tasks/{anything}',
    status: 500,
    attempt: [2, 3],
  });
  const { id } = await caller.submit('/v1/images/tasks', image);
  const statuses: number[] = [];
  for (let count = 0; count < 4; count += 1) {
    statuses.push((await caller.get(`/v1/images/tasks/${id}`)).status);
    await caller.get('/v1/account');
  }
  expect(statuses).toEqual([200, 500, 500, 200]);
});

test('`model` limits a fault to requests for a model, and counts only those', async () => {
  const { mock, caller, injected } = start(
    { model: 'aurora-chat', status: 503, attempt: 2 },
    { model: 'prism-image', route: 'POST /v1/images/tasks', unreachable: true, times: 1 },
  );
  const statusOf = async (model: string) =>
    (await caller.post('/v1/chat/completions', { ...chat, model })).status;
  const models = ['aurora-chat', 'aurora-reasoner', 'aurora-chat', 'aurora-chat'];
  const statuses: number[] = [];
  for (const model of models) statuses.push(await statusOf(model));
  expect(statuses).toEqual([200, 200, 503, 200]);
  await expect(caller.post('/v1/images/tasks', image)).rejects.toThrow('fetch failed');
  expect((await caller.get('/v1/account')).status).toBe(200);
  expect(injected.map(({ affectedRequests }) => affectedRequests)).toEqual([1, 1]);
  expect(mock.requests.map(({ path }) => path)).not.toContain('/v1/images/tasks');
});

test('`when` limits a fault to requests that a function selects, and counts only those', async () => {
  const seen: unknown[] = [];
  const when: Fault['when'] = ({ body, ...request }) => {
    seen.push({ ...request, body });
    return JSON.stringify(body).includes('A storm');
  };
  const { mock, caller, injected } = start({
    route: 'POST /v1/images/tasks',
    model: image.model,
    when,
    status: 422,
    attempt: 2,
  });
  const statusOf = async (prompt: string, model = image.model) =>
    (await caller.post('/v1/images/tasks', { ...image, model, prompt })).status;
  const storm = 'A storm';
  const statuses = [await statusOf(storm), await statusOf('Calm'), await statusOf(storm, 'other')];
  expect([...statuses, await statusOf(storm)]).toEqual([202, 202, 400, 422]);
  expect((await caller.get('/v1/account')).status).toBe(200);
  expect(seen).toHaveLength(3);
  expect(seen[0]).toMatchObject({
    method: 'POST',
    path: '/v1/images/tasks',
    search: '',
    headers: { authorization: `Bearer ${mock.apiKey}` },
    body: { prompt: storm },
  });
  expect(injected[0]?.affectedRequests).toBe(1);
});

test('the seed decides which requests a probability affects', async () => {
  const run = async (seed: number) => {
    const mock = createMockGateway({ seed });
    mock.fail({ probability: 0.5, status: 500 });
    const statuses: number[] = [];
    for (let count = 0; count < 40; count += 1) {
      statuses.push((await callerOf(mock).get('/v1/account')).status);
    }
    return statuses;
  };
  const first = await run(1);
  expect(first).toEqual(await run(1));
  expect(first).not.toEqual(await run(2));
  expect(new Set(first)).toEqual(new Set([200, 500]));
});

test('a fault applies until it is removed', async () => {
  const { mock, caller, injected } = start({ status: 500 });
  expect((await caller.get('/v1/account')).status).toBe(500);
  injected[0]?.remove();
  expect((await caller.get('/v1/account')).status).toBe(200);
  mock.fail({ status: 500 });
  mock.clearFaults();
  expect((await caller.get('/v1/account')).status).toBe(200);
});

test('requests are recorded as received: method, path, headers, body and time', async () => {
  const { mock, caller } = start();
  await mock.clock.advance(10);
  await caller.post('/v1/videos?a=1', video, { 'X-Mixed': 'Case' });
  await caller.get('/nowhere');
  expect(mock.requests).toMatchObject([
    {
      method: 'POST',
      path: '/v1/videos',
      search: '?a=1',
      headers: { 'x-mixed': 'Case', authorization: `Bearer ${mock.apiKey}` },
      body: video,
      bodyText: JSON.stringify(video),
      at: mock.clock.now(),
      status: 202,
    },
    { method: 'GET', path: '/nowhere', body: undefined, bodyText: '', status: 404 },
  ]);
  mock.clearRecords();
  expect([mock.requests.length, mock.invoice.length, mock.peakInFlight]).toEqual([0, 0, 0]);
});

test('an aborted signal rejects with its reason before anything is recorded', async () => {
  const { mock } = start();
  const reason = new Error('aborted');
  const response = mock.fetch(`${mock.baseURL}/v1/status`, { signal: AbortSignal.abort(reason) });
  await expect(response).rejects.toBe(reason);
  expect(mock.requests).toEqual([]);
});

test('latencyMs delays every response, in the time of its clock', async () => {
  const mock = createMockGateway({ clock: 'virtual', latencyMs: 200 });
  const startedAt = mock.clock.now();
  await mock.clock.settle(callerOf(mock).get('/v1/account'));
  expect(mock.clock.now() - startedAt).toBe(200);
});
