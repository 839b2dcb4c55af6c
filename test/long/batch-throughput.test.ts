import { expect, test } from 'vitest';

import { describeImage, memoryJournal, numbers } from '../client/batch/support.ts';
import { onMock } from '../client/support.ts';

test('1,000 rows with a limit of 8 get no 429 and keep the slots busy', async () => {
  const world = onMock({ concurrencyLimit: 8, latencyMs: 1_000, tasks: { durationMs: 60_000 } });
  const { mock, gateway } = world;
  const startedAt = mock.clock.now();
  let last = 0;
  const submitted = new Set<unknown>();
  const consume = async () => {
    for await (const row of gateway.batch(numbers(1_000), describeImage(gateway), {
      journal: memoryJournal(),
    })) {
      expect(row.status).toBe('succeeded');
      submitted.add(row.task?.id);
    }
  };
  await mock.clock.settle(consume());
  for (const { method, at } of mock.requests) if (method === 'POST') last = Math.max(last, at);
  expect(submitted.size).toBe(1_000);
  expect(mock.requests.filter(({ method }) => method === 'POST')).toHaveLength(1_000);
  expect(mock.peakInFlight).toBe(8);
  const ideal = (1_000 / 8) * 1_000;
  expect(ideal / (last + 1_000 - startedAt)).toBeGreaterThan(0.9);
});

test('if running tasks occupy slots, rows wait for a slot as long as it takes', async () => {
  const world = onMock({
    concurrencyLimit: 8,
    assumptions: { A14: 'task' },
    tasks: { durationMs: 180_000 },
  });
  const { mock, gateway } = world;
  const statuses: unknown[] = [];
  const consume = async () => {
    for await (const row of gateway.batch(numbers(100), describeImage(gateway))) {
      statuses.push(row.error?.message ?? row.status);
    }
  };
  const startedAt = mock.clock.now();
  await mock.clock.settle(consume());
  expect((mock.clock.now() - startedAt) / 180_000).toBeLessThan(100 / 8 + 1);
  expect(new Set(statuses)).toEqual(new Set(['succeeded']));
});
