import { describe, expect, test } from 'vitest';

import { BudgetExceededError } from '../../../src/index.ts';
import type { BatchRow, ChatRow } from '../../../src/index.ts';
import { collect, rejection } from '../../support/rejection.ts';
import { onMock } from '../support.ts';
import {
  describeChat,
  describeImage,
  lockedJournal,
  newProcess,
  numbers,
  submitStatuses,
} from './support.ts';

const submits = 'POST /v1/images/tasks';
const lookups = 'GET /v1/models/{model}';

/** A gateway that has many free slots. */
const start = () => onMock({ concurrencyLimit: 20, latencyMs: 50 }, { maxRetries: 0 });

type World = Pick<ReturnType<typeof start>, 'mock' | 'gateway'>;

/** A process whose responses report another charge than the service has made, or none. */
function misreporting({ mock }: Pick<World, 'mock'>, reported?: string): World {
  const fetch: typeof globalThis.fetch = async (input, init) => {
    const { status, headers, body } = await mock.fetch(input, init);
    const changed = new Headers(headers);
    changed.delete('x-svc-charge-usd');
    if (reported !== undefined) changed.set('x-svc-charge-usd', reported);
    return new Response(body, { status, headers: changed });
  };
  return newProcess({ mock }, { fetch, maxRetries: 0 });
}

/** Iterates over a batch until its budget is reached. */
async function untilBudget(
  { mock }: World,
  batch: AsyncIterable<BatchRow<number> | ChatRow<number>>,
) {
  const rows: (BatchRow<number> | ChatRow<number>)[] = [];
  const consume = async () => {
    for await (const row of batch) rows.push(row);
  };
  const error = await mock.clock.settle(rejection(BudgetExceededError, consume()));
  return { statuses: rows.map(({ status }) => status), error };
}

const unknownPrice =
  '4 more rows may have been charged, and what such a row costs is not known. ' +
  'It becomes known when the service reports a charge above 0 for one';

describe('maxUsd at a service that reports no charges', () => {
  test('pauses after four chats, in all runs together', async () => {
    const world = start();
    const journal = lockedJournal();
    const options = { journal, maxUsd: 0.01 };
    for (let run = 0; run < 2; run += 1) {
      const process = misreporting(world);
      const batch = process.gateway.batch(numbers(50), describeChat(process.gateway), options);
      const { statuses, error } = await untilBudget(process, batch);
      expect(statuses).toEqual(Array(4).fill('succeeded'));
      expect(error.message).toContain(unknownPrice);
    }
    expect(world.mock.invoice).toHaveLength(4);
  });

  test('pauses after four images whose price is not known', async () => {
    const world = misreporting(start());
    world.mock.fail({ route: lookups, status: 404 });
    const batch = world.gateway.batch(numbers(20), describeImage(world.gateway), { maxUsd: 0.05 });
    const { statuses, error } = await untilBudget(world, batch);
    expect(statuses).toEqual(Array(4).fill('succeeded'));
    expect(error.message).toContain(unknownPrice);
    expect(world.mock.invoice).toHaveLength(4);
  });

  test('counts images with their prices', async () => {
    const world = misreporting(start());
    const batch = world.gateway.batch(numbers(20), describeImage(world.gateway), { maxUsd: 0.2 });
    const { statuses } = await untilBudget(world, batch);
    expect(statuses).toHaveLength(10);
    expect(world.mock.invoice).toHaveLength(10);
  });

  test('counts its chats with the largest charge as soon as one is known', async () => {
    const world = start();
    const journal = lockedJournal();
    const silent = misreporting(world);
    const options = { journal, maxUsd: 1 };
    await untilBudget(
      silent,
      silent.gateway.batch(numbers(9), describeChat(silent.gateway), options),
    );
    const known = newProcess(world);
    const first = known.gateway.batch(numbers(5), describeChat(known.gateway), { journal });
    await world.mock.clock.settle(collect(first));
    const charges = world.mock.invoice.map(({ usd }) => usd);
    const maxUsd = 7 * Math.max(...charges);
    const limited = newProcess(world);
    const batch = limited.gateway.batch(numbers(50), describeChat(limited.gateway), {
      journal,
      maxUsd,
    });
    await untilBudget(limited, batch);
    expect(world.mock.invoice.length).toBeGreaterThanOrEqual(7);
    expect(world.mock.invoice.length).toBeLessThanOrEqual(8);
  });
});

describe('maxUsd with responses that report a charge and cannot be read', () => {
  const options = { maxUsd: 1 };
  test.each([
    ['chats', ({ gateway }: World) => gateway.batch(numbers(20), describeChat(gateway), options)],
    [
      'images whose price is not known',
      ({ gateway }: World) => gateway.batch(numbers(20), describeImage(gateway), options),
    ],
  ])('counts the charges of %s', async (_, startBatch) => {
    const { mock } = start();
    mock.fail({ route: lookups, status: 404 });
    const fetch: typeof globalThis.fetch = async (input, init) => {
      const { status, headers } = await mock.fetch(input, init);
      const changed = new Headers(headers);
      changed.delete('x-svc-task-id');
      const method = input instanceof Request ? input.method : init?.method;
      if (method === 'POST') changed.set('x-svc-charge-usd', '0.4');
      return new Response('<html>', { status, headers: changed });
    };
    const world = newProcess({ mock }, { fetch, maxRetries: 0 });
    const { statuses, error } = await untilBudget(world, startBatch(world));
    expect(statuses).toEqual(Array(2).fill('unknown'));
    expect(error.spentUsd).toBe(0.8);
    expect(mock.invoice).toHaveLength(2);
  });
});

