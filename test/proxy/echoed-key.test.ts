import { createProxyHandler } from 'polygate/proxy';
import { expect, test } from 'vitest';

import { canary } from './support.ts';

test.each([
  ['a success', 200, { object: 'list', data: [] }],
  ['an error', 400, { error: { message: 'No' } }],
])('a page does not see the key that the gateway repeats in the headers of %s', async (...row) => {
  const [, status, body] = row;
  const seen: unknown[] = [];
  const handler = createProxyHandler({
    baseURL: 'https://gateway.example',
    apiKey: canary,
    authorize: () => 'ann',
    onResponse: (call) => void seen.push(call),
    fetch: async () =>
      Response.json(body, {
        status,
        headers: { 'x-request-id': `req ${canary}`, 'x-svc-task-id': canary.toUpperCase() },
      }),
  });
  const response = await handler(new Request('https://app.example/api/gateway/v1/models'));
  expect(response.status).toBe(status);
  const shown = JSON.stringify([[...response.headers], seen]).toLowerCase();
  expect(shown).toContain('(the api key)');
  expect(shown).not.toContain(canary);
});
