/** Attempts of a row that are charged each. What a batch counts is compared with the invoice of the service. */
import { describe, expect, test } from 'vitest';

import { collect } from '../../support/rejection.ts';
import { everyOther, invoiceOf, run, start, sumOf } from './charging-service.ts';
import { lockedJournal } from './support.ts';

describe.each([
  ['image', 0.02],
  ['chat', 0.000022],
] as const)('a batch at a service that ignores keys: %s', (kind, priceUsd) => {
  const maxUsd = sumOf([5 * priceUsd]);

  test.each([1, 2, 20])(
    'counts each charge and keeps its limit, with up to %i rows in flight',
    async (maxInFlight) => {
      const service = start({ fails: everyOther, ignoresKeys: true });
      const journal = lockedJournal();
      const said = await run(service, kind, 20, { journal, maxUsd, maxInFlight });
      const invoice = invoiceOf(service.mock);
      expect(invoice).toBeGreaterThan(3 * priceUsd);
      expect(invoice).toBeLessThanOrEqual(maxUsd);
      expect(said.usd).toBe(invoice);
      // A later run of the journal counts the same.
      const later = await run(service, kind, 0, { journal, maxUsd });
      expect(later).toMatchObject({ usd: said.usd, estimatedUsd: said.estimatedUsd });
    },
  );

  test('counts an attempt that was charged although the next ones were lost', async () => {
    const lost = () => {
      throw new TypeError('fetch failed');
    };
    const onRequest = (request: number) => (request > 0 ? lost() : undefined);
    const service = start({ fails: everyOther, ignoresKeys: true, onRequest });
    const said = await run(service, kind, 1, { maxUsd });
    expect(said).toMatchObject({ statuses: ['unknown'], usd: priceUsd, estimatedUsd: priceUsd });
    expect(said.messages).toEqual([
      expect.stringContaining(`The service reported a charge of ${priceUsd} USD`),
    ]);
  });

  test('names all charges of a row that failed, and does not promise that its key protects it', async () => {
    const service = start({ fails: () => true, ignoresKeys: true }, { maxRetries: 2 });
    const said = await run(service, kind, 1, { maxUsd });
    const totalUsd = sumOf([3 * priceUsd]);
    expect([said.usd, invoiceOf(service.mock)]).toEqual([totalUsd, totalUsd]);
    const [message] = said.messages;
    expect(message).toContain(
      `The service reported charges of ${totalUsd} USD; sending it again may charge you again.`,
    );
    expect(message).not.toContain('idempotencyKey');
  });
});

describe('a batch at a service that replays keys', () => {
  test.each([
    ['image', undefined],
    ['image', '0'],
    ['image', ''],
    ['chat', undefined],
    ['chat', '0'],
  ] as const)('counts a charge and its replay once: %s, %j', async (kind, replayUsd) => {
    const service = start({ fails: everyOther, replayUsd });
    const options = { journal: lockedJournal(), maxUsd: 1, maxInFlight: 1 };
    const said = await run(service, kind, 3, options);
    expect(said.statuses).toEqual(['succeeded', 'succeeded', 'succeeded']);
    expect(service.sent()).toBe(6);
    expect(service.mock.invoice).toHaveLength(3);
    expect(said).toMatchObject({ usd: invoiceOf(service.mock), estimatedUsd: undefined });
  });

  test('counts a replay once if the first response was lost', async () => {
    const service = start({ fails: (request) => request === 1 });
    service.mock.fail({ route: 'POST /v1/images/tasks', reset: 'after', times: 1 });
    const said = await run(service, 'image', 1, { maxUsd: 1 });
    expect(service.sent()).toBe(3);
    expect(said).toMatchObject({ statuses: ['succeeded'], usd: 0.02, estimatedUsd: undefined });
  });

  test('counts a charge once if the first response comes after its replay', async () => {
    let release = (): void => undefined;
    const isReplayed = new Promise<void>((resolve) => {
      release = resolve;
    });
    const onResponse = async (request: number) => (request > 0 ? release() : isReplayed);
    const service = start({ fails: () => false, onResponse }, { timeout: 1_000 });
    const said = await run(service, 'image', 3, { maxUsd: 1, maxInFlight: 1 });
    expect(said.statuses).toEqual(['succeeded', 'succeeded', 'succeeded']);
    expect(service.sent()).toBe(4);
    expect([said.saidUsd, invoiceOf(service.mock)]).toEqual([0.06, 0.06]);
  });

  test('continues a row in the next run if its limit does not cover another charge', async () => {
    const service = start({ fails: everyOther });
    const options = { journal: lockedJournal(), maxUsd: 0.02 };
    const first = await run(service, 'image', 1, options);
    expect(first).toMatchObject({ statuses: ['unknown'], usd: 0.02, estimatedUsd: undefined });
    const next = await run(service, 'image', 1, options);
    expect(next).toMatchObject({ statuses: ['succeeded'], usd: 0.02, estimatedUsd: undefined });
    expect(service.sent()).toBe(2);
    expect(service.mock.invoice).toHaveLength(1);
  });
});