describe('maxUsd with chats that are free', () => {
  test('has no effect, although later runs know their charges only from the journal', async () => {
    const world = start();
    const journal = lockedJournal();
    for (const count of [8, 20]) {
      const { mock, gateway } = misreporting(world, '0');
      const batch = gateway.batch(numbers(count), describeChat(gateway), { journal, maxUsd: 1 });
      const rows = await mock.clock.settle(collect(batch));
      expect(rows.every(({ status }) => status === 'succeeded')).toBe(true);
    }
    expect(world.mock.invoice).toHaveLength(20);
  });

  test('pauses after four lost ones', async () => {
    const world = misreporting(start(), '0');
    const { mock, gateway } = world;
    const describeRow = describeChat(gateway);
    const batch = gateway.batch(
      numbers(50),
      async (row) => {
        if (row === 1) mock.fail({ route: 'POST /v1/chat/completions', reset: 'after' });
        await mock.clock.sleep(row * 1_000);
        return describeRow(row);
      },
      { maxUsd: 1, maxInFlight: 1 },
    );
    const { error } = await untilBudget(world, batch);
    // Although a charge of 0 is known.
    expect(error.message).toContain(unknownPrice);
    expect(mock.invoice).toHaveLength(5);
  });
});

describe('maxUsd with tasks whose price is not known and whose responses are lost', () => {
  test('pauses after four of them, in all runs together', async () => {
    const world = start();
    world.mock.fail({ route: lookups, status: 404 });
    world.mock.fail({ route: submits, reset: 'after' });
    const journal = lockedJournal();
    const options = (run: number) => ({
      journal,
      maxUsd: 0.1,
      // Only new rows: those that were lost are not among the inputs.
      id: (row: number) => `${run}-${row}`,
    });
    for (let run = 0; run < 2; run += 1) {
      const process = newProcess(world, { maxRetries: 0 });
      const images = describeImage(process.gateway);
      const batch = process.gateway.batch(numbers(20), images, options(run));
      const { error } = await untilBudget(process, batch);
      expect(error.message).toContain(unknownPrice);
    }
    expect(submitStatuses(world.mock)).toHaveLength(4);
    expect(world.mock.invoice).toHaveLength(4);
  });

  test('finds the tasks under their keys, and continues with the charge that is known then', async () => {
    const world = start();
    world.mock.fail({ route: lookups, status: 404 });
    const lose = world.mock.fail({ route: submits, reset: 'after' });
    const journal = lockedJournal();
    const options = { journal, maxUsd: 0.1 };
    const images = (process: World) =>
      process.gateway.batch(numbers(20), describeImage(process.gateway), options);
    await untilBudget(world, images(world));
    lose.remove();
    for (let run = 0; run < 2; run += 1) {
      const process = newProcess(world, { maxRetries: 0 });
      const { statuses } = await untilBudget(process, images(process));
      expect(statuses).toEqual(Array(5).fill('succeeded'));
    }
    expect(world.mock.invoice).toHaveLength(5);
    expect(new Set(world.mock.invoice.map(({ idempotencyKey }) => idempotencyKey)).size).toBe(5);
  });

  test('frees the count of a row that was rejected', async () => {
    const world = start();
    world.mock.fail({ route: lookups, status: 404 });
    world.mock.fail({ route: submits, status: 400, times: 9 });
    const batch = world.gateway.batch(numbers(20), describeImage(world.gateway), { maxUsd: 0.04 });
    const { statuses } = await untilBudget(world, batch);
    expect(statuses.filter((status) => status === 'failed')).toHaveLength(9);
    expect(world.mock.invoice).toHaveLength(2);
  });
});

test('a row whose signal has aborted before does not wait for the budget', async () => {
  const { mock, gateway } = start();
  mock.fail({ route: 'POST /v1/chat/completions', stallHeaders: true });
  const signal = AbortSignal.abort(new Error('not this one'));
  const batch = gateway.batch(
    ['stalled', 'aborted'],
    async (row) => {
      if (row === 'stalled') return describeChat(gateway)(row);
      await mock.clock.sleep(1_000);
      const messages = [{ role: 'user' as const, content: row }];
      return gateway.chat.completions.submission({ model: 'aurora-chat', messages }, { signal });
    },
    { id: (row) => row, maxUsd: 1 },
  );
  const first = batch.next();
  await mock.clock.advance(2_000);
  const outcome = await Promise.race([first, mock.clock.advance(1_000).then(() => 'waits')]);
  expect(outcome).toMatchObject({ value: { id: 'aborted', status: 'failed' } });
  await mock.clock.settle(batch.return(undefined));
});
