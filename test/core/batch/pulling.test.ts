import { describe, expect, test, vi } from 'vitest';

import { AbortedError } from '../../../src/index.ts';
import { another, draw, drawing, memoryJournal, numbers, typesIn } from './support.ts';
import { caught, onMock, errorReply, scripted, turns } from '../support.ts';

/** A source of rows that counts what was pulled, and tells whether it was ended. */
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
  test('as slots come free: never many more than are on their way', async () => {
    const world = onMock({ concurrencyLimit: 4, latencyMs: 1_000, tasks: { durationMs: 0 } });
    const { mock, gateway } = world;
    const { seen, rows } = source();
    let taken = 0;
    const consume = async () => {
      for await (const row of gateway.batch(rows(), drawing(gateway))) {
        expect(row.status).toBe('succeeded');
        taken += 1;
        expect(seen.pulled - taken).toBeLessThanOrEqual(4 + 16 + 64);
        if (taken === 300) break;
      }
    };
    await mock.clock.settle(consume());
    expect(seen.ended).toBe(true);
  });

  test.each([1, 7])(
    'so that at most %d are on their way, where that is asked for',
    async (most) => {
      const world = onMock({ tasks: { durationMs: 60_000 } });
      const { mock, gateway } = world;
      const { seen, rows } = source(30);
      let taken = 0;
      const consume = async () => {
        const options = { maxInFlight: most };
        for await (const row of gateway.batch(rows(), drawing(gateway), options)) {
          expect(seen.pulled - taken).toBeLessThanOrEqual(most);
          expect(row.status).toBe('succeeded');
          taken += 1;
        }
      };
      await mock.clock.settle(consume());
      expect(taken).toBe(30);
    },
  );

  test('no further while the consumer is busy', async () => {
    const { mock, gateway } = onMock();
    const { seen, rows } = source();
    const batch = gateway.batch(rows(), drawing(gateway), { maxInFlight: 10 });
    await mock.clock.settle(batch.next());
    await mock.clock.advance(3_600_000);
    // The one that was taken is with the consumer until the next is asked for.
    expect(seen.pulled).toBe(10);
    await batch.return();
    expect(seen.ended).toBe(true);
  });

  test('from a slow source, whose results come while it is silent', async () => {
    const { mock, gateway } = onMock({ tasks: { durationMs: 1_000 } });
    const rows = async function* () {
      for (const row of numbers(3)) {
        yield row;
        // Keys are made in real time, which the clock does not know of.
        await vi.waitUntil(() => mock.invoice.length > row, { timeout: 20_000 });
        await mock.clock.sleep(100_000);
      }
    };
    const began = mock.clock.now();
    const at: number[] = [];
    const consume = async () => {
      for await (const _ of gateway.batch(rows(), drawing(gateway)))
        at.push(mock.clock.now() - began);
    };
    await mock.clock.settle(consume());
    expect(at.map((ms) => Math.floor(ms / 100_000))).toEqual([0, 1, 2]);
  });

  test('from a source that breaks: what was begun still comes, then its error', async () => {
    const { mock, gateway } = onMock();
    const broken = new Error('no more rows');
    for (const reason of [broken, undefined]) {
      const rows = function* () {
        yield* numbers(3);
        throw reason;
      };
      const seen: unknown[] = [];
      const consume = async () => {
        for await (const { status } of gateway.batch(rows(), drawing(gateway))) seen.push(status);
      };
      const outcome = consume().then(
        () => 'over',
        (error: unknown) => ({ error }),
      );
      expect(await mock.clock.settle(outcome)).toEqual({ error: reason });
      expect(seen).toEqual(['succeeded', 'succeeded', 'succeeded']);
    }
  });
});

