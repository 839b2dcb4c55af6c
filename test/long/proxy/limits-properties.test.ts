import * as fc from 'fast-check';
import { createMockGateway } from 'polygate/mock';
import { createProxyHandler, memoryStore } from 'polygate/proxy';
import type { ProxyResponse } from 'polygate/proxy';
import { expect, test } from 'vitest';

const faults = {
  none: {},
  'lost before': { reset: 'before' },
  'lost after': { reset: 'after' },
  unreachable: { unreachable: true },
  'handled 500': { status: 500, handled: true },
  'rejected 400': { status: 400 },
  'rejected 429': { status: 429 },
  'no charge': { headers: { 'x-svc-charge-usd': null } },
} as const;

const step = fc.record({
  user: fc.constantFrom('ann', 'bob'),
  kind: fc.constantFrom('image', 'images', 'chat', 'voice'),
  key: fc.constantFrom('k1', 'k2', 'k3', undefined),
  fault: fc.constantFrom(...Object.values(faults)),
  /** Whether the page leaves at once. */
  leaves: fc.boolean(),
  /** Whether the process is a new one. */
  restarts: fc.boolean(),
});

const bodies = {
  image: ['/v1/images/tasks', { model: 'prism-image', prompt: 'A harbor' }],
  images: ['/v1/images/tasks', { model: 'prism-image', prompt: 'A harbor', n: 3 }],
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
      // Faults are chosen by the request that they are for.
      const create = () =>
        createProxyHandler({
          apiKey: mock.apiKey,
          baseURL: mock.baseURL,
          authorize: ({ headers }) => headers.get('x-user'),
          limits: { usd, window: '30d', chatUsd: 0.01 },
          store,
          fetch: mock.fetch,
          onResponse: (response) => void outcomes.push(response),
        });
      let handler = create();
      for (const batch of batches) {
        for (const { restarts } of batch) if (restarts) handler = create();
        const removals = batch.map(({ kind, fault }) =>
          Object.keys(fault).length === 0
            ? undefined
            : mock.fail({ route: `POST ${bodies[kind][0]}`, times: 1, ...fault }),
        );
        await Promise.all(
          batch.map(async ({ user, kind, key, leaves }) => {
            const [path, body] = bodies[kind];
            const leaving = new AbortController();
            const response = handler(
              new Request(`https://app.example${path}`, {
                method: 'POST',
                headers: {
                  'x-user': user,
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
        for (const fault of removals) fault?.remove();
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
