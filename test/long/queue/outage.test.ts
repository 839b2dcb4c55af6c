import { setTimeout as sleep } from 'node:timers/promises';

import { expect, test } from 'vitest';

import { finish } from './finish.ts';
import { Scenario } from './scenario.ts';

const limit = 4;
const minute = 60_000;

/** Starts three workers on rows that keep them busy for about half a minute. */
async function start(name: string, rows = 300): Promise<Scenario> {
  const scenario = await Scenario.start(name, { concurrencyLimit: limit });
  await scenario.add(rows);
  await Promise.all(['a', 'b', 'c'].map((worker) => scenario.work(worker)));
  await scenario.ended(10);
  return scenario;
}

test.concurrent('Redis can be killed and restarted', async () => {
  await using scenario = await start('redis-killed');
  for (let kill = 0; kill < 5; kill += 1) {
    await sleep(2_000);
    await scenario.redis.kill();
    await sleep(kill * 1_000);
    scenario.redis.restart();
    if (kill === 2) {
      await scenario.kill('a');
      await scenario.work('a again');
    }
  }
  expect(await finish(scenario, limit)).toMatchObject({ rows: 300, charges: 300 });
});

test.concurrent('Redis can freeze for a minute', async () => {
  await using scenario = await start('redis-frozen');
  await scenario.freezeRedis(minute);
  expect(await finish(scenario, limit)).toMatchObject({ rows: 300, charges: 300 });
});

test.concurrent('Redis can freeze for longer than locks while a worker dies', async () => {
  await using scenario = await start('redis-frozen-killed');
  await Promise.all([scenario.freezeRedis(20_000), sleep(5_000).then(() => scenario.kill('a'))]);
  await scenario.freezeRedis(15_000);
  expect(await finish(scenario, limit)).toMatchObject({ rows: 300, charges: 300 });
});

test.concurrent('the gateway can refuse connections for a minute', async () => {
  await using scenario = await start('gateway-down');
  await scenario.stopGateway(minute);
  expect(await finish(scenario, limit)).toMatchObject({ rows: 300, charges: 300 });
});

test.concurrent('workers whose clocks differ by a minute pay each row once', async () => {
  await using scenario = await Scenario.start('skewed', { concurrencyLimit: limit });
  await scenario.add(150);
  await Promise.all([
    scenario.work('ahead', { skewMs: 30_000 }),
    scenario.work('exact'),
    scenario.work('behind', { skewMs: -30_000 }),
  ]);
  await scenario.ended(50);
  await scenario.kill('ahead');
  await scenario.ended(100);
  await scenario.work('ahead again', { skewMs: 30_000 });
  expect(await finish(scenario, limit)).toMatchObject({ rows: 150, charges: 150 });
});
