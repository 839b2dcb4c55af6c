import { describe, expect, test } from 'vitest';

import type { BatchProgress } from '../../../src/index.ts';
import { collect } from '../../support/rejection.ts';
import { onMock } from '../support.ts';
import { describeImage, memoryJournal, newProcess, numbers, runImageBatch } from './support.ts';

const submits = 'POST /v1/images/tasks';

describe('onProgress()', () => {
  test('is called at most every 100 ms, and at the end with all counts', async () => {
    const world = onMock({ latencyMs: 40 });
    const { clock } = world.mock;
    world.mock.fail({ route: submits, status: 400, attempt: [3] });
    const seen: { at: number; progress: BatchProgress }[] = [];
    const onProgress = (progress: BatchProgress) => {
      seen.push({ at: clock.now(), progress });
    };
    await runImageBatch(world, numbers(60), { onProgress });
    const end = seen.pop();
    expect(end?.progress).toEqual({
      total: 60,
      done: 59,
      failed: 1,
      unknown: 0,
      running: 0,
      usd: 1.18,
    });
    expect(seen.length).toBeGreaterThan(3);
    for (const [index, { at }] of seen.entries()) {
      expect(at - (seen[index - 1]?.at ?? -Infinity)).toBeGreaterThanOrEqual(100);
    }
    const sums = seen.map(({ progress: { done, failed, unknown } }) => done + failed + unknown);
    expect(sums).toEqual(sums.toSorted((a, b) => a - b));
  });

  test('reports charges of earlier runs, and estimates of rows that may have been charged', async () => {
    const world = onMock();
    const journal = memoryJournal();
    await runImageBatch(world, numbers(2), { journal });
    world.mock.fail({ route: submits, reset: 'after' });
    const seen: BatchProgress[] = [];
    const onProgress = (progress: BatchProgress) => {
      seen.push(progress);
    };
    const again = newProcess(world, { maxRetries: 0 });
    await again.gateway.models.list();
    await runImageBatch(again, numbers(3), { journal, onProgress });
    expect(seen.at(-1)).toEqual({
      total: 3,
      done: 2,
      failed: 0,
      unknown: 1,
      running: 0,
      usd: 0.04,
      estimatedUsd: 0.02,
    });
  });

  test('knows no total if the inputs are not an array, and is called after a break', async () => {
    const { mock, gateway } = onMock();
    const seen: BatchProgress[] = [];
    const onProgress = (progress: BatchProgress) => {
      seen.push(progress);
    };
    const consume = async () => {
      const rows = gateway.batch(new Set([1, 2, 3]), describeImage(gateway), { onProgress });
      for await (const row of rows) if (row.status === 'succeeded') break;
    };
    await mock.clock.settle(consume());
    expect(seen.at(-1)?.done).toBeGreaterThan(0);
    expect(seen.at(-1)).not.toHaveProperty('total');
    const count = seen.length;
    await mock.clock.advance(60_000);
    expect(seen).toHaveLength(count);
  });

  test('may throw', async () => {
    const { mock, gateway } = onMock();
    const onProgress = () => {
      throw new Error('not drawn');
    };
    const rows = gateway.batch([1], describeImage(gateway), { onProgress });
    expect(await mock.clock.settle(collect(rows))).toMatchObject([{ status: 'succeeded' }]);
  });
});
