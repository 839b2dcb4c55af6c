import { describe, expect, test, vi } from 'vitest';

import type { Polygate, PolygateOptions } from '../../../src/index.ts';
import type { MockGatewayOptions } from '../../../src/mock/index.ts';
import { collect } from '../../support/rejection.ts';
import { onMock } from '../support.ts';
import {
  chargedKeys,
  describeImage,
  lineTypes,
  memoryJournal,
  newProcess,
  numbers,
  paused,
  pausedImages,
  runImageBatch,
  submitStatuses,
} from './support.ts';

const submits = 'POST /v1/images/tasks';

/** A gateway whose balance pays for five images, and a batch of more. */
const poor = (settings: MockGatewayOptions = {}, options: PolygateOptions = {}) =>
  onMock({ wallet: { usd: 0.1 }, latencyMs: 100, ...settings }, options);

describe('at the first 402 a batch', () => {
  test.each([1, 8])('sends no further request, with at most %d in flight', async (concurrency) => {
    const world = poor({}, { concurrency });
    const { rows } = await pausedImages(world, numbers(200));
    const statuses = submitStatuses(world.mock);
    expect(rows.map(({ status }) => status)).toEqual(Array(5).fill('succeeded'));
    // Requests that were in flight with the first rejected one may be rejected as well.
    expect(statuses.length - 5).toBeLessThanOrEqual(concurrency);
    expect(new Set(statuses)).toEqual(new Set([202, 402]));
  });

  test('sends no further request even if the response raises the concurrency limit', async () => {
    const world = onMock({ wallet: { usd: 0 }, concurrencyLimit: 8, latencyMs: 100 });
    await pausedImages(world, numbers(100));
    // The window before the first response.
    expect(submitStatuses(world.mock)).toEqual([402, 402, 402, 402]);
  });

  test('throws an error with the numbers of rows, after all results', async () => {
    const world = poor({}, { concurrency: 1 });
    const { rows, error } = await pausedImages(world, numbers(200));
    expect(rows).toHaveLength(5);
    expect(error).toMatchObject({ status: 402, outcome: 'rejected', rowsDone: 5, rowsOpen: 195 });
    expect(error.message).toContain('Rows done: 5. Rows rejected or not sent: 195.');
    expect(error.message).toContain('This run was not charged for them. Top up the balance');
    // The message of the service names the limit: that of the wallet, or that of the key.
    expect(error.cause).toMatchObject({ code: 'insufficient_balance', outcome: 'rejected' });
    expect(error.requestId).toBe(
      world.mock.requests.find(({ status }) => status === 402)?.requestId,
    );
    expect(world.gateway.concurrency).toMatchObject({ inFlight: 0, queued: 0 });
  });

  test('counts the rows that it has pulled if their total number is not known', async () => {
    let pulled = 0;
    const source = function* () {
      for (;;) yield pulled++;
    };
    const { rows, error } = await pausedImages(poor({}, { concurrency: 1 }), source());
    expect(rows).toHaveLength(5);
    expect(error).toMatchObject({ rowsDone: 5, rowsOpen: pulled - 5 });
    expect(error.message).toContain(`not sent: at least ${pulled - 5}.`);
  });

  test('yields results that are waiting to a slow consumer before it throws', async () => {
    const world = poor({ tasks: { durationMs: 0 } });
    const { mock, gateway } = world;
    const batch = gateway.batch(numbers(50), describeImage(gateway));
    const first = await mock.clock.settle(batch.next());
    await mock.clock.advance(3_600_000);
    const { rows, error } = await paused(world, batch);
    expect([first.value, ...rows].map((row) => row?.status)).toEqual(Array(5).fill('succeeded'));
    expect(error.rowsDone).toBe(5);
    expect(await batch.next()).toEqual({ done: true, value: undefined });
  });

  test('throws nothing if the consumer stops before', async () => {
    const world = poor();
    const { mock, gateway } = world;
    const batch = gateway.batch(numbers(50), describeImage(gateway));
    await mock.clock.settle(batch.next());
    await mock.clock.advance(3_600_000);
    expect(await batch.return()).toEqual({ done: true, value: undefined });
  });

  test('waits for the rows that the service has accepted', async () => {
    const world = poor({ tasks: { durationMs: 600_000 } }, { concurrency: 1 });
    const { rows } = await pausedImages(world, numbers(50));
    expect(rows.map(({ status }) => status)).toEqual(Array(5).fill('succeeded'));
  });

  test('leaves unsent rows open in its journal, and continues after a top-up', async () => {
    const world = onMock({ latencyMs: 100 }, { concurrency: 2 });
    const journal = memoryJournal();
    const attempt = numbers(100).slice(6);
    const emptyBalance = world.mock.fail({ route: submits, status: 402, attempt });
    const first = await pausedImages(world, numbers(30), { journal });
    expect(first.rows).toHaveLength(5);
    const types = lineTypes(journal);
    const count = (type: string) => types.filter((entry) => entry === type).length;
    expect(count('accepted')).toBe(5);
    expect(count('finished')).toBe(5);
    expect(count('refused')).toBe(count('submit') - 5);

    const stillEmpty = await pausedImages(newProcess(world), numbers(30), { journal });
    expect(stillEmpty.rows).toHaveLength(5);
    expect(stillEmpty.error).toMatchObject({ rowsDone: 5, rowsOpen: 25, outcome: 'rejected' });

    emptyBalance.remove();
    const second = await runImageBatch(newProcess(world), numbers(30), { journal });
    expect(second.filter(({ status }) => status === 'succeeded')).toHaveLength(30);
    expect(world.mock.invoice).toHaveLength(30);
    expect(chargedKeys(world.mock).size).toBe(30);
  });

  test('ends even if its source never yields another row', async () => {
    const world = onMock({ wallet: { usd: 0 } });
    const rows = async function* () {
      yield 1;
      await new Promise(() => undefined);
    };
    const { error } = await pausedImages(world, rows());
    expect(error.rowsOpen).toBe(1);
  });

  test('closes its source', async () => {
    const world = onMock({ wallet: { usd: 0 } });
    let closed = false;
    const rows = function* () {
      try {
        for (let row = 0; ; row += 1) yield row;
      } finally {
        closed = true;
      }
    };
    await pausedImages(world, rows());
    expect(closed).toBe(true);
  });

  test('logs one warning, because accepted rows can take long', async () => {
    const warn = vi.fn<(message: string) => void>();
    const ignore = () => undefined;
    const logger = { error: ignore, warn, info: ignore, debug: ignore };
    const world = onMock({ wallet: { usd: 0 } }, { logger, logLevel: 'warn' });
    await pausedImages(world, numbers(50));
    expect(warn).toHaveBeenCalledOnce();
    expect(warn.mock.calls[0]?.[0]).toMatch(/Pausing: no further rows are submitted. Reason: 402/);
  });
});

