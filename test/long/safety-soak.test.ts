import { getEventListeners } from 'node:events';

import { expect, test } from 'vitest';

import { Polygate, PolygateError } from '../../src/index.ts';
import { createMockGateway } from '../../src/mock/index.ts';
import type { Fault } from '../../src/mock/index.ts';
import { WatchedClock } from '../client/support.ts';
import { heapInUse } from '../support/safety/memory.ts';

const hour = 3_600_000;
const limit = 3;
const image = { model: 'prism-image', prompt: 'A harbor' };
const video = { model: 'tide-video', prompt: 'Waves', duration: 5 };
const music = { model: 'anthem-music', prompt: 'A shanty', is_instrumental: true };
const chat = { model: 'aurora-chat', messages: [{ role: 'user' as const, content: 'Hello' }] };

/** One request in a hundred fails with one of these. */
const faults: readonly Fault[] = [
  { reset: 'before' },
  { reset: 'after' },
  { unreachable: true },
  { status: 503 },
  { status: 500, handled: true },
  { truncateBody: 30 },
  { stallHeaders: true },
  { cutStreamAfter: 3 },
];

/** A gateway with faults, its client, and the ids of the requests whose charge the client received. */
function createGateway() {
  const mock = createMockGateway({
    clock: 'virtual',
    concurrencyLimit: limit,
    latencyMs: 100,
    history: 200,
    wallet: { usd: 1e6 },
  });
  for (const fault of faults) mock.fail({ ...fault, probability: 0.01 / faults.length });
  const clock = new WatchedClock(mock.clock);
  const charged = new Set<string>();
  const fetch: typeof mock.fetch = async (input, init) => {
    const response = await mock.fetch(input, init);
    const { headers } = response;
    if (headers.has('x-svc-charge-usd')) charged.add(headers.get('x-request-id') ?? '');
    return response;
  };
  const { apiKey, baseURL } = mock;
  const gateway = new Polygate({ apiKey, baseURL, fetch, clock, logLevel: 'off' });
  return { mock, clock, charged, gateway };
}

test('over a day with faults, the limit is respected, the ledger equals the invoice, and memory stays flat', async () => {
  const { mock, clock, charged, gateway } = createGateway();
  const { signal } = new AbortController();
  const jobs = [
    () => gateway.images.generate(image, { signal }),
    () => gateway.videos.generate(video, { signal }),
    () => gateway.audio.music.generate(music, { signal }),
    () => gateway.chat.completions.create(chat, { signal }),
    () => gateway.chat.completions.stream(chat, { signal }).final(),
    () => gateway.images.submit(image, { signal }),
  ];
  const heap: number[] = [];
  let paid = 0;
  let lost = 0;
  let limited = 0;
  let failed = 0;
  const startedAt = clock.now();
  for (let round = 1; clock.now() - startedAt < 24 * hour; round += 1) {
    const ended = await clock.settle(Promise.allSettled(jobs.map((job) => job())));
    for (const result of ended) {
      if (result.status === 'fulfilled') continue;
      failed += 1;
      expect(result.reason).toBeInstanceOf(PolygateError);
      // A submit recovers by its key. Only chat requests, which have none, may fail.
      const { idempotencyKey } = result.reason as PolygateError;
      expect(idempotencyKey).toBeUndefined();
    }
    for (const { usd, requestId, idempotencyKey } of mock.invoice) {
      paid += usd;
      if (idempotencyKey === undefined && !charged.has(requestId)) lost += usd;
    }
    limited += mock.requests.filter(({ status }) => status === 429).length;
    expect(mock.peakInFlight).toBeLessThanOrEqual(limit);
    expect(getEventListeners(signal, 'abort')).toHaveLength(0);
    expect(gateway.concurrency).toMatchObject({ inFlight: 0, queued: 0 });
    mock.clearRecords();
    charged.clear();
    await clock.advance(40_000);
    expect(clock.pending).toBe(0);
    clock.sleeps.length = 0;
    if (Math.floor((clock.now() - startedAt) / (6 * hour)) > heap.length) heap.push(heapInUse());
  }
  expect(gateway.spend.totalUsd).toBeCloseTo(paid - lost, 4);
  expect(lost).toBeGreaterThan(0);
  expect(paid).toBeGreaterThan(100);
  expect(mock.wallet.spentUsd).toBeCloseTo(paid, 4);
  // At most one request too many was sent before the limit was known.
  expect(limited).toBeLessThanOrEqual(1);
  expect(failed).toBeGreaterThan(0);
  expect(heap).toHaveLength(4);
  const [early = 0, , , late = 0] = heap;
  // The ledger's recent keys take 1 to 2 MB. Leaking the headers of every response would take 20 MB.
  expect((late - early) / 1e6).toBeLessThan(6);
});
