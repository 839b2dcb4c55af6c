/** Calls through servers and proxies while other threads keep the processor busy: virtual time is exact in each of 500. */
import { availableParallelism } from 'node:os';
import { Worker } from 'node:worker_threads';

import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import { directTimes, ways, work } from '../support/served-gateway.ts';

const threads: Worker[] = [];
beforeAll(() => {
  for (let count = 0; count < availableParallelism(); count += 1) {
    threads.push(new Worker('for (;;) Math.random();', { eval: true }));
  }
});
afterAll(() => Promise.all(threads.map((thread) => thread.terminate())));

describe.each(Object.entries(ways))('with %s', (_, start) => {
  test('500 of 500 calls take the same virtual time as without', { timeout: 600_000 }, async () => {
    const expected = await directTimes();
    for (let run = 0; run < 100; run += 1) {
      const way = await start();
      for (let call = 0; call < 5; call += 1) {
        expect(await work(way.mock, way.options)).toEqual(expected);
      }
      await way.close();
    }
  });
});
