import { setTimeout as sleep } from 'node:timers/promises';

import { Queue } from 'bullmq';
import { expect } from 'vitest';

import { fields } from '../../../src/integrations/bullmq/redis/fields.ts';
import { jobIdOf } from '../../../src/integrations/bullmq/row.ts';
import type { Period, Scenario } from './scenario.ts';

/** How a scenario has gone. */
export interface Numbers {
  readonly rows: number;
  readonly charges: number;
  readonly seconds: number;
  /** The last period. */
  readonly period: Period;
}

/** Waits until all rows have ended, and checks that each has ended once and was charged once. */
export async function finish(scenario: Scenario, limit: number): Promise<Numbers> {
  const { charges, ids, mock, queue, startedAt, taken } = scenario;
  await scenario.ended(ids.length);
  const seconds = Math.round((performance.now() - startedAt) / 1_000);
  // Leaves time for a second end or charge.
  await sleep(2_000);
  const sorted = ids.toSorted();
  expect(await repeats(scenario)).toEqual([]);
  expect(taken.map(({ id }) => id).toSorted()).toEqual(sorted);
  const rows: string[] = [];
  for await (const { id, status } of queue.results({ from: 'start' })) {
    expect(status).toBe('succeeded');
    rows.push(id);
    if (rows.length === ids.length) break;
  }
  expect(rows.toSorted()).toEqual(sorted);
  const none = { waiting: 0, submitting: 0, running: 0, failed: 0, unknown: 0 };
  expect(await queue.count()).toEqual({ ...none, succeeded: ids.length });
  await checkJobs(scenario);
  const period = scenario.nextPeriod();
  expect(charges).toHaveLength(ids.length);
  expect(new Set(charges.map(({ idempotencyKey }) => idempotencyKey)).size).toBe(ids.length);
  expect(mock.tasks.map(({ prompt }) => prompt).toSorted()).toEqual(sorted);
  expect(period.peak).toBeLessThanOrEqual(limit);
  const numbers = { rows: ids.length, charges: charges.length, seconds, period };
  console.log({ scenario: scenario.name, ...numbers });
  return numbers;
}

/**
 * Describes the rows that were taken more than once: where and when, their number of tasks, and the numbers of their
 * last end and turn, which are times of Redis in µs. If the last end is later than the time at which the row was first
 * taken, the row has ended twice. Otherwise, the iterator has yielded one end twice.
 */
async function repeats({ mock, name, redis, taken }: Scenario): Promise<object[]> {
  const jobs = new Queue(name, { connection: { url: redis.url } });
  const ids = taken.map(({ id }) => id);
  const repeated = new Set(ids.filter((id, position) => ids.indexOf(id) !== position));
  const described = [...repeated].map(async (id) => {
    const rows = taken
      .map((row, position) => ({ position, ...row }))
      .filter((row) => row.id === id);
    const tasks = mock.tasks.filter(({ prompt }) => prompt === id).length;
    const end = await redis.client.zscore(jobs.toKey('polygate:results'), jobIdOf(id));
    const turn = await redis.client.hget(jobs.toKey(jobIdOf(id)), fields.turn);
    return { rows, tasks, end, turn };
  });
  const rows = await Promise.all(described);
  await jobs.close();
  return rows;
}

/** BullMQ has to agree that all rows are done. It is told last, so that this may take a while. */
async function checkJobs({ ids, name, redis }: Scenario): Promise<void> {
  const jobs = new Queue(name, { connection: { url: redis.url } });
  const states = ['completed', 'failed', 'active', 'delayed', 'prioritized', 'waiting'] as const;
  const giveUpAt = performance.now() + 120_000;
  while (performance.now() < giveUpAt && (await jobs.getCompletedCount()) < ids.length) {
    await sleep(500);
  }
  const none = { failed: 0, active: 0, delayed: 0, prioritized: 0, waiting: 0 };
  expect(await jobs.getJobCounts(...states)).toEqual({ ...none, completed: ids.length });
  await jobs.close();
}
