import { setImmediate } from 'node:timers/promises';

import { expect, test } from 'vitest';

import { createProxyHandler } from '../../src/proxy/index.ts';

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
