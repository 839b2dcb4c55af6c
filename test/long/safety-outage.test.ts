import { expect, test } from 'vitest';

import { Polygate } from '../../src/index.ts';
import type { Clock, TaskUpdate } from '../../src/index.ts';
import { createMockGateway } from '../../src/mock/index.ts';
import type { Fault, MockGateway } from '../../src/mock/index.ts';

const tasks = 1_000;
const minute = 60_000;
const image = { model: 'prism-image', prompt: 'A harbor' };
const poll = 'GET /v1/images/tasks/{id}';
const outage: readonly Fault[] = [
  { unreachable: true },
  { status: 503 },
  { status: 503, retryAfter: 7 },
  { reset: 'before' },
  { stallHeaders: true },
];

test(`an outage of ten minutes loses none of ${tasks.toLocaleString('en')} waiting tasks`, async () => {
  const { mock, gateway, polls } = setup({ durationMs: 5 * minute });
  const { clock } = mock;
  const errors = new Map<string, number>();
  const onUpdate = ({ id, pollError }: TaskUpdate) => {
    if (pollError !== undefined) errors.set(id, (errors.get(id) ?? 0) + 1);
  };
  const generations = Promise.all(
    Array.from({ length: tasks }, () => gateway.images.generate(image, { onUpdate })),
  );
  await clock.advance(minute);
  expect(errors.size).toBe(0);
  for (const fault of outage) {
    const failing = mock.fail({ route: poll, ...fault });
    await clock.advance((10 * minute) / outage.length);
    failing.remove();
  }
  expect(errors.size).toBe(tasks);
  expect(mock.invoice).toHaveLength(tasks);
  const restored = clock.now();
  const done = await clock.settle(generations);
  expect(new Set(done.map(({ id }) => id)).size).toBe(tasks);
  expect(done.every(({ status, urls }) => status === 'succeeded' && urls.length > 0)).toBe(true);
  expect(Math.min(...errors.values())).toBeGreaterThan(20);
  // The last poll may hang until its timeout of a minute; after that, every wait polls within the longest interval.
  expect(clock.now() - restored).toBeLessThanOrEqual(minute + 6_000);
  checkPollRate(polls);
  expect(gateway.spend.totalUsd).toBeCloseTo(mock.wallet.spentUsd, 6);
  expect(gateway.concurrency).toMatchObject({ inFlight: 0, queued: 0 });
});

/** No task is polled more often than every two seconds, and the polls are spread over time. */
function checkPollRate(polls: ReadonlyMap<string, number[]>): void {
  const perSecond = new Map<number, number>();
  let count = 0;
  let minInterval = Infinity;
  for (const times of polls.values()) {
    count += times.length;
    for (const [index, at] of times.entries()) {
      minInterval = Math.min(minInterval, at - (times[index - 1] ?? -Infinity));
      const second = Math.floor(at / 1_000);
      perSecond.set(second, (perSecond.get(second) ?? 0) + 1);
    }
  }
  expect(polls.size).toBe(tasks);
  expect(minInterval).toBeGreaterThanOrEqual(2_000);
  // A little over eleven minutes, with one poll every two seconds at most and every four seconds on average.
  expect(count).toBeLessThan((tasks * 12 * minute) / 3_500);
  // At most 64 polls at once, which take a tenth of a second each: never all tasks in the same second.
  expect(Math.max(...perSecond.values())).toBeLessThanOrEqual(tasks * 0.64);
}

/** A gateway with a latency of a tenth of a second, and the times at which its tasks are polled. */
function setup(settings: { durationMs: number }): {
  mock: MockGateway;
  gateway: Polygate;
  polls: Map<string, number[]>;
} {
  const mock = createMockGateway({
    clock: 'virtual',
    latencyMs: 100,
    tasks: settings,
    history: 10 * tasks,
  });
  const polls = new Map<string, number[]>();
  const fetch: typeof mock.fetch = (input, init) => {
    const url = input instanceof Request ? input.url : input.toString();
    if (init?.method === 'GET') {
      const times = polls.get(url) ?? [];
      polls.set(url, times);
      times.push(mock.clock.now());
    }
    return mock.fetch(input, init);
  };
  // Rounds the ends of sleeps to a common grid: a virtual clock is slow if every sleep ends at a different time.
  const rounded = (ms: number) => Math.ceil((mock.clock.now() + ms) / 50) * 50 - mock.clock.now();
  const clock: Clock = {
    now: () => mock.clock.now(),
    sleep: (ms, signal) => mock.clock.sleep(rounded(ms), signal),
  };
  const { apiKey, baseURL } = mock;
  return { mock, gateway: new Polygate({ apiKey, baseURL, clock, fetch, logLevel: 'off' }), polls };
}
