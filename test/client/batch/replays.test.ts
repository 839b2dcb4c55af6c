/** Rows whose tasks exist already under their keys. What they count is compared with the invoice of the service. */
import { describe, expect, test } from 'vitest';

import { BudgetExceededError } from '../../../src/index.ts';
import type { BatchOptions, BatchProgress } from '../../../src/index.ts';
import { rejection } from '../../support/rejection.ts';
import { image, onMock } from '../support.ts';
import {
  describeImage,
  lineTypes,
  memoryJournal,
  newProcess,
  numbers,
  runImageBatch,
} from './support.ts';

type World = ReturnType<typeof newProcess>;

const submits = 'POST /v1/images/tasks';
const priceUsd = 0.02;

/**
 * Runs a batch of five images that may spend the price of two. Returns how many have succeeded, and what they count.
 */
async function spendTwo(
  { mock, gateway }: World,
  options: BatchOptions<number> = {},
  describeRow = describeImage(gateway),
) {
  let progress: BatchProgress | undefined;
  let succeeded = 0;
  const onProgress = (latest: BatchProgress) => {
    progress = { ...latest };
  };
  const limited = { ...options, maxUsd: 2 * priceUsd, onProgress };
  const consume = async () => {
    for await (const { status } of gateway.batch(numbers(5), describeRow, limited)) {
      if (status === 'succeeded') succeeded += 1;
    }
  };
  await mock.clock.settle(rejection(BudgetExceededError, consume()));
  const { usd, estimatedUsd } = progress ?? {};
  return { succeeded, usd, estimatedUsd };
}

const two = { succeeded: 2, usd: 2 * priceUsd, estimatedUsd: undefined };

describe('maxUsd counts a task that exists already', () => {
  test.each([
    ['of a run that died before it recorded the task', 'accepted'],
    ['of a run whose lines are lost', 'submit'],
  ])('%s', async (_, firstLost) => {
    const world = onMock();
    const earlier = memoryJournal();
    await runImageBatch(world, [0], { journal: earlier });
    const firstLostAt = lineTypes(earlier).indexOf(firstLost);
    const journal = memoryJournal(earlier.lines.slice(0, firstLostAt));
    expect(await spendTwo(newProcess(world), { journal })).toEqual(two);
    expect(world.mock.invoice).toHaveLength(2);
    expect(await spendTwo(newProcess(world), { journal })).toEqual(two);
    expect(world.mock.invoice).toHaveLength(2);
  });

  test('of this run, whose response was lost, once', async () => {
    const world = onMock();
    world.mock.fail({ route: submits, reset: 'after', times: 2 });
    expect(await spendTwo(world)).toEqual(two);
    expect(world.mock.invoice).toHaveLength(2);
  });

  test('that another program has paid for under the key of the caller', async () => {
    const world = onMock();
    const describeWith =
      ({ gateway }: World) =>
      (row: unknown) =>
        gateway.images.submission(image, { idempotencyKey: `order-${String(row)}` });
    const submit = describeWith(newProcess(world));
    await world.mock.clock.settle(Promise.all(numbers(5).map((row) => submit(row).send())));
    const batch = newProcess(world);
    expect(await spendTwo(batch, {}, describeWith(batch))).toEqual(two);
    expect(world.mock.invoice).toHaveLength(5);
  });
});
