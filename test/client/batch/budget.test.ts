import { describe, expect, test, vi } from 'vitest';

import { AbortedError, BudgetExceededError } from '../../../src/index.ts';
import type { BatchOptions, BatchProgress, Polygate } from '../../../src/index.ts';
import type { MockGateway } from '../../../src/mock/index.ts';
import { rejection } from '../../support/rejection.ts';
import { onMock } from '../support.ts';
import {
  chargedKeys,
  describeImage,
  lockedJournal,
  memoryJournal,
  newProcess,
  numbers,
  runImageBatch,
  submitStatuses,
} from './support.ts';

const submits = 'POST /v1/images/tasks';

/** Runs a batch with one image per row until its budget is reached. */
async function untilBudget(
  { mock, gateway }: { mock: MockGateway; gateway: Polygate },
  rows: readonly number[],
  options: BatchOptions<number> = {},
) {
  const statuses: string[] = [];
  const consume = async () => {
    for await (const row of gateway.batch(rows, describeImage(gateway), options)) {
      statuses.push(row.status);
    }
  };
  const error = await mock.clock.settle(rejection(BudgetExceededError, consume()));
  return { statuses, error };
}

const spent = ({ invoice }: MockGateway) =>
  Math.round(invoice.reduce((sum, { usd }) => sum + usd, 0) * 1e6) / 1e6;

