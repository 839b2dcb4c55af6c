import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

import { Polygate } from 'polygate';
import type { Journal } from 'polygate';
import { expect, test } from 'vitest';

setFlagsFromString('--expose-gc');
const collectGarbage: () => void = runInNewContext('gc');

/** Heap in use after a garbage collection, in MiB. */
function heap(): number {
  collectGarbage();
  return process.memoryUsage().heapUsed / 2 ** 20;
}

/** A service whose tasks succeed immediately, and which stores only the number of charges. */
function cheapService() {
  const paid = { count: 0 };
  const headers = { 'x-svc-charge-usd': '0.02', 'x-svc-concurrency-limit': '64' };
  const fetch = async (input: string | URL | Request, init: RequestInit = {}) => {
    if (init.method === 'POST') {
      paid.count += 1;
      return Response.json(
        { id: `task_${paid.count}`, status: 'queued' },
        { status: 202, headers },
      );
    }
    const id = (input instanceof Request ? input.url : String(input)).split('/').at(-1);
    return Response.json({ id, status: 'succeeded', image_url: `https://files.example/${id}` });
  };
  return { fetch, paid };
}

test.each([
  ['without a journal', undefined],
  [
    'with a journal',
    { read: async function* () {}, append: () => Promise.resolve() } satisfies Journal,
  ],
])('memory usage stays flat over 100,000 rows %s', async (_, journal) => {
  const { fetch, paid } = cheapService();
  const baseURL = 'https://host.example';
  const gateway = new Polygate({ apiKey: 'sk-test', baseURL, fetch, logLevel: 'off' });
  const rows = function* () {
    for (let row = 0; row < 100_000; row += 1) yield { row, prompt: `Harbor ${row} `.repeat(50) };
  };
  const describeRow = ({ prompt }: { prompt: string }) =>
    gateway.images.submission({ model: 'prism-image', prompt });
  const marks: number[] = [];
  let taken = 0;
  const id = ({ row }: { row: number }) => `row ${row}`;
  const options = { journal, id, pollInterval: 0, maxPollInterval: 0 };
  for await (const { status } of gateway.batch(rows(), describeRow, options)) {
    if (status !== 'succeeded') throw new Error(`row ${taken} is ${status}`);
    taken += 1;
    if (taken % 10_000 === 0) marks.push(heap());
  }
  expect(taken).toBe(100_000);
  expect(paid.count).toBe(100_000);
  const [, early = 0] = marks;
  expect(Math.max(...marks) - early).toBeLessThan(16);
});
