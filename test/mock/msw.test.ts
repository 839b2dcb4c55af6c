import { setupServer } from 'msw/node';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';

import { createMockGateway } from '../../src/mock/index.ts';
import { handlers } from '../../src/mock/msw.ts';
import { chat, eventsOf, image, video } from './caller.ts';

const mock = createMockGateway({ clock: 'virtual' });
const server = setupServer(
  ...handlers(mock),
  ...handlers(mock, { baseURL: 'https://own.example' }),
);
const headers = { authorization: `Bearer ${mock.apiKey}`, 'content-type': 'application/json' };
const post = (path: string, body: unknown, signal?: AbortSignal) =>
  fetch(mock.baseURL + path, {
    method: 'POST',
    headers,
    body: JSON.stringify(body),
    ...(signal === undefined ? {} : { signal }),
  });

beforeAll(() => {
  server.listen();
});
afterAll(() => {
  server.close();
});

test('the global fetch reaches the gateway', async () => {
  const response = await post('/v1/images/tasks', image);
  expect(response.status).toBe(202);
  expect(response.headers.get('x-svc-charge-usd')).toBe('0.02');
  expect(mock.requests.at(-1)).toMatchObject({ path: '/v1/images/tasks', body: image });
});

test('streams stream', async () => {
  const events = await eventsOf(await post('/v1/chat/completions', { ...chat, stream: true }));
  expect(events.at(-1)).toBe('[DONE]');
});

test('an unknown path under the origin is the gateway’s own 404', async () => {
  const response = await fetch(`${mock.baseURL}/nowhere`);
  expect(response.status).toBe(404);
  expect((await response.json()).error.code).toBe('not_found');
});

test('a dropped connection is a failed fetch', async () => {
  const fault = mock.fail({ reset: 'after' });
  await expect(fetch(`${mock.baseURL}/v1/status`)).rejects.toThrow(TypeError);
  fault.remove();
});

test.each([{ stallHeaders: true }, { stallBody: 10 }])(
  'a caller that leaves at %j gives its slot back',
  async (fault) => {
    mock.fail({ route: 'POST /v1/videos', ...fault, times: 1 });
    const leave = new AbortController();
    const answer = post('/v1/videos', video, leave.signal).then((response) => response.text());
    await vi.waitFor(() => expect(mock.inFlight).toBe(1));
    leave.abort();
    await expect(answer).rejects.toThrow('aborted');
    await vi.waitFor(() => expect(mock.inFlight).toBe(0));
  },
);

test('another origin may be answered for', async () => {
  expect((await fetch('https://own.example/v1/status')).status).toBe(200);
});
