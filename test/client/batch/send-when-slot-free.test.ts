import { describe, expect, test } from 'vitest';

import { AbortedError } from '../../../src/index.ts';
import { caught, methodOf, onMock, errorReply, scripted, turns } from '../support.ts';
import { lineTypes, memoryJournal, newProcess, runImageBatch } from './support.ts';

describe('a row that gets no concurrency slot', () => {
  const rejecting = scripted(
    errorReply(429, 'concurrency_limit_exceeded', { 'retry-after': '90' }),
  );

  function withoutSlot(times: number) {
    const world = onMock({ tasks: { durationMs: 0 } });
    const { mock } = world;
    const at: number[] = [];
    const fetch: typeof globalThis.fetch = async (input, init) => {
      if (methodOf(input, init) !== 'POST') return mock.fetch(input, init);
      at.push(mock.clock.now());
      return (at.length <= times ? rejecting : mock).fetch(input, init);
    };
    return { at, ...newProcess(world, { fetch }) };
  }

  test('is submitted again after Retry-After, however long that is', async () => {
    const world = withoutSlot(2);
    const rows = await runImageBatch(world, [0]);
    expect(rows).toMatchObject([{ status: 'succeeded' }]);
    const [first = 0, second = 0, third = 0] = world.at;
    expect(world.at).toHaveLength(3);
    expect([second - first, third - second]).toEqual([90_000, 90_000]);
  });

  test('sends nothing more when the batch is aborted while it waits', async () => {
    const world = withoutSlot(Infinity);
    const stop = new AbortController();
    const journal = memoryJournal();
    const batch = runImageBatch(world, [0], { journal, signal: stop.signal });
    await turns();
    await world.mock.clock.advance(30_000);
    stop.abort();
    expect(await caught(batch)).toBeInstanceOf(AbortedError);
    expect(world.at).toHaveLength(1);
    expect(lineTypes(journal)).toEqual(['run', 'submit']);
  });
});
