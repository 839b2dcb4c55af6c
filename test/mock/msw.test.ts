import { setupServer } from 'msw/node';
import { afterAll, beforeAll, expect, test } from 'vitest';

import { ConfigurationError } from '../../src/index.ts';
import { createMockGateway } from '../../src/mock/index.ts';
import { handlers } from '../../src/mock/msw.ts';
import { eventually } from '../support/eventually.ts';
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

test('an unknown option of handlers throws and suggests the right name', () => {
  const options: object = { baseUrl: 'https://own.example' };
  expect(() => handlers(mock, options)).toThrow(
    new ConfigurationError('baseUrl: unknown option. Did you mean baseURL?'),
  );
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

test('an event stream arrives complete', async () => {
  const events = await eventsOf(await post('/v1/chat/completions', { ...chat, stream: true }));
  expect(events.at(-1)).toBe('[DONE]');
});

test("an unknown path of the origin gets the gateway's 404", async () => {
  const response = await fetch(`${mock.baseURL}/nowhere`);
  expect(response.status).toBe(404);
  expect((await response.json()).error.code).toBe('not_found');
});

test('a dropped connection rejects the fetch', async () => {
  const fault = mock.fail({ reset: 'after' });
  await expect(fetch(`${mock.baseURL}/v1/status`)).rejects.toThrow(TypeError);
  fault.remove();
});

test.each([{ stallHeaders: true }, { stallBody: 10 }])(
  'an aborted request releases its slot: %j',
  async (fault) => {
    mock.fail({ route: 'POST /v1/videos', ...fault, times: 1 });
    const controller = new AbortController();
    const body = post('/v1/videos', video, controller.signal).then((response) => response.text());
    await eventually(() => expect(mock.inFlight).toBe(1));
    controller.abort();
    await expect(body).rejects.toThrow('aborted');
    await eventually(() => expect(mock.inFlight).toBe(0));
  },
);

test('another origin can be intercepted', async () => {
  expect((await fetch('https://own.example/v1/status')).status).toBe(200);
});
