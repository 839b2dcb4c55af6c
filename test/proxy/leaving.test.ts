import { setImmediate } from 'node:timers/promises';

import { expect, test } from 'vitest';

import { createProxyHandler } from '../../src/proxy/index.ts';

test('a page that leaves while the gateway is silent is no failure to report', async () => {
  const reported: unknown[] = [];
  const handler = createProxyHandler({
    apiKey: 'sk-of-the-server',
    baseURL: 'https://gateway.example',
    authorize: () => 'ann',
    onError: (error) => reported.push(error),
    fetch: (_, init) =>
      new Promise((_resolve, reject) => {
        const { signal } = init ?? {};
        signal?.addEventListener('abort', () => reject(signal.reason));
      }),
  });
  const page = new AbortController();
  const url = 'https://app.example/api/gateway/v1/models';
  const answer = handler(new Request(url, { signal: page.signal }));
  await setImmediate();
  page.abort();
  await answer;
  expect(reported).toEqual([]);
});
