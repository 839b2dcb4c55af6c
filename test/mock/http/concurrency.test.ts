import { expect, test } from 'vitest';

import { createMockGateway } from '../../../src/mock/index.ts';
import { callerOf, chat, codeOf, image, video } from '../caller.ts';

const delayed = (route: string) => ({ route, delayMs: 1000 });

test('a request over the limit fails with a 429, its code and headers', async () => {
  const mock = createMockGateway({ clock: 'virtual', concurrencyLimit: 2 });
  const caller = callerOf(mock);
  mock.fail(delayed('POST /v1/videos'));
  const admitted = [caller.post('/v1/videos', video), caller.post('/v1/videos', video)];
  await mock.clock.advance(0);
  const rejected = await caller.post('/v1/images/tasks', image);
  expect(rejected.status).toBe(429);
  expect(rejected.headers.get('retry-after')).toBe('1');
  expect(rejected.headers.get('x-svc-concurrency-limit')).toBe('2');
  expect(rejected.headers.get('x-svc-concurrency-remaining')).toBe('0');
  expect(rejected.headers.get('x-svc-concurrency-source')).toBe('user_override');
  expect(await codeOf(rejected)).toBe('concurrency_limit_exceeded');
  await mock.clock.advance(1000);
  const remaining = (await Promise.all(admitted)).map((response) =>
    response.headers.get('x-svc-concurrency-remaining'),
  );
  expect(remaining).toEqual(['1', '0']);
  expect((await caller.post('/v1/images/tasks', image)).status).toBe(202);
  expect(mock.peakInFlight).toBe(2);
  expect(mock.invoice).toHaveLength(3);
});

test('reads do not need a slot', async () => {
  const mock = createMockGateway({ concurrencyLimit: 0 });
  const caller = callerOf(mock);
  expect((await caller.post('/v1/videos', video)).status).toBe(429);
  for (const path of ['/v1/account', '/v1/models', '/v1/audio/voices', '/v1/materials']) {
    expect((await caller.get(path)).status).toBe(200);
  }
});

test('a stream holds its slot until its last event, and frees it before the stream ends', async () => {
  const mock = createMockGateway({ clock: 'virtual', concurrencyLimit: 1 });
  const caller = callerOf(mock);
  const stream = await caller.post('/v1/chat/completions', { ...chat, stream: true });
  const reader = stream.body!.getReader();
  await reader.read();
  expect(mock.inFlight).toBe(1);
  expect((await caller.post('/v1/chat/completions', chat)).status).toBe(429);
  const decoder = new TextDecoder();
  for (;;) {
    const { value } = await reader.read();
    if (decoder.decode(value).includes('[DONE]')) break;
    expect(mock.inFlight).toBe(1);
  }
  expect((await caller.post('/v1/chat/completions', chat)).status).toBe(200);
});

test('a client that disconnects during a delay, a stall or a stream frees its slot', async () => {
  const mock = createMockGateway({ clock: 'virtual', concurrencyLimit: 1, chunkDelayMs: 100 });
  const reason = new Error('aborted');
  const send = (signal: AbortSignal, stream = false) =>
    mock.fetch(`${mock.baseURL}/v1/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${mock.apiKey}`, 'content-type': 'application/json' },
      body: JSON.stringify({ ...chat, stream }),
      signal,
    });
  for (const fault of [{ delayMs: 5000 }, { stallHeaders: true }]) {
    const controller = new AbortController();
    mock.fail({ ...fault, times: 1 });
    const waiting = send(controller.signal);
    await mock.clock.advance(10);
    expect(mock.inFlight).toBe(1);
    controller.abort(reason);
    await expect(waiting).rejects.toBe(reason);
    expect(mock.inFlight).toBe(0);
  }
  const aborted = new AbortController();
  const body = (await send(aborted.signal, true)).body!.getReader();
  await body.read();
  const next = body.read();
  aborted.abort(reason);
  await expect(next).rejects.toBe(reason);
  expect(mock.inFlight).toBe(0);
  const stalled = new AbortController();
  mock.fail({ stallBody: 20, times: 1 });
  const reading = (await send(stalled.signal)).text();
  await mock.clock.advance(10);
  expect(mock.inFlight).toBe(1);
  stalled.abort(reason);
  await expect(reading).rejects.toBe(reason);
  expect(mock.inFlight).toBe(0);
  const canceled = await send(new AbortController().signal, true);
  expect(mock.inFlight).toBe(1);
  await canceled.body!.cancel();
  expect(mock.inFlight).toBe(0);
});

test('the limit can change while the gateway runs', async () => {
  const mock = createMockGateway({ concurrencyLimit: 1 });
  const caller = callerOf(mock);
  mock.setConcurrencyLimit(5);
  const response = await caller.post('/v1/videos', video);
  expect(response.headers.get('x-svc-concurrency-limit')).toBe('5');
  expect((await caller.read('/v1/account')).concurrency.limit).toBe(5);
});

test('slots belong to the user; a key can have its own limit', async () => {
  const mock = createMockGateway({
    clock: 'virtual',
    keys: [
      { key: 'sk-a', user: 1 },
      { key: 'sk-b', user: 1, concurrencyLimit: 1 },
      { key: 'sk-c', user: 2 },
    ],
    concurrencyLimit: 2,
  });
  const [first, second, third] = ['sk-a', 'sk-b', 'sk-c'].map((key) => callerOf(mock, key));
  expect((await second!.read('/v1/account')).concurrency).toEqual({
    limit: 1,
    source: 'api_key_override',
  });
  mock.fail({ ...delayed('POST /v1/videos'), times: 1 });
  const waiting = first!.post('/v1/videos', video);
  await mock.clock.advance(0);
  expect((await second!.post('/v1/videos', video)).status).toBe(429);
  expect((await third!.post('/v1/videos', video)).status).toBe(202);
  await mock.clock.advance(1000);
  expect((await waiting).status).toBe(202);
});

test('with A14 set to task, a task holds its slot until it ends', async () => {
  const mock = createMockGateway({
    clock: 'virtual',
    concurrencyLimit: 1,
    assumptions: { A14: 'task' },
    tasks: { durationMs: 1000 },
  });
  const caller = callerOf(mock);
  expect((await caller.post('/v1/videos', video)).status).toBe(202);
  expect((await caller.post('/v1/videos', video)).status).toBe(429);
  await mock.clock.advance(1000);
  expect((await caller.post('/v1/videos', video)).status).toBe(202);
});
