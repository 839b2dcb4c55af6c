/**
 * Calls through servers and proxies while other threads keep the processor busy: virtual time is exact in each of them.
 * `POLYGATE_TEST_CALLS=500` makes more calls, in seven minutes.
 */
import { availableParallelism } from 'node:os';
import { Worker } from 'node:worker_threads';

import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import { directTimes, ways, work } from '../support/served-gateway.ts';

const calls = Number(process.env.POLYGATE_TEST_CALLS ?? 100);

const threads: Worker[] = [];
beforeAll(() => {
  for (let count = 0; count < availableParallelism(); count += 1) {
    threads.push(new Worker('for (;;) Math.random();', { eval: true }));
  }
});
afterAll(() => Promise.all(threads.map((thread) => thread.terminate())));

describe.each(Object.entries(ways))('with %s', (_, start) => {
  test('calls take the same virtual time as without', { timeout: 600_000 }, async () => {
    const expected = await directTimes();
    for (let run = 0; run < calls / 5; run += 1) {
      const way = await start();
      for (let call = 0; call < 5; call += 1) {
        expect(await work(way.mock, way.options)).toEqual(expected);
      }
      await way.close();
    }
  });
});
