import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';

import { expect, test } from 'vitest';

import { seededRandom } from '../../../src/mock/random.ts';
import { eventually } from '../../support/eventually.ts';
import { finish } from './finish.ts';
import { Scenario } from './scenario.ts';
import type { KillPoint } from './settings.ts';

const seed = process.env.SEED ?? String(Math.floor(Math.random() * 1e9));
const limit = 6;

test.concurrent.each([2, 3])(
  '%i workers that are killed 26 times pay each row once',
  async (count) => {
    const kills = 26;
    const random = seededRandom(`${seed} ${count}`);
    await using scenario = await Scenario.start(`${count}-killed`, { concurrencyLimit: limit });
    let killed = 0;
    const isOver = () => killed >= kills;
    const keepKilling = async (worker: string) => {
      while (!isOver()) {
        const child = await scenario.work(worker, { kill: killPoint(random) });
        // At any point of any step, unless the process has killed itself at a submission.
        const timer = setTimeout(() => child.kill('SIGKILL'), random() * 5_000);
        if (child.signalCode === null) await once(child, 'exit');
        clearTimeout(timer);
        killed += 1;
      }
      await scenario.work(worker);
    };
    const feed = async () => {
      while (!isOver()) {
        if (scenario.ids.length - scenario.taken.length < 100) await scenario.add(20);
        await sleep(100);
      }
    };
    const workers = Array.from({ length: count }, (_, index) => keepKilling(`worker ${index}`));
    await Promise.all([...workers, feed()]);
    const numbers = await finish(scenario, limit);
    const { posts } = numbers.period;
    console.log({ seed, killed, replays: posts - numbers.rows });
    expect(killed).toBeGreaterThanOrEqual(kills);
  },
);

test.concurrent('workers that die between an acceptance and its record pay each row once', async () => {
  const victims = Array.from({ length: 8 }, (_, index) => `victim ${index}`);
  await using scenario = await Scenario.start('unrecorded', { concurrencyLimit: limit });
  const killed = new Set<string>();
  scenario.onHandled = async (worker) => {
    if (!worker.startsWith('victim')) return;
    killed.add(worker);
    // The response goes nowhere.
    await scenario.kill(worker);
  };
  await scenario.add(40);
  await Promise.all(victims.map((worker) => scenario.work(worker, { concurrency: 1 })));
  // Without any response, the limit of the service is unknown. Then one slot exists, and each victim keeps it for six seconds.
  await eventually(() => expect(killed.size).toBe(victims.length), 300_000);
  await scenario.work('survivor');
  const numbers = await finish(scenario, limit);
  expect(numbers.period.posts).toBe(numbers.rows + victims.length);
});

/** Half of the processes kill themselves at one of their first submissions. */
function killPoint(random: () => number): KillPoint | undefined {
  const number = random();
  const post = 1 + Math.floor(random() * 6);
  if (number > 0.5) return undefined;
  return { at: number > 0.25 ? 'before' : 'after', post };
}
