import { expect, test } from 'vitest';

import { eventually } from '../../support/eventually.ts';
import { finish } from './finish.ts';
import { Scenario } from './scenario.ts';

const price = 0.02;

test.concurrent('three workers keep to a limit that drops from 8 to 3', async () => {
  await using scenario = await Scenario.start('dropping-limit', { concurrencyLimit: 8 });
  const { mock } = scenario;
  await scenario.add(600);
  await Promise.all(['a', 'b', 'c'].map((worker) => scenario.work(worker)));
  // Results can be far behind the submissions, so that the invoice is what shows how many were accepted.
  await eventually(() => expect(mock.invoice.length).toBeGreaterThanOrEqual(200));
  const before = scenario.nextPeriod();
  mock.setConcurrencyLimit(3);
  // The service rejects what exceeds the new limit, until the workers have learned it.
  await eventually(() => expect(mock.invoice.length).toBeGreaterThanOrEqual(50));
  const learning = scenario.nextPeriod();
  const numbers = await finish(scenario, 3);
  console.log({ before, learning });
  expect(before).toMatchObject({ peak: 8, rejections: 0 });
  expect(learning.rejections).toBeLessThan(20);
  expect(numbers.period.rejections).toBe(0);
});

test.concurrent('three workers never exceed one budget together', async () => {
  const [rows, affordable] = [60, 25];
  const maxUsd = affordable * price + price / 2;
  await using scenario = await Scenario.start('budget', { concurrencyLimit: 8 }, { maxUsd });
  const { mock } = scenario;
  const spent = () => mock.invoice.reduce((total, { usd }) => total + usd, 0);
  await scenario.add(rows);
  const workers = ['a', 'b', 'c'];
  await Promise.all(workers.map((worker) => scenario.work(worker, { maxUsd })));
  await scenario.ended(affordable);
  await eventually(() => expect(scenario.queue.paused).toBe('budget'));
  const paused = {
    ended: scenario.taken.length,
    spent: spent(),
    count: await scenario.queue.count(),
  };
  expect(mock.invoice).toHaveLength(affordable);
  expect(paused.count).toMatchObject({ waiting: rows - affordable, failed: 0, unknown: 0 });

  const raised = rows * price + price / 2;
  await Promise.all(workers.map((worker) => scenario.kill(worker)));
  await Promise.all(workers.map((worker) => scenario.work(worker, { maxUsd: raised })));
  expect(mock.invoice).toHaveLength(affordable);
  await scenario.queue.resume();
  await finish(scenario, 8);
  console.log({ maxUsd, paused });
  const total = scenario.charges.reduce((sum, { usd }) => sum + usd, 0);
  expect(total).toBeLessThanOrEqual(raised);
});
