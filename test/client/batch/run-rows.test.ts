import { describe, expect, test, vi } from 'vitest';

import { AbortedError } from '../../../src/index.ts';
import { caught, onMock, turns } from '../support.ts';
import { runImageBatch, describeImage, memoryJournal, numbers } from './support.ts';

/** A source that counts the rows pulled from it, and records whether it was closed. */
function source(count = Infinity) {
  const seen = { pulled: 0, ended: false };
  const rows = function* () {
    try {
      for (; seen.pulled < count;) {
        seen.pulled += 1;
        yield seen.pulled - 1;
      }
    } finally {
      seen.ended = true;
    }
  };
  return { seen, rows };
}

describe('rows are pulled', () => {
  test('as slots become free, with a small number prepared ahead', async () => {
    const world = onMock({ concurrencyLimit: 4, latencyMs: 1_000, tasks: { durationMs: 0 } });
    const { mock, gateway } = world;
    const { seen, rows } = source();
    let taken = 0;
    const consume = async () => {
      for await (const row of gateway.batch(rows(), describeImage(gateway))) {
        expect(row.status).toBe('succeeded');
        taken += 1;
        expect(seen.pulled - taken).toBeLessThanOrEqual(4 + 16 + 64);
        if (taken === 300) break;
      }
    };
    await mock.clock.settle(consume());
    expect(seen.ended).toBe(true);
  });

  test.each([1, 7])('so that at most maxInFlight (%d) are in flight', async (maxInFlight) => {
    const world = onMock({ tasks: { durationMs: 60_000 } });
    const { mock, gateway } = world;
    const { seen, rows } = source(30);
    let taken = 0;
    const consume = async () => {
      const options = { maxInFlight };
      for await (const row of gateway.batch(rows(), describeImage(gateway), options)) {
        expect(seen.pulled - taken).toBeLessThanOrEqual(maxInFlight);
        expect(row.status).toBe('succeeded');
        taken += 1;
      }
    };
    await mock.clock.settle(consume());
    expect(taken).toBe(30);
  });

  test('no further than maxInFlight while the consumer is busy', async () => {
    const { mock, gateway } = onMock();
    const { seen, rows } = source();
    const batch = gateway.batch(rows(), describeImage(gateway), { maxInFlight: 10 });
    await mock.clock.settle(batch.next());
    await mock.clock.advance(3_600_000);
    // The row that was taken counts as in flight until the consumer requests the next one.
    expect(seen.pulled).toBe(10);
    await batch.return();
    expect(seen.ended).toBe(true);
  });

  test('from a slow source; results are yielded while it waits', async () => {
    const { mock, gateway } = onMock({ tasks: { durationMs: 1_000 } });
    const rows = async function* () {
      for (const row of numbers(3)) {
        yield row;
        // Keys are hashed in real time, independent of the virtual clock.
        await vi.waitUntil(() => mock.invoice.length > row, { timeout: 50_000 });
        await mock.clock.sleep(100_000);
      }
    };
    const began = mock.clock.now();
    const at: number[] = [];
    const consume = async () => {
      for await (const _ of gateway.batch(rows(), describeImage(gateway)))
        at.push(mock.clock.now() - began);
    };
    await mock.clock.settle(consume());
    expect(at.map((ms) => Math.floor(ms / 100_000))).toEqual([0, 1, 2]);
  });

  test('from a source that throws: its error follows the results of all rows pulled before', async () => {
    const { mock, gateway } = onMock();
    const broken = new Error('no more rows');
    for (const reason of [broken, undefined]) {
      const rows = function* () {
        yield* numbers(3);
        throw reason;
      };
      const seen: unknown[] = [];
      const consume = async () => {
        for await (const { status } of gateway.batch(rows(), describeImage(gateway)))
          seen.push(status);
      };
      const outcome = consume().then(
        () => 'ended',
        (error: unknown) => ({ error }),
      );
      expect(await mock.clock.settle(outcome)).toEqual({ error: reason });
      expect(seen).toEqual(['succeeded', 'succeeded', 'succeeded']);
    }
  });
});

