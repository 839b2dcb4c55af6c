import { createServer } from 'node:http';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';

import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import { APIError, Polygate } from '../../src/index.ts';
import { chat, clientOf, drain, image, scripted } from '../client/support.ts';
import { allCalls } from '../support/calls.ts';
import { rejection } from '../support/rejection.ts';

const requests: string[] = [];
const servers: Server[] = [];
/** Base URLs of the two hosts. */
let firstHost = '';
let otherHost = '';

/** Starts a server on a real socket that records its requests. */
async function listen(name: string, status: (url: URL) => number, location: () => string) {
  const server = createServer((request, response) => {
    const url = new URL(request.url ?? '', 'http://host');
    requests.push(`${name} ${url.pathname}`);
    response.writeHead(status(url), { location: location() }).end('{}');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  servers.push(server);
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

beforeAll(async () => {
  const status = ({ pathname }: URL) => Number(pathname.split('/')[1]);
  otherHost = await listen('other', () => 200, String);
  firstHost = await listen('first', status, () =>
    target === 'other' ? otherHost : `${firstHost}/200`,
  );
});
afterAll(() => {
  for (const server of servers) server.close();
});

let target = 'other';
const calls: Record<string, (gateway: Polygate) => PromiseLike<unknown>> = {
  'a chat': (gateway) => gateway.chat.completions.create(chat),
  'a chat stream': (gateway) => drain(gateway.chat.completions.stream(chat)),
  'a chat stream by create': (gateway) =>
    gateway.chat.completions.create({ ...chat, stream: true }),
  'a poll': (gateway) => gateway.images.retrieve('task_1'),
  'a wait': (gateway) => gateway.images.wait('task_1'),
  'a generation': (gateway) => gateway.images.generate(image),
  'request()': (gateway) => gateway.request({ method: 'PATCH', path: '/v1/x', body: {} }),
  'a raw response': (gateway) => gateway.images.submit(image).asResponse(),
};
for (const { route, call } of allCalls) calls[route] = call;

describe.each(['other', 'same'])(
  'a redirect to the %s host is an error and is not followed',
  (host) => {
    test.each(Object.entries(calls))('of %s', async (_, call) => {
      target = host;
      for (const status of [300, 301, 302, 303, 304, 305, 306, 307, 308, 399]) {
        requests.length = 0;
        const baseURL = `${firstHost}/${status}`;
        const gateway = new Polygate({ apiKey: 'sk-test', baseURL, logLevel: 'off' });
        const error = await rejection(APIError, Promise.resolve(call(gateway)));
        expect(error.status).toBe(status);
        expect(error.message).toContain('redirects are not followed');
        expect(requests.map((line) => line.slice(0, 9))).toEqual([
          'first /' + String(status).slice(0, 2),
        ]);
      }
    });
  },
);

test('an opaque redirect in a browser is reported as a redirect', async () => {
  const hidden = Object.defineProperties(new Response(null), {
    status: { value: 0 },
    ok: { value: false },
    type: { value: 'opaqueredirect' },
  });
  const { fetch, sent } = scripted(() => hidden);
  const error = await rejection(APIError, clientOf(fetch).images.submit(image));
  expect(error.message).toContain('redirects are not followed');
  expect(sent).toHaveLength(1);
});
