import * as fc from 'fast-check';
import { expect, onTestFinished, test } from 'vitest';

import { createMockGateway } from '../../src/mock/index.ts';
import type { MockGatewayOptions } from '../../src/mock/index.ts';
import { listen } from '../../src/mock/node/index.ts';
import { fuzzRequest } from './mock-requests.ts';
import { Watcher } from './mock-watcher.ts';

/** To repeat a run: `FUZZ_SEED=123 npm run test:long`. */
const seed = Number(process.env.FUZZ_SEED ?? Math.floor(Math.random() * 2 ** 31));
console.log(`fuzz seed: ${seed}`);

const options: MockGatewayOptions = {
  keys: [
    { key: 'sk-a', user: 1 },
    { key: 'sk-b', user: 2 },
    { key: 'sk-off', user: 3, state: 'disabled' },
  ],
  wallet: { usd: 1e6 },
  tasks: { durationMs: 0 },
  materials: { durationMs: 0 },
  maxBodyBytes: 60_000,
  seed,
};

async function fuzz(watcher: Watcher, numRuns: number, salt: number): Promise<void> {
  const property = fc.asyncProperty(fuzzRequest, async (request) => {
    await watcher.send(request);
  });
  await fc.assert(property, { numRuns, seed: seed + salt, endOnFailure: true });
  await watcher.settle({ 'sk-a': '1', 'sk-b': '2' });
}

test('5,000 random requests get only documented responses, never a 500, and never raise the balance', async () => {
  const mock = createMockGateway({ ...options, clock: 'virtual' });
  const watcher = new Watcher(mock, mock.fetch, mock.baseURL, true);
  await expect(fuzz(watcher, 5000, 0)).resolves.toBeUndefined();
});

test('3,000 random requests get no 500 and no undocumented error, with every assumption switched', async () => {
  const assumptions = {
    A1: 'videos',
    A2: 'images/tasks',
    A3: 'openai',
    A4: 'raw',
    A5: 'output',
    A6: 'data',
    A11: 'replay',
    A12: 'replay',
    A13: 'conflict',
    A20: 'on',
    A21: 'absent',
  } as const;
  const mock = createMockGateway({ ...options, clock: 'virtual', assumptions });
  const watcher = new Watcher(mock, mock.fetch, mock.baseURL, false);
  await expect(fuzz(watcher, 3000, 1)).resolves.toBeUndefined();
});

test('2,000 random requests over a socket get only documented responses', async () => {
  const mock = createMockGateway(options);
  const { baseURL, close } = await listen(mock);
  onTestFinished(close);
  await expect(fuzz(new Watcher(mock, fetch, baseURL, true), 2000, 2)).resolves.toBeUndefined();
});

test('gateways with the same seed return identical bytes', async () => {
  const transcript = async () => {
    const mock = createMockGateway({ ...options, clock: 'virtual' });
    const watcher = new Watcher(mock, mock.fetch, mock.baseURL, true);
    const responses: string[] = [];
    for (const request of fc.sample(fuzzRequest, { seed, numRuns: 500 })) {
      responses.push(await watcher.send(request));
      await mock.clock.advance(100);
    }
    return responses;
  };
  expect(await transcript()).toEqual(await transcript());
});