describe('a batch that ends early', () => {
  /** Each stage of a batch, made to hang. */
  const hang = () => new Promise<never>(() => undefined);
  type World = ReturnType<typeof onMock>;
  const stages: [string, (world: World) => Parameters<World['gateway']['batch']>][] = [
    [
      'reads the journal',
      ({ gateway }) => [
        numbers(5),
        describeImage(gateway),
        {
          journal: memoryJournal([], {
            async *read() {
              yield await hang();
            },
          }),
        },
      ],
    ],
    [
      'writes the journal',
      ({ gateway }) => [
        numbers(5),
        describeImage(gateway),
        { journal: memoryJournal([], { append: hang }) },
      ],
    ],
    [
      'waits for a row',
      ({ gateway }) => [{ [Symbol.asyncIterator]: () => ({ next: hang }) }, describeImage(gateway)],
    ],
    ['waits for the row callback', () => [numbers(5), hang]],
    [
      'waits for a slot',
      ({ mock, gateway }) => {
        mock.fail({ stallHeaders: true });
        return [numbers(30), describeImage(gateway)];
      },
    ],
    ['waits for tasks', ({ gateway }) => [numbers(5), describeImage(gateway)]],
  ];

  test.each(stages)('ends immediately when the signal aborts while it %s', async (_, inputs) => {
    const world = onMock({ tasks: { durationMs: 1e9 } });
    const stop = new AbortController();
    const [rows, describeRow, options] = inputs(world);
    const batch = world.gateway.batch(rows, describeRow, { ...options, signal: stop.signal });
    const ended = caught(batch.next());
    await world.mock.clock.advance(10_000);
    const reason = new Error('enough');
    stop.abort(reason);
    const error = await ended;
    expect(error).toBeInstanceOf(AbortedError);
    expect(error.cause).toBe(reason);
    await turns();
    const { length } = world.mock.requests;
    await world.mock.clock.advance(3_600_000);
    expect(world.mock.requests).toHaveLength(length);
    expect(world.gateway.concurrency).toMatchObject({ inFlight: 0, queued: 0 });
    expect(await batch.next()).toEqual({ done: true, value: undefined });
  });

  test('pulls nothing when the signal has already aborted', async () => {
    const world = onMock();
    const { seen, rows } = source();
    const journal = memoryJournal();
    const error = await caught(
      runImageBatch(world, rows(), { journal, signal: AbortSignal.abort('no') }),
    );
    expect(error).toMatchObject({ name: 'AbortedError', cause: 'no' });
    expect(seen.pulled).toBe(0);
    expect(journal.lines).toEqual([]);
  });

  test.each([
    ['break', ({ status }: { status: string }) => status === 'succeeded'],
    [
      'throw',
      () => {
        throw new Error('stop');
      },
    ],
  ])("closes the source and frees all slots on the consumer's %s", async (_, stop) => {
    const { mock, gateway } = onMock({ latencyMs: 100, concurrencyLimit: 3 });
    const { seen, rows } = source();
    const consume = async () => {
      for await (const row of gateway.batch(rows(), describeImage(gateway))) if (stop(row)) break;
    };
    await mock.clock.settle(consume().catch(() => undefined));
    await turns();
    expect(seen.ended).toBe(true);
    expect(gateway.concurrency).toMatchObject({ inFlight: 0, queued: 0 });
    const { length } = mock.requests;
    const { pulled } = seen;
    await mock.clock.advance(3_600_000);
    expect(mock.requests).toHaveLength(length);
    expect(seen.pulled).toBe(pulled);
  });

  test("removes its listeners from the caller's signal", async () => {
    const world = onMock();
    const { signal } = new AbortController();
    const listening = new Set<unknown>();
    const add = signal.addEventListener.bind(signal);
    const remove = signal.removeEventListener.bind(signal);
    signal.addEventListener = (type: string, listener: never) => {
      listening.add(listener);
      add(type, listener);
    };
    signal.removeEventListener = (type: string, listener: never) => {
      listening.delete(listener);
      remove(type, listener);
    };
    await runImageBatch(world, numbers(10), { signal });
    expect(listening.size).toBe(0);
  });

  test('causes no unhandled rejection when the source throws later', async () => {
    const { mock, gateway } = onMock();
    const unhandled: unknown[] = [];
    const record = (error: unknown) => unhandled.push(error);
    process.on('unhandledRejection', record);
    const rows = async function* () {
      yield 1;
      await mock.clock.sleep(1_000);
      throw new Error('too late');
    };
    for await (const _ of gateway.batch(rows(), () => Promise.reject(new Error('no row')))) break;
    await mock.clock.advance(2_000);
    await turns();
    process.off('unhandledRejection', record);
    expect(unhandled).toEqual([]);
  });
});