test('a 402 on a poll does not pause a batch: its task is already paid for', async () => {
  const world = onMock({}, { concurrency: 1 });
  world.mock.fail({ route: 'GET /v1/images/tasks/{taskId}', status: 402, attempt: 1 });
  const rows = await runImageBatch(world, numbers(5));
  const unknown = rows.filter(({ status }) => status === 'unknown');
  expect(unknown).toMatchObject([{ task: { kind: 'image' }, error: { status: 402 } }]);
  expect(rows).toHaveLength(5);
});

test('a 402 in a row callback pauses the batch', async () => {
  const world = onMock({ wallet: { usd: 0 } });
  const { mock, gateway } = world;
  const batch = gateway.batch(numbers(200), async (row) => {
    const messages = [{ role: 'user' as const, content: `Describe harbor ${row}.` }];
    const { choices } = await gateway.chat.completions.create({ model: 'aurora-chat', messages });
    return gateway.images.submission({
      model: 'prism-image',
      prompt: String(choices[0]?.message.content),
    });
  });
  const { rows, error } = await paused(world, batch);
  expect(rows).toEqual([]);
  expect(error).toMatchObject({ rowsDone: 0, rowsOpen: 200 });
  expect(submitStatuses(mock).length).toBeLessThan(50);
  expect(mock.requests.every(({ path }) => path === '/v1/chat/completions')).toBe(true);
});

test('a 402 about a task that a row callback has paid for pauses nothing, and its row is yielded', async () => {
  const world = onMock({}, { concurrency: 1 });
  const { mock, gateway } = world;
  mock.fail({ route: 'GET /v1/images/tasks/{taskId}', status: 402, attempt: 1 });
  const batch = gateway.batch(numbers(2), async (row) => {
    const { urls } = await gateway.images.generate({ model: 'prism-image', prompt: 'A harbor' });
    return gateway.images.submission({ model: 'prism-image', prompt: `${row} ${urls[0]}` });
  });
  const rows = await mock.clock.settle(collect(batch));
  const [failed] = rows.filter(({ status }) => status !== 'succeeded');
  expect(rows).toHaveLength(2);
  expect(failed?.error).toMatchObject({ status: 402, task: { id: mock.invoice[0]?.taskId } });
});

test.each([
  ['videos', ({ videos }: Polygate) => videos.submission({ model: 'tide-video', prompt: 'Sea' })],
  [
    'music',
    ({ audio }: Polygate) =>
      audio.music.submission({ model: 'anthem-music', prompt: 'Sea', is_instrumental: true }),
  ],
])('a batch of %s pauses as well', async (_, describeRow) => {
  const world = onMock({ wallet: { usd: 0 } }, { concurrency: 2 });
  const batch = world.gateway.batch(numbers(50), () => describeRow(world.gateway));
  const { error } = await paused(world, batch);
  expect(error.rowsOpen).toBe(50);
  expect(submitStatuses(world.mock)).toEqual([402, 402]);
});
