import { createMockGateway } from 'polygate/mock';
import type { MockGateway } from 'polygate/mock';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';

import { guides, snippetsOf } from '../../docs/guides.ts';

const snippets = guides.filter(({ path }) => path === 'docs/ai-sdk.md').flatMap(snippetsOf);

/** Imports a route of the guide as Next.js would, with its service in the environment. */
async function route(heading: string): Promise<(request: Request) => Promise<Response>> {
  const snippet = snippets.find(({ title }) => title === `docs/ai-sdk.md: ${heading}`);
  vi.resetModules();
  const { POST } = await import(snippet?.file ?? 'missing');
  return POST;
}

const post = (body: unknown) =>
  new Request('https://app.example/api', { method: 'POST', body: JSON.stringify(body) });

let mock: MockGateway;

beforeEach(() => {
  mock = createMockGateway({ tasks: { durationMs: 0 } });
  vi.stubEnv('POLYGATE_API_KEY', mock.apiKey);
  vi.stubEnv('POLYGATE_BASE_URL', mock.baseURL);
  vi.stubGlobal('fetch', mock.fetch);
  vi.spyOn(console, 'error').mockReturnValue();
});

afterEach(() => {
  vi.unstubAllEnvs();
  vi.unstubAllGlobals();
  vi.restoreAllMocks();
});

const hello = { messages: [{ id: '1', role: 'user', parts: [{ type: 'text', text: 'Hello' }] }] };

test('the chat route streams a message to the page', async () => {
  const POST = await route('A chat in Next.js');
  const response = await POST(post(hello));
  const text = await response.text();
  expect(response.headers.get('content-type')).toBe('text/event-stream');
  expect(text).toMatch(/"type":"text-delta"[^]*"finishReason":"stop"/);
  expect(text).toMatch(/data: \[DONE\]\s*$/);
});

test('the chat route reports a truncated stream and an empty balance to the page', async () => {
  const POST = await route('A chat in Next.js');
  mock.fail({ route: 'POST /v1/chat/completions', cutStreamAfter: 3, times: 1 });
  const cut = await (await POST(post(hello))).text();
  expect(cut).toContain('{"type":"error","errorText":"The reply is incomplete."}');
  expect(cut).not.toContain('"finishReason":"stop"');
  mock.fail({ status: 402, code: 'insufficient_balance', times: 1 });
  expect(await (await POST(post(hello))).text()).toContain('The service is unavailable.');
  expect(mock.invoice).toHaveLength(1);
});

test('the image route returns the same image for the same key, which is charged once', async () => {
  const POST = await route('An image route that is charged once');
  const generate = async (key: string) => POST(post({ prompt: 'A harbor', key }));
  const [first, second] = [await generate('k-1'), await generate('k-1')];
  expect(first.headers.get('content-type')).toMatch(/^image\//);
  expect(await second.text()).toBe(await first.text());
  expect(mock.invoice).toMatchObject([{ idempotencyKey: 'ann-k-1' }]);
  await generate('k-2');
  expect(mock.invoice).toHaveLength(2);
});

test('the image route reports whether the page may repeat its request', async () => {
  const POST = await route('An image route that is charged once');
  mock.fail({ route: 'POST /v1/images/tasks', status: 403, times: 1 });
  const rejected = await POST(post({ prompt: 'A harbor', key: 'k-1' }));
  expect([rejected.status, await rejected.json()]).toEqual([502, { canRetry: false }]);
});