test('a rejection for lack of a slot that was charged counts as a retry', async () => {
  const service = start({ fails: () => false }, { maxRetries: 2 });
  service.mock.fail({
    route: 'POST /v1/images/tasks',
    status: 429,
    code: 'concurrency_limit_exceeded',
    headers: { 'x-svc-charge-usd': '0.02' },
  });
  const said = await run(service, 'image', 1, {});
  expect(said).toMatchObject({ statuses: ['unknown'], usd: 0.06 });
  expect(service.sent()).toBe(3);
});

test('a batch checks its limit again right before it repeats an attempt that was charged', async () => {
  // The other row costs more than its price, while the first one waits for a slot for its retry.
  const onResponse = async (request: number) =>
    request === 1 ? service.mock.clock.sleep(10_000) : undefined;
  const fails = (request: number) => request === 0;
  const service = start({ fails, ignoresKeys: true, onResponse }, { concurrency: 1 });
  const body = { id: 'prism-sketch', type: 'image', pricing: { unitPriceUsd: 0.001 } };
  service.mock.fail({ route: 'GET /v1/models/prism-sketch', body });
  const gateway = service.create();
  const submit = (model: string) => gateway.images.submission({ model, prompt: 'A harbor' });
  const rows = gateway.batch(['prism-image', 'prism-sketch'], submit, { maxUsd: 0.041 });
  const ended = await service.mock.clock.settle(collect(rows));
  const [first, second] = ended.toSorted((one, other) => Number(one.id) - Number(other.id));
  expect(second?.status).toBe('succeeded');
  expect(first).toMatchObject({
    status: 'unknown',
    error: { outcome: 'unknown', spentUsd: 0.025 },
  });
  expect(first?.error?.message).toContain('This row was charged, and was not sent again.');
  expect(invoiceOf(service.mock)).toBe(0.025);
});

describe('a row that was charged and then rejected reserves nothing more', () => {
  const rejectAt = (request: number): ReturnType<typeof start> => {
    const service = start(
      { fails: (each) => each < request, ignoresKeys: true },
      { maxRetries: 1 },
    );
    const route = 'POST /v1/images/tasks';
    service.mock.fail({ route, status: 404, code: 'model_not_found', attempt: [request + 1] });
    return service;
  };

  test('in the same run', async () => {
    const service = rejectAt(1);
    const said = await run(service, 'image', 2, { maxUsd: 0.05, maxInFlight: 1 });
    expect(said).toMatchObject({ statuses: ['unknown', 'succeeded'], estimatedUsd: undefined });
    expect([said.usd, invoiceOf(service.mock)]).toEqual([0.04, 0.04]);
  });

  test('in a later run, at a service that has charged its key twice', async () => {
    const service = rejectAt(2);
    const journal = lockedJournal();
    await run(service, 'image', 1, { journal, maxUsd: 1 });
    expect(invoiceOf(service.mock)).toBe(0.04);
    const next = await run(service, 'image', 1, { journal, maxUsd: 0.06 });
    expect(next).toMatchObject({ statuses: ['unknown'], usd: 0.04, estimatedUsd: undefined });
    expect(service.sent()).toBe(3);
    const later = await run(service, 'image', 0, { journal, maxUsd: 0.06 });
    expect(later).toMatchObject({ usd: 0.04, estimatedUsd: undefined });
  });
});

test('what may have been charged after a charge stays reserved', async () => {
  // Charged, lost, rejected.
  const service = start({ fails: (request) => request === 0, ignoresKeys: true }, {});
  const route = 'POST /v1/images/tasks';
  service.mock.fail({ route, reset: 'after', attempt: [2] });
  service.mock.fail({ route, status: 404, code: 'model_not_found', attempt: [3] });
  const journal = lockedJournal();
  const said = await run(service, 'image', 1, { journal, maxUsd: 1 });
  expect(invoiceOf(service.mock)).toBe(0.04);
  expect(said).toMatchObject({ statuses: ['unknown'], usd: 0.02, estimatedUsd: 0.02 });
  // Also when another run is rejected.
  service.mock.fail({ route, status: 404, code: 'model_not_found', times: 1 });
  const next = await run(service, 'image', 1, { journal, maxUsd: 1 });
  expect(next).toMatchObject({ statuses: ['unknown'], usd: 0.02, estimatedUsd: 0.02 });
});

describe('a success that reports no charge, under a key that was charged in an earlier run', () => {
  test.each([
    ['costs as much, because the key may have been charged again', { ignoresKeys: true }, 0.04],
    ['costs nothing if it is a replay', {}, 0.02],
  ])('%s', async (_, settings, usedUsd) => {
    const service = start(
      { ...settings, fails: (request) => request === 0, isSilent: (request) => request > 0 },
      { maxRetries: 0 },
    );
    const journal = lockedJournal();
    await run(service, 'image', 1, { journal, maxUsd: 0.02 });
    const said = await run(service, 'image', 1, { journal, maxUsd: 0.02 });
    expect(said.statuses).toEqual(['succeeded']);
    expect([said.saidUsd, invoiceOf(service.mock)]).toEqual([usedUsd, usedUsd]);
    const later = await run(service, 'image', 0, { journal, maxUsd: 1 });
    expect(later.saidUsd).toBe(usedUsd);
  });
});
