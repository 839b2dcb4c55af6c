import { setTimeout as sleep } from 'node:timers/promises';

import { expect, test } from 'vitest';

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

async function finish(scenario: Scenario, details: object = {}): Promise<void> {
  console.log({ scenario: scenario.name, ...details, ...(await scenario.finish(limit)) });
}

test.concurrent('Redis can be killed and restarted', async () => {
  await using scenario = await start('redis-killed');
  const kills = 5;
  for (let kill = 0; kill < kills; kill += 1) {
    await sleep(2_000);
    await scenario.redis.kill();
    await sleep(kill * 1_000);
    await scenario.redis.start();
    if (kill === 2) {
      await scenario.kill('a');
      await scenario.work('a again');
    }
  }
  await finish(scenario, { kills });
});

test.concurrent('Redis can freeze for a minute', async () => {
  await using scenario = await start('redis-frozen');
  await scenario.redis.freeze(minute);
  await finish(scenario);
});

test.concurrent('Redis can freeze for longer than locks while a worker dies', async () => {
  await using scenario = await start('redis-frozen-killed');
  await Promise.all([scenario.redis.freeze(20_000), sleep(5_000).then(() => scenario.kill('a'))]);
  await scenario.redis.freeze(15_000);
  await finish(scenario);
});

test.concurrent('the gateway can refuse connections for a minute', async () => {
  await using scenario = await start('gateway-down');
  await scenario.stopGateway(minute);
  await finish(scenario);
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
  await finish(scenario);
  expect(scenario.taken).toHaveLength(150);
});
