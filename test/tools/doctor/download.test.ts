/** Downloads from a gateway on this machine. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

import { Polygate } from 'polygate';
import { diagnose } from 'polygate/doctor';
import { createMockGateway } from 'polygate/mock';
import { listen } from 'polygate/mock/node';
import { expect, onTestFinished, test } from 'vitest';

import { addressOf, checkDiagnosis, findingOf, idsWith } from './diagnosed-mock.ts';

test('a gateway on this machine is diagnosed, with the download from its own origin', async () => {
  const mock = createMockGateway({ tasks: { durationMs: 50 } });
  const server = await listen(mock);
  onTestFinished(() => server.close());
  const gateway = new Polygate({ apiKey: mock.apiKey, baseURL: server.baseURL });
  const diagnosis = await diagnose({ gateway, maxSpendUsd: 0.1 });
  checkDiagnosis(diagnosis, mock.apiKey);
  expect(idsWith(diagnosis, 'failed')).toEqual([]);
  expect(findingOf(diagnosis, 'download').detail).toMatch(/^The image has \d+ bytes of image\/png/);
});

test('a download on this machine does not leave the origin of the gateway', async () => {
  let strayRequests = 0;
  const other = createServer((_, response) => {
    strayRequests += 1;
    response.end('secret');
  });
  await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void other.close());
  const elsewhere = `http://127.0.0.1:${(other.address() as AddressInfo).port}/secret`;
  const mock = createMockGateway({ tasks: { durationMs: 50 } });
  mock.fail({ route: 'GET /media/{task}/{file}', status: 302, headers: { location: elsewhere } });
  const server = await listen(mock);
  onTestFinished(() => server.close());
  const gateway = new Polygate({ apiKey: mock.apiKey, baseURL: server.baseURL });
  const diagnosis = await diagnose({ gateway, maxSpendUsd: 0.1 });
  expect(findingOf(diagnosis, 'download')).toMatchObject({
    status: 'failed',
    detail: expect.stringContaining('redirects away from the gateway'),
  });
  expect(strayRequests).toBe(0);
});

test('a gateway on this machine may store its results elsewhere', async () => {
  const mock = createMockGateway({ tasks: { durationMs: 50 } });
  const elsewhere = 'https://files.example';
  const gateway = new Polygate({
    apiKey: mock.apiKey,
    baseURL: 'http://127.0.0.1:1',
    fetch: async (input, init) => {
      const url = addressOf(input);
      if (url.startsWith(elsewhere)) {
        return new Response('image', { headers: { 'content-type': 'image/png' } });
      }
      const response = await mock.fetch(url.replace('http://127.0.0.1:1', mock.baseURL), init);
      if (!url.includes('/images/')) return response;
      const text = await response.text();
      const body = text.replaceAll(`${mock.baseURL}/media`, `${elsewhere}/media`);
      return new Response(body, { status: response.status, headers: response.headers });
    },
  });
  const diagnosis = await diagnose({ gateway, maxSpendUsd: 0.1 });
  expect(findingOf(diagnosis, 'download').detail).toBe(
    'The image has 5 bytes of image/png. Its server reports no size, so a download that is cut off can look complete.',
  );
});
