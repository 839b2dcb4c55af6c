/** Attempts of a row that are charged each. What a batch counts is compared with the invoice of the service. */
import { describe, expect, test } from 'vitest';

import type { BatchOptions, BatchProgress, PolygateOptions } from '../../../src/index.ts';
import type { MockGateway } from '../../../src/mock/index.ts';
import { collect } from '../../support/rejection.ts';
import { onMock } from '../support.ts';
import { describeChat, describeImage, lockedJournal, newProcess, numbers } from './support.ts';
import type { MemoryJournal } from './support.ts';

const sumOf = (amounts: readonly number[]) =>
  Math.round(amounts.reduce((sum, usd) => sum + usd, 0) * 1e9) / 1e9;
const invoiceOf = ({ invoice }: MockGateway) => sumOf(invoice.map(({ usd }) => usd));

/** A service that carries out and charges every request. */
interface Service {
  /** Whether a response is replaced by a 500 with its charge. The requests are counted from 0. */
  readonly fails: (request: number) => boolean;
  readonly ignoresKeys?: boolean;
  /** What replays report instead of the charge. */
  readonly replayUsd?: string | undefined;
  /** Called when a request arrives. */
  readonly onRequest?: (request: number) => void;
  /** Called before a response is returned. */
  readonly onResponse?: (request: number) => Promise<void>;
}

function start(service: Service, options: PolygateOptions = {}) {
  const { fails, ignoresKeys, replayUsd, onRequest, onResponse } = service;
  const { mock } = onMock({ tasks: { durationMs: 0 }, assumptions: { A11: 'replay' } });
  let requests = 0;
  const fetch: typeof globalThis.fetch = async (input, init) => {
    const request = new Request(input, init);
    if (ignoresKeys) request.headers.delete('x-idempotency-key');
    if (request.method === 'GET') return mock.fetch(request);
    const number = requests;
    requests += 1;
    onRequest?.(number);
    const { body, status, headers } = await mock.fetch(request);
    await onResponse?.(number);
    headers.delete('content-length');
    if (replayUsd !== undefined && headers.has('x-svc-idempotent-replay')) {
      headers.set('x-svc-charge-usd', replayUsd);
    }
    if (!fails(number)) return new Response(body, { status, headers });
    headers.delete('x-svc-task-id');
    const error = { message: 'Failed', type: 'api_error', code: 'internal_error' };
    return new Response(JSON.stringify({ error }), { status: 500, headers });
  };
  const create = () =>
    newProcess({ mock }, { fetch, retryAmbiguous: { chat: true }, ...options }).gateway;
  return { mock, create, sent: () => requests };
}

const everyOther = (request: number) => request % 2 === 0;

/** Runs a batch until it ends or pauses, and returns what it says. */
async function run(
  { mock, create }: Pick<ReturnType<typeof start>, 'mock' | 'create'>,
  kind: 'image' | 'chat',
  rows: number,
  options: BatchOptions<number>,
) {
  const gateway = create();
  const statuses: string[] = [];
  const messages: string[] = [];
  let usd = 0;
  let estimatedUsd: number | undefined;
  const onProgress = (progress: BatchProgress) => void ({ usd, estimatedUsd } = progress);
  const consume = async () => {
    const given = { ...options, onProgress };
    const batch =
      kind === 'image'
        ? gateway.batch(numbers(rows), describeImage(gateway), given)
        : // All chats cost the same.
          gateway.batch(numbers(rows), () => describeChat(gateway)(0), given);
    for await (const { status, error } of batch) {
      statuses.push(status);
      if (error) messages.push(error.message);
    }
  };
  await mock.clock.settle(consume().catch(({ message }: Error) => void messages.push(message)));
  return { statuses, messages, usd, estimatedUsd, saidUsd: sumOf([usd, estimatedUsd ?? 0]) };
}

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

test.each(['image', 'chat'] as const)(
  'a crash between two attempts of a row loses none of their charges: %s',
  async (kind) => {
    const written: string[] = [];
    const left: string[][] = [];
    const onRequest = () => void left.push([...written]);
    const service = start({ fails: (request) => request < 2, ignoresKeys: true, onRequest });
    // It takes longer than the pause before a retry.
    const append = async (line: string) => {
      await service.mock.clock.sleep(20_000);
      written.push(line);
    };
    const journal = lockedJournal(written, { append });
    const { usd } = await run(service, kind, 1, { journal, maxUsd: 1 });
    const priceUsd = sumOf([usd / 3]);
    expect(left).toHaveLength(3);
    for (const [attempts, lines] of left.entries()) {
      const crashed: MemoryJournal = lockedJournal(lines);
      // A batch without rows says what earlier runs have spent.
      const said = await run(service, kind, 0, { journal: crashed, maxUsd: 1 });
      expect(said.usd).toBe(sumOf([attempts * priceUsd]));
    }
    const [, , lines = []] = left;
    const before = invoiceOf(service.mock);
    const options = { journal: lockedJournal(lines), maxUsd: 1, resendUnknown: kind === 'chat' };
    const next = await run(service, kind, 1, options);
    expect(next.statuses).toEqual(['succeeded']);
    // The next run was charged as well. What the crashed one was charged after its last line is an estimate or lost.
    expect(invoiceOf(service.mock)).toBe(sumOf([before, priceUsd]));
    expect(next.saidUsd).toBeGreaterThanOrEqual(usd);
  },
);

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
