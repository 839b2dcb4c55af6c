import * as fc from 'fast-check';
import { createMockGateway } from 'polygate/mock';
import { createProxyHandler, memoryStore } from 'polygate/proxy';
import type { ProxyResponse } from 'polygate/proxy';
import { expect, test } from 'vitest';

type Send = () => Promise<Response>;

/** What happens to a request, instead of a response or in addition to it. */
const faults: Readonly<Record<string, (send: Send) => Promise<Response>>> = {
  none: (send) => send(),
  lostBefore: async () => {
    throw new Error('socket hang up');
  },
  lostAfter: async (send) => {
    await send();
    throw new Error('socket hang up');
  },
  unreachable: async () => {
    throw Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' });
  },
  failed: async (send) => {
    await send();
    return new Response(null, { status: 500 });
  },
  unauthorized: async () => new Response(null, { status: 401 }),
  busy: async () => new Response(null, { status: 429 }),
  withoutCharge: async (send) => {
    const { body, status, headers } = await send();
    headers.delete('x-svc-charge-usd');
    return new Response(body, { status, headers });
  },
};

const step = fc.record({
  user: fc.constantFrom('ann', 'bob'),
  kind: fc.constantFrom('image', 'images', 'invalid', 'chat', 'voice'),
  key: fc.constantFrom('k1', 'k2', 'k3', undefined),
  fault: fc.constantFrom(...Object.keys(faults)),
  /** Whether the page leaves at once. */
  leaves: fc.boolean(),
  /** Whether the process is a new one. */
  restarts: fc.boolean(),
});

const bodies = {
  image: ['/v1/images/tasks', { model: 'prism-image', prompt: 'A harbor' }],
  images: ['/v1/images/tasks', { model: 'prism-image', prompt: 'A harbor', n: 3 }],
  // The service rejects it with a 400.
  invalid: [
    '/v1/images/tasks',
    { model: 'prism-image', prompt: 'A harbor', task_type: 'image2image' },
  ],
  chat: [
    '/v1/chat/completions',
    { model: 'aurora-chat', messages: [{ role: 'user', content: 'Hello' }] },
  ],
  voice: ['/v1/audio/voices/clone', { audio_url: 'https://files.example/a.mp3', text: 'Hi' }],
} as const;

test('charges never exceed a limit, and what is reserved at rest is explained by unknown outcomes', async () => {
  const run = fc.asyncProperty(
    fc.array(fc.array(step, { minLength: 1, maxLength: 8 }), { minLength: 1, maxLength: 8 }),
    fc.double({ min: 0.01, max: 4, noNaN: true }),
    async (batches, usd) => {
      const mock = createMockGateway({ concurrencyLimit: 100 });
      const store = memoryStore();
      const outcomes: ProxyResponse[] = [];
      const create = () =>
        createProxyHandler({
          apiKey: mock.apiKey,
          baseURL: mock.baseURL,
          authorize: ({ headers }) => headers.get('x-user'),
          limits: { usd, window: '30d', chatUsd: 0.01 },
          store,
          fetch: (input, init) => {
            const send = () => mock.fetch(input instanceof URL ? input.href : input, init);
            // The proxy forwards the request id.
            const name = new Headers(init?.headers).get('x-request-id') ?? 'none';
            return (faults[name.split(' ')[0] ?? ''] ?? faults['none'])!(send);
          },
          onResponse: (response) => void outcomes.push(response),
        });
      let handler = create();
      for (const batch of batches) {
        for (const { restarts } of batch) if (restarts) handler = create();
        await Promise.all(
          batch.map(async ({ user, kind, key, fault, leaves }) => {
            const [path, body] = bodies[kind];
            const leaving = new AbortController();
            const response = handler(
              new Request(`https://app.example${path}`, {
                method: 'POST',
                headers: {
                  'x-user': user,
                  'x-request-id': `${fault} ${crypto.randomUUID()}`,
                  'content-type': 'application/json',
                  origin: 'https://app.example',
                  ...(key && { 'x-idempotency-key': key }),
                },
                body: JSON.stringify({ ...body, user }),
                signal: leaving.signal,
              }),
            );
            if (leaves) setImmediate(() => leaving.abort());
            await (await response).text().catch(() => '');
          }),
        );
      }

      const owners = new Map(
        mock.requests.map(({ requestId, body }) => [requestId, (body as { user?: string })?.user]),
      );
      for (const user of ['ann', 'bob']) {
        const lines = mock.invoice.filter(({ requestId }) => owners.get(requestId) === user);
        const charged = lines.reduce((sum, line) => sum + line.usd, 0);
        expect(charged).toBeLessThanOrEqual(usd + 1e-9);
        const usage = await handler.usage(user);
        expect(usage.inFlight).toBe(0);
        expect(usage.usd + usage.reservedUsd).toBeGreaterThanOrEqual(charged - 1e-9);
        const own = outcomes.filter((response) => response.user === user);
        const unknown = own.filter(({ outcome }) => outcome === 'unknown');
        const explained = unknown.reduce((sum, { reservedUsd = 0 }) => sum + reservedUsd, 0);
        expect(usage.reservedUsd).toBeLessThanOrEqual(explained + 1e-9);
      }
    },
  );
  await fc.assert(run, { numRuns: 1_000 });
});