describe('maxUsd of a batch', () => {
  test.each([
    ['warns that runs at the same time can exceed it if its journal has no lock()', false, 1],
    ['does not warn if its journal has a lock()', true, 0],
  ])('%s', async (_, hasLock, warnings) => {
    const warn = vi.fn<(message: string) => void>();
    const ignore = () => undefined;
    const logger = { error: ignore, warn, info: ignore, debug: ignore };
    const world = onMock({}, { logger, logLevel: 'warn' });
    const journal = hasLock ? lockedJournal() : memoryJournal();
    await runImageBatch(world, [1], { journal, maxUsd: 1 });
    const [[message] = []] = warn.mock.calls;
    expect(warn).toHaveBeenCalledTimes(warnings);
    if (!hasLock) expect(message).toContain('journal: has no lock(), so runs at the same time');
  });

  test('is never exceeded, although the client does not know any price', async () => {
    const world = onMock({ concurrencyLimit: 20, latencyMs: 50 });
    const { statuses, error } = await untilBudget(world, numbers(40), { maxUsd: 0.1 });
    expect(statuses).toEqual(Array(5).fill('succeeded'));
    expect(submitStatuses(world.mock)).toEqual(Array(5).fill(202));
    expect(error).toMatchObject({
      outcome: 'not-sent',
      spentUsd: 0.1,
      maxUsd: 0.1,
      rowsDone: 5,
      rowsOpen: 35,
    });
    expect(error.message).toContain('Rows done: 5. Rows rejected or not sent: 35.');
    expect(error.message).toContain('Raise the budget, then run it again with the same journal');
    expect(world.gateway.concurrency).toMatchObject({ inFlight: 0, queued: 0 });
  });

  /** The price list has a price that is too low. */
  function withLowPrice() {
    const world = onMock({}, { concurrency: 1 });
    const pricing = { unitPriceUsd: 0.002 };
    const body = { id: 'prism-image', type: 'image', pricing };
    world.mock.fail({ route: 'GET /v1/models/prism-image', body });
    return world;
  }

  test('covers what earlier runs have learned about listed prices that are too low', async () => {
    const world = withLowPrice();
    const journal = memoryJournal();
    await runImageBatch(world, ['a'], { maxUsd: 0.05, journal, id: String });
    for (let run = 0; run < 3; run += 1) {
      await untilBudget(newProcess(world), numbers(9), { maxUsd: 0.05, journal });
    }
    expect(spent(world.mock)).toBe(0.04);
  });

  test('knows of earlier runs what lost rows and failed ones have cost above their listed price', async () => {
    const world = withLowPrice();
    const journal = memoryJournal();
    const options = { maxUsd: 0.1, journal, id: String };
    // One response is lost with its charge, and one reports it.
    world.mock.fail({ route: submits, reset: 'after', times: 1 });
    const headers = { 'x-svc-charge-usd': '0.02' };
    world.mock.fail({ route: submits, status: 500, handled: true, headers, times: 1 });
    const lost = () =>
      runImageBatch(newProcess(world, { maxRetries: 0 }), ['a', 'b', 'c'], options);
    expect((await lost()).map(({ status }) => status)).toEqual(['unknown', 'unknown', 'succeeded']);
    const used: unknown[] = [];
    const onProgress = ({ usd, estimatedUsd }: BatchProgress) =>
      void used.push([usd, estimatedUsd]);
    const next = newProcess(world);
    await runImageBatch(next, ['c'], { ...options, onProgress });
    expect(used.at(-1)).toEqual([0.04, 0.02]);
    // What was charged is not charged again, and counts once.
    await runImageBatch(next, ['a', 'b', 'c'], { ...options, onProgress });
    expect(used.at(-1)).toEqual([0.06, undefined]);
    expect(spent(world.mock)).toBe(0.06);
  });

  test('knows what a run was charged above the listed price before it was aborted', async () => {
    const world = withLowPrice();
    const journal = memoryJournal();
    const options = { maxUsd: 0.1, journal, id: String };
    const stop = new AbortController();
    const fetch: typeof globalThis.fetch = async (input, init) => {
      const response = await world.mock.fetch(input, init);
      if (init?.method !== 'POST') return response;
      return new Response(new ReadableStream(), response);
    };
    const { gateway } = newProcess(world, { fetch });
    const rows = gateway.batch(['a'], describeImage(gateway), { ...options, signal: stop.signal });
    const ended = rejection(AbortedError, rows.next());
    await world.mock.clock.advance(1_000);
    stop.abort();
    await world.mock.clock.settle(ended);
    const used: unknown[] = [];
    const onProgress = ({ usd, estimatedUsd }: BatchProgress) =>
      void used.push([usd, estimatedUsd]);
    await runImageBatch(newProcess(world), ['b'], { ...options, onProgress });
    expect(used.at(-1)).toEqual([0.04, undefined]);
  });

  test.each([
    ['images', 0.002, 0.05],
    ['images whose price is 0', 0, 0.05],
  ])('is not passed by rows that have reserved too low a price: %s', async (_, usd, maxUsd) => {
    const world = onMock({}, { concurrency: 1 });
    world.mock.fail({
      route: 'GET /v1/models/prism-image',
      body: { id: 'prism-image', type: 'image', pricing: { unitPriceUsd: usd } },
    });
    const journal = memoryJournal();
    const { error } = await untilBudget(world, numbers(40), { maxUsd, journal });
    expect(error.message).toContain('the next row costs 0.02 USD');
    expect(spent(world.mock)).toBe(0.04);
    // Rows that were not sent are open, and continue with a higher limit.
    const options = { maxUsd: 0.09, journal };
    const later = newProcess(world, { concurrency: 1 });
    const { statuses } = await untilBudget(later, numbers(40), options);
    expect(statuses).toHaveLength(4);
    expect(spent(world.mock)).toBe(0.08);
  });

  test.each([0.1 + 0.2, 1 - 0.9, 0.3])(
    'is not exceeded if it is exactly used up: %d',
    async (maxUsd) => {
      const world = onMock();
      const count = Math.round(maxUsd / 0.02 - 0.001);
      const rows = await runImageBatch(world, numbers(count), { maxUsd });
      expect(rows.every(({ status }) => status === 'succeeded')).toBe(true);
      const more = await untilBudget(newProcess(world), numbers(count + 1), { maxUsd });
      expect(more.statuses).toHaveLength(count);
    },
  );

  test('counts what earlier runs of the journal have spent', async () => {
    const world = onMock();
    const journal = memoryJournal();
    const maxUsd = 0.1;
    const first = await untilBudget(world, numbers(20), { journal, maxUsd });
    expect(first.statuses).toHaveLength(5);
    const second = await untilBudget(newProcess(world), numbers(20), { journal, maxUsd });
    expect(second.statuses).toHaveLength(5);
    expect(spent(world.mock)).toBe(0.1);
    const third = await untilBudget(newProcess(world), numbers(20), { journal, maxUsd: 0.14 });
    expect(third.statuses).toHaveLength(7);
    expect(spent(world.mock)).toBe(0.14);
    expect(chargedKeys(world.mock).size).toBe(7);
  });

  test('counts rows that may have been charged with their estimates', async () => {
    const world = onMock();
    const journal = memoryJournal();
    const lose = world.mock.fail({ route: submits, reset: 'after' });
    const lost = newProcess(world, { maxRetries: 0 });
    const rows = await runImageBatch(lost, numbers(2), { journal, maxUsd: 1 });
    expect(rows.map(({ status }) => status)).toEqual(['unknown', 'unknown']);
    lose.remove();
    // Only for new rows: the two open ones are not among the inputs.
    const options = { journal, maxUsd: 0.1, id: (row: number) => `new-${row}` };
    const { statuses, error } = await untilBudget(newProcess(world), numbers(9), options);
    expect(statuses).toHaveLength(3);
    expect(error.spentUsd).toBe(0.06);
    expect(error.message).toContain('0.04 USD reserved for rows that may have been charged');
    expect(spent(world.mock)).toBe(0.1);
  });

  test('counts an open row once when it is sent again with its key', async () => {
    const world = onMock();
    const journal = memoryJournal();
    const lose = world.mock.fail({ route: submits, reset: 'after' });
    const options = { journal, maxUsd: 0.04 };
    await runImageBatch(newProcess(world, { maxRetries: 0 }), numbers(2), options);
    lose.remove();
    const rows = await runImageBatch(newProcess(world), numbers(2), options);
    expect(rows.map(({ status }) => status)).toEqual(['succeeded', 'succeeded']);
    expect(spent(world.mock)).toBe(0.04);
  });

  test('frees the reservation of a row that is rejected', async () => {
    const world = onMock({}, { concurrency: 1 });
    world.mock.fail({ route: submits, status: 400, times: 3 });
    const { statuses } = await untilBudget(world, numbers(20), { maxUsd: 0.1 });
    expect(statuses.filter((status) => status === 'failed')).toHaveLength(3);
    expect(statuses.filter((status) => status === 'succeeded')).toHaveLength(5);
  });

  test('sends nothing if it is 0, and pulls no more rows', async () => {
    const world = onMock();
    const { error } = await untilBudget(world, numbers(100), { maxUsd: 0 });
    expect(submitStatuses(world.mock)).toEqual([]);
    expect(error.rowsOpen).toBe(100);
  });

  test('sends rows without a price until it is used up, the first one alone', async () => {
    const world = onMock({ concurrencyLimit: 20, latencyMs: 50 });
    world.mock.fail({ route: 'GET /v1/models/{model}', status: 404 });
    const { statuses } = await untilBudget(world, numbers(40), { maxUsd: 0.09 });
    expect(statuses).toHaveLength(4);
    expect(spent(world.mock)).toBe(0.08);
  });
});

describe('the budget of the client', () => {
  test('pauses a batch instead of failing row after row', async () => {
    const world = onMock({}, { budget: { maxUsd: 0.1 } });
    await world.gateway.models.list();
    const journal = memoryJournal();
    const { statuses, error } = await untilBudget(world, numbers(12), { journal });
    expect(statuses).toEqual(Array(5).fill('succeeded'));
    expect(error).toMatchObject({ rowsDone: 5, rowsOpen: 7, maxUsd: 0.1, outcome: 'not-sent' });
    expect(world.mock.invoice).toHaveLength(5);
    expect(error.message).toContain('this request costs 0.02 USD. Rows done: 5.');
    // That is true of the last row only.
    expect(error.message).not.toContain('Nothing was charged');
    const rows = await runImageBatch(newProcess(world), numbers(12), { journal });
    expect(rows.every(({ status }) => status === 'succeeded')).toBe(true);
    expect(world.mock.invoice).toHaveLength(12);
  });
});
