import { Session } from 'node:inspector/promises';
import { setTimeout as sleep } from 'node:timers/promises';

import { expect, test } from 'vitest';

import { Polygate } from '../../src/index.ts';

/** A poll may allocate this many times as much as a `fetch` without a network, `JSON.parse` and a timer. */
const maxRatio = 2.15;
const tasks = 300;
const pollsPerTask = 10;
/** Shortest delay between two polls, in ms. */
const pollInterval = 100;

const baseURL = 'https://gateway.example';
const running = JSON.stringify({ id: 'task_1', status: 'running', progress: 40 });
const url = 'https://files.example/task_1.png';
const succeeded = JSON.stringify({ id: 'task_1', status: 'succeeded', image_url: url });
const init = { headers: { 'content-type': 'application/json', 'x-request-id': 'request_1' } };

/** A service that reports a task as running, except for its last poll. */
function createService(): typeof fetch {
  const polls = new Map<string, number>();
  return async (input) => {
    const path = input instanceof Request ? input.url : String(input);
    const count = (polls.get(path) ?? 0) + 1;
    polls.set(path, count);
    return new Response(count < pollsPerTask ? running : succeeded, init);
  };
}

async function waitWithFetch(send: typeof fetch, id: string): Promise<void> {
  const headers = { accept: 'application/json', authorization: 'Bearer sk-test' };
  for (;;) {
    const response = await send(`${baseURL}/v1/images/tasks/${id}`, { headers });
    const { status } = JSON.parse(await response.text());
    if (status === 'succeeded') return;
    await sleep(pollInterval);
  }
}

/** Waits for all tasks at the same time. */
async function waitForAll(wait: (id: string) => Promise<unknown>): Promise<void> {
  await Promise.all(Array.from({ length: tasks }, async (_, index) => wait(`task_${index}`)));
}

async function baseline(): Promise<void> {
  const send = createService();
  await waitForAll(async (id) => waitWithFetch(send, id));
}

async function client(): Promise<void> {
  const gateway = new Polygate({ apiKey: 'sk-test', baseURL, fetch: createService() });
  const options = { pollInterval, maxPollInterval: pollInterval };
  await waitForAll(async (id) => gateway.images.wait(id, options));
}

/** Bytes that the work allocates per poll, garbage included. */
async function allocatedBytes(work: () => Promise<void>): Promise<number> {
  const session = new Session();
  session.connect();
  await session.post('HeapProfiler.startSampling', {
    samplingInterval: 512,
    includeObjectsCollectedByMajorGC: true,
    includeObjectsCollectedByMinorGC: true,
  });
  await work();
  const { profile } = await session.post('HeapProfiler.stopSampling');
  session.disconnect();
  const sum = (node: typeof profile.head): number =>
    node.children.reduce((total, child) => total + sum(child), node.selfSize);
  return sum(profile.head) / tasks / pollsPerTask;
}

test('a poll allocates about twice as much as fetch, JSON.parse and a timer', async () => {
  // The first round compiles the code.
  await baseline();
  await client();
  const raw = await allocatedBytes(baseline);
  const polling = await allocatedBytes(client);
  expect(polling / raw).toBeLessThan(maxRatio);
});