describe('an end before the end', () => {
  /** How far a batch comes: each stage hangs, and says that it was reached. */
  const hang = () => new Promise<never>(() => undefined);
  type World = ReturnType<typeof onMock>;
  const stages: [string, (world: World) => Parameters<World['gateway']['batch']>][] = [
    [
      'reads the journal',
      ({ gateway }) => [
        numbers(5),
        drawing(gateway),
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
        drawing(gateway),
        { journal: memoryJournal([], { append: hang }) },
      ],
    ],
    [
      'waits for a row',
      ({ gateway }) => [{ [Symbol.asyncIterator]: () => ({ next: hang }) }, drawing(gateway)],
    ],
    ['waits for describe()', () => [numbers(5), hang]],
    [
      'waits for a slot',
      ({ mock, gateway }) => {
        mock.fail({ stallHeaders: true });
        return [numbers(30), drawing(gateway)];
      },
    ],
    ['waits for tasks', ({ gateway }) => [numbers(5), drawing(gateway)]],
  ];

  test.each(stages)('comes at once by a signal while it %s', async (_, inputs) => {
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

  test('by a signal that has aborted pulls nothing', async () => {
    const world = onMock();
    const { seen, rows } = source();
    const journal = memoryJournal();
    const error = await caught(draw(world, rows(), { journal, signal: AbortSignal.abort('no') }));
    expect(error).toMatchObject({ name: 'AbortedError', cause: 'no' });
    expect(seen.pulled).toBe(0);
    expect(journal.lines).toEqual([]);
  });

  test('by a signal between two results yields no other', async () => {
    const { mock, gateway } = onMock({ tasks: { durationMs: 0 } });
    const stop = new AbortController();
    const batch = gateway.batch(numbers(20), drawing(gateway), { signal: stop.signal });
    await mock.clock.settle(batch.next());
    await mock.clock.advance(60_000);
    stop.abort();
    expect(await caught(batch.next())).toBeInstanceOf(AbortedError);
  });

  test.each([
    ['break', ({ status }: { status: string }) => status === 'succeeded'],
    [
      'throw',
      () => {
        throw new Error('stop');
      },
    ],
  ])('by the consumer’s %s leaves nothing behind', async (_, leave) => {
    const { mock, gateway } = onMock({ latencyMs: 100, concurrencyLimit: 3 });
    const { seen, rows } = source();
    const consume = async () => {
      for await (const row of gateway.batch(rows(), drawing(gateway))) if (leave(row)) break;
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

  test('frees the listeners of the caller’s signal', async () => {
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
    await draw(world, numbers(10), { signal });
    expect(listening.size).toBe(0);
  });

  test('is no unhandled rejection when the source breaks after it', async () => {
    const { mock, gateway } = onMock();
    const unhandled: unknown[] = [];
    const note = (error: unknown) => unhandled.push(error);
    process.on('unhandledRejection', note);
    const rows = async function* () {
      yield 1;
      await mock.clock.sleep(1_000);
      throw new Error('too late');
    };
    for await (const _ of gateway.batch(rows(), () => Promise.reject(new Error('no row')))) break;
    await mock.clock.advance(2_000);
    await turns();
    process.off('unhandledRejection', note);
    expect(unhandled).toEqual([]);
  });
});

describe('a row that is refused a slot', () => {
  const refused = scripted(errorReply(429, 'concurrency_limit_exceeded', { 'retry-after': '90' }));

  function refusing(times: number) {
    const world = onMock({ tasks: { durationMs: 0 } });
    const { mock } = world;
    const at: number[] = [];
    const fetch: typeof globalThis.fetch = async (input, init) => {
      if (init?.method !== 'POST') return mock.fetch(input, init);
      at.push(mock.clock.now());
      return (at.length <= times ? refused : mock).fetch(input, init);
    };
    return { at, ...another(world, { fetch }) };
  }

  test('comes back after the time that it was told, however long that is', async () => {
    const world = refusing(2);
    const rows = await draw(world, [0]);
    expect(rows).toMatchObject([{ status: 'succeeded' }]);
    const [first = 0, second = 0, third = 0] = world.at;
    expect(world.at).toHaveLength(3);
    expect([second - first, third - second]).toEqual([90_000, 90_000]);
  });

  test('costs nothing when the batch is aborted meanwhile', async () => {
    const world = refusing(Infinity);
    const stop = new AbortController();
    const journal = memoryJournal();
    const batch = draw(world, [0], { journal, signal: stop.signal });
    await turns();
    await world.mock.clock.advance(30_000);
    stop.abort();
    expect(await caught(batch)).toBeInstanceOf(AbortedError);
    expect(world.at).toHaveLength(1);
    expect(typesIn(journal)).toEqual(['run', 'submit']);
  });
});
