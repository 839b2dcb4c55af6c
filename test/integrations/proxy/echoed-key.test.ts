import { createProxyHandler } from 'polygate/proxy';
import { describe, expect, test } from 'vitest';

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

describe('a key in the body of a success', () => {
  const before = `{"id":"t","status":"failed","error":{"message":"Ω ${canary.slice(0, 5)}, then `;
  const bytes = new TextEncoder().encode(`${before}${canary}${canary} s"}}`);
  const clean = `${before}(the API key)(the API key) s"}}`;

  /** What a page receives of a body that arrives in chunks of this size. */
  async function received(
    size: number,
    type: string,
    body = bytes,
    apiKey = canary,
  ): Promise<Uint8Array> {
    let at = 0;
    const chunks = new ReadableStream<Uint8Array>({
      pull(controller) {
        controller.enqueue(body.slice(at, (at += size)));
        if (at >= body.length) controller.close();
      },
    });
    const handler = createProxyHandler({
      baseURL: 'https://gateway.example',
      apiKey,
      authorize: () => 'ann',
      fetch: async () => new Response(chunks, { headers: { 'content-type': type } }),
    });
    const url = 'https://app.example/api/gateway/v1/images/tasks/t';
    return (await handler(new Request(url))).bytes();
  }

  test.each([1, 2, 3, 7, 14, 40, 1_000])(
    'does not reach a page, in chunks of %i bytes',
    async (size) => {
      for (const type of ['application/json', 'text/event-stream']) {
        expect(new TextDecoder().decode(await received(size, type))).toBe(clean);
      }
    },
  );

  test.each([1, 2, 7, 1_000])(
    'does not reach a page as JSON writers escape it, in chunks of %i bytes',
    async (size) => {
      const key = 'sk-Canary/51c7+a==';
      const forms = [
        key,
        String.raw`sk-Canary\/51c7+a==`,
        String.raw`sk-Canary/51c7\u002ba\u003d\u003d`,
        String.raw`sk-Canary\/51c7\u002Ba\u003D\u003D`,
        String.raw`sk-Canary/51c7\u002ba==`,
        String.raw`sk-Canary\u002f51c7\u002ba\u003d\u003d`,
      ];
      const body = new TextEncoder().encode(forms.map((form) => `"a ${form} b"`).join());
      const page = new TextDecoder().decode(await received(size, 'application/json', body, key));
      expect(page).toBe(forms.map(() => '"a (the API key) b"').join());
      const rest = String.raw`"${key.slice(0, 10)}\/51c7", "sk-Canary\u002`;
      const other = new TextEncoder().encode(rest);
      expect(await received(size, 'application/json', other, key)).toEqual(other);
    },
  );

  test('leaves other bytes as they are, up to the last one', async () => {
    const all = Uint8Array.from({ length: 1_024 }, (_, index) => index);
    const cutOff = new TextEncoder().encode(`{"a":"${canary.slice(0, -1)}`);
    for (const body of [all, cutOff]) {
      for (const size of [1, 3, 2_000])
        expect(await received(size, 'text/plain', body)).toEqual(body);
    }
    expect(await received(3, 'video/mp4')).toEqual(bytes);
  });
});
