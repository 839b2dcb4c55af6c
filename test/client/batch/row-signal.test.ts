import { describe, expect, test } from 'vitest';

import { AbortedError } from '../../../src/index.ts';
import { collect } from '../../support/rejection.ts';
import { errorReply, image, onMock, scripted, turns } from '../support.ts';
import { chargedKeys, lineTypes, memoryJournal, newProcess, numbers } from './support.ts';

const submits = 'POST /v1/images/tasks';

/** A batch of three images in which the second has its own signal. */
function batchWithSignal(world: ReturnType<typeof onMock>, journal = memoryJournal()) {
  const stop = new AbortController();
  const describeRow = (row: number) =>
    world.gateway.images.submission(image, row === 1 ? { signal: stop.signal } : {});
  const rows = collect(world.gateway.batch(numbers(3), describeRow, { journal }));
  return { stop, rows, journal };
}

const reason = new Error('no longer wanted');

describe("a submission's own signal aborts only its row", () => {
  test('while it waits for its task, which is not lost', async () => {
    const world = onMock({ tasks: { durationMs: 60_000 } });
    const { stop, rows, journal } = batchWithSignal(world);
    await world.mock.clock.advance(10_000);
    stop.abort(reason);
    const results = await world.mock.clock.settle(rows);
    const [aborted] = results;
    expect(aborted).toMatchObject({ input: 1, status: 'unknown', error: { cause: reason } });
    expect(aborted?.error).toBeInstanceOf(AbortedError);
    expect(aborted?.task?.id).toBe(world.mock.tasks[1]?.id);
    expect(results.map(({ status }) => status)).toEqual(['unknown', 'succeeded', 'succeeded']);
    const { gateway } = newProcess(world);
    const again = gateway.batch(numbers(3), () => gateway.images.submission(image), { journal });
    const finished = await world.mock.clock.settle(collect(again));
    expect(finished.map(({ status }) => status)).toEqual(numbers(3).map(() => 'succeeded'));
    expect(world.mock.invoice).toHaveLength(3);
  });

  test('before it is sent', async () => {
    const world = onMock();
    const { stop, rows, journal } = batchWithSignal(world);
    stop.abort(reason);
    const results = await world.mock.clock.settle(rows);
    const aborted = results.find(({ input }) => input === 1);
    expect(aborted).toMatchObject({
      status: 'failed',
      error: { name: 'AbortedError', cause: reason, outcome: 'not-sent' },
    });
    expect(aborted?.error?.message).toContain('row');
    expect(results.filter(({ status }) => status === 'succeeded')).toHaveLength(2);
    expect(journal.lines.filter((line) => line.includes('"id":"1"'))).toEqual([]);
    expect(chargedKeys(world.mock).size).toBe(2);
  });

  test('while its submit is in flight', async () => {
    const world = onMock();
    world.mock.fail({ route: submits, delayMs: 30_000, attempt: 2 });
    const { stop, rows } = batchWithSignal(world);
    await world.mock.clock.advance(1_000);
    stop.abort(reason);
    const results = await world.mock.clock.settle(rows);
    expect(results.find(({ input }) => input === 1)).toMatchObject({
      status: 'unknown',
      error: { name: 'AbortedError', cause: reason, outcome: 'unknown' },
    });
    expect(results.filter(({ status }) => status === 'succeeded')).toHaveLength(2);
  });

  test('while it waits to be sent again for lack of a slot', async () => {
    const world = onMock();
    const rejecting = scripted(
      errorReply(429, 'concurrency_limit_exceeded', { 'retry-after': '90' }),
    );
    const { gateway } = newProcess(world, { fetch: rejecting.fetch });
    const { stop, rows, journal } = batchWithSignal({ ...world, gateway });
    await turns();
    await world.mock.clock.advance(1_000);
    stop.abort(reason);
    const iterator = gateway.batch([1], () =>
      gateway.images.submission(image, { signal: stop.signal }),
    );
    const [row] = await world.mock.clock.settle(collect(iterator));
    expect(row).toMatchObject({ status: 'failed', error: { name: 'AbortedError', cause: reason } });
    expect(lineTypes(journal)).not.toContain('refused');
    rows.catch(() => undefined);
  });

  test('and leaves no listener on it', async () => {
    const world = onMock();
    const { signal } = new AbortController();
    let listeners = 0;
    const add = signal.addEventListener.bind(signal);
    const remove = signal.removeEventListener.bind(signal);
    signal.addEventListener = (...args: Parameters<typeof add>) => {
      listeners += 1;
      add(...args);
    };
    signal.removeEventListener = (...args: Parameters<typeof remove>) => {
      listeners -= 1;
      remove(...args);
    };
    const describeRow = () => world.gateway.images.submission(image, { signal });
    const rows = world.gateway.batch(numbers(10), describeRow);
    expect(await world.mock.clock.settle(collect(rows))).toHaveLength(10);
    expect(listeners).toBe(0);
  });
});
