import { inspect } from 'node:util';

import { createProxyHandler } from 'polygate/proxy';
import { afterEach, describe, expect, test, vi } from 'vitest';

import { canary, mount, startProxy } from './support.ts';

const logLevels = ['log', 'warn', 'error', 'info', 'debug'] as const;
const image = { model: 'prism-image', prompt: 'A harbor' };
const chat = { model: 'aurora-chat', messages: [{ role: 'user' as const, content: 'Hello' }] };

afterEach(() => {
  vi.restoreAllMocks();
});

/** Everything that can be printed from a value. */
const printed = (value: unknown) =>
  inspect(value, { showHidden: true, depth: 12, getters: true }) +
  JSON.stringify(value) +
  (value instanceof Error ? value.stack : String(value));

test('the handler does not expose its options', () => {
  const handler = createProxyHandler({
    apiKey: canary,
    baseURL: 'https://host.example',
    authorize: () => 'ann',
  });
  expect(printed(handler)).not.toContain(canary);
  expect(Object.getOwnPropertyNames(handler)).toEqual(['length', 'name', 'usage']);
});

describe('the API key never reaches a page or a log', () => {
  test('whatever the gateway responds and however it fails', async () => {
    const logs = logLevels.map((level) => vi.spyOn(console, level).mockImplementation(() => {}));
    const { mock, page, reports } = await startProxy();
    const outputs: string[] = [];
    const gateway = page({
      maxRetries: 0,
      maxQueueTime: 0,
      fetch: async (input, init) => {
        const response = await fetch(input, init);
        outputs.push(printed([...response.headers]), await response.clone().text());
        return response;
      },
    });
    const operations = [
      () => gateway.models.list(),
      () => gateway.chat.completions.create(chat),
      () => gateway.chat.completions.stream(chat).final(),
      () => gateway.images.generate(image, { pollInterval: 1, maxPollInterval: 1 }),
      () => gateway.account.retrieve(),
    ];
    const faults = [
      undefined,
      ...[401, 403, 429, 500, 502].map((status) => ({ status, times: 9 })),
      { reset: 'before' as const, times: 9 },
    ];
    for (const fault of faults) {
      mock.clearFaults();
      for (const route of [
        'GET /v1/models',
        'POST /v1/chat/completions',
        'POST /v1/images/tasks',
      ]) {
        if (fault !== undefined) mock.fail({ route, ...fault });
      }
      for (const operation of operations) {
        const outcome = await Promise.resolve(operation()).catch((error: unknown) => error);
        outputs.push(printed(outcome));
      }
    }
    expect(outputs.length).toBeGreaterThan(70);
    expect(reports).not.toEqual([]);
    const all = [...outputs, ...reports.map((report) => printed(report))].join('\n');
    expect(all).not.toContain(canary);
    expect(all).not.toContain('balance-usd');
    expect(logs.flatMap(({ mock: { calls } }) => calls)).toEqual([]);
  });

  const respondingWith = (status: number, body: string) => async () =>
    new Response(body, { status, headers: { 'content-type': 'text/html' } });
  test.each<[string, typeof fetch, number, string, string?]>([
    [
      'an error that quotes the key',
      respondingWith(
        401,
        JSON.stringify({ error: { message: `Bad key ${canary}`, code: canary } }),
      ),
      401,
      'Bad key sk-…',
    ],
    [
      'an error that quotes part of the key',
      respondingWith(401, '{"error":{"message":"Bad key sk-can****51c7. Sorry","type":"x"}}'),
      401,
      'Bad key sk-… Sorry',
    ],
    [
      'an HTML page that contains the key',
      respondingWith(502, `<h1>nginx</h1>${canary}`),
      502,
      '502',
    ],
    [
      'an error in another envelope',
      respondingWith(403, `{"detail":"${canary} is off"}`),
      403,
      'sk-… is off',
    ],
    [
      'a list of errors',
      respondingWith(403, `{"errors":[{"message":"${canary} is off"}]}`),
      403,
      'sk-… is off',
    ],
    [
      'an error_message with an escaped key',
      respondingWith(403, `{"error_message":"${canary.replace('s', String.raw`\u0073`)} is off"}`),
      403,
      'sk-… is off',
    ],
    [
      'the error of a list of one',
      respondingWith(503, `[{"error":{"message":"${canary} is off"}}]`),
      503,
      'sk-… is off',
    ],
    ['a text body', respondingWith(500, canary), 500, '500'],
    ['an empty body', respondingWith(500, ''), 500, '500'],
    [
      'an error body that is truncated',
      async () => {
        const pull = (controller: ReadableStreamDefaultController) => controller.error(canary);
        return new Response(new ReadableStream({ pull }), { status: 402 });
      },
      402,
      '402',
    ],
    ['a very large error body', respondingWith(500, 'x'.repeat(1_000_000)), 500, '500'],
    [
      'an error of fetch that references the request',
      async (_, init) => {
        throw Object.assign(new TypeError(`sent ${canary}`, { cause: init }), { init });
      },
      502,
      'lost',
    ],
    [
      'an error that quotes a key without the usual prefix',
      respondingWith(401, '{"error":{"message":"Bad key plain-canary"}}'),
      401,
      'Bad key sk-…',
      'plain-canary',
    ],
  ])('%s', async (_, fetch, status, message, apiKey = canary) => {
    const { handler, reports } = await startProxy({ fetch, apiKey });
    const headers = { 'x-user': 'ann' };
    const response = await handler(
      new Request(`http://app.example${mount}/v1/models`, { headers }),
    );
    const body = await response.text();
    expect(response.status).toBe(status);
    expect(response.headers.get('content-type')).toBe('application/json');
    expect(JSON.parse(body).error.message).toContain(message);
    expect(body.length).toBeLessThan(300);
    expect(printed(reports) + body + printed(response)).not.toContain(apiKey);
  });
});
