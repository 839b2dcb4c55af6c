import { Polygate, TaskWaitTimeoutError } from 'polygate';
import { createMockGateway } from 'polygate/mock';
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';

import { Agenda } from '../../../src/core/limits/agenda.ts';
import { countingClock } from '../support.ts';

/** A gateway and a client that share a clock, which counts its sleeps. */
function setup(fetch?: typeof globalThis.fetch) {
  const mock = createMockGateway({ clock: 'virtual', tasks: { durationMs: 8_000 } });
  const { clock, sleeps } = countingClock(mock.clock);
  const { apiKey, baseURL } = mock;
  const gateway = new Polygate({ apiKey, baseURL, fetch: fetch ?? mock.fetch, clock });
  return { mock, gateway, sleeps };
}

describe('many waits', () => {
  test('share one timer, and poll at most 64 at a time', async () => {
    let polling = 0;
    let maxPolling = 0;
    const { mock, gateway, sleeps } = setup(async (input, init) => {
      polling += 1;
      maxPolling = Math.max(maxPolling, polling);
      await new Promise((resolve) => {
        setImmediate(resolve);
      });
      return mock.fetch(input, init).finally(() => {
        polling -= 1;
      });
    });
    const task = await mock.clock.settle(
      gateway.videos.submit({ model: 'tide-video', prompt: 'A harbour' }),
    );
    sleeps.max = 0;
    const waits = Array.from({ length: 200 }, () => gateway.videos.wait(task.id));
    const videos = await mock.clock.settle(Promise.all(waits));
    expect(videos.every(({ urls }) => urls.length === 1)).toBe(true);
    expect(maxPolling).toBe(64);
    // Each poll in flight has its timeout. All delays share one timer, which may be replaced at this moment.
    expect(sleeps.max).toBeLessThanOrEqual(64 + 2);
    expect(sleeps.pending).toBe(0);
  });

  test('end at their deadlines even if hanging polls occupy every slot', async () => {
    const { mock, gateway, sleeps } = setup(() => new Promise(() => undefined));
    const waits = Array.from({ length: 200 }, (_, index) =>
      gateway.videos.wait(`task_${index}`, { waitTimeout: 10_000 + index }),
    );
    const started = mock.clock.now();
    const ended = waits.map(async (wait, index) => {
      const error: unknown = await wait.catch((reason: unknown) => reason);
      return { late: mock.clock.now() - started - 10_000 - index, error };
    });
    for (const { late, error } of await mock.clock.settle(Promise.all(ended))) {
      expect(error).toBeInstanceOf(TaskWaitTimeoutError);
      expect(late).toBe(0);
    }
    expect(sleeps.pending).toBe(0);
  });

  test('reject immediately when they are aborted, even while queued for a slot', async () => {
    const { mock, gateway, sleeps } = setup(() => new Promise(() => undefined));
    const stop = new AbortController();
    const waits = Array.from({ length: 200 }, (_, index) =>
      gateway.videos.wait(`task_${index}`, { signal: stop.signal }),
    );
    await mock.clock.advance(1_000);
    const reason = new Error('enough');
    stop.abort(reason);
    for (const result of await Promise.allSettled(waits)) {
      expect(result).toMatchObject({ status: 'rejected', reason: { cause: reason } });
    }
    expect(sleeps.pending).toBe(0);
  });
});

test('an agenda fires every entry that was not cancelled, in order of time', async () => {
  const entries = fc.array(fc.record({ ms: fc.nat(50), cancelled: fc.boolean() }));
  await fc.assert(
    fc.asyncProperty(entries, async (planned) => {
      const { clock } = createMockGateway({ clock: 'virtual' });
      const agenda = new Agenda(clock);
      const begin = clock.now();
      const fired: [number, number][] = [];
      const cancels = planned.map(({ ms }) =>
        agenda.add(ms, () => fired.push([ms, clock.now() - begin])),
      );
      for (const [index, { cancelled }] of planned.entries()) if (cancelled) cancels[index]?.();
      await clock.advance(60);
      const kept = planned.filter(({ cancelled }) => !cancelled).map(({ ms }) => ms);
      expect(fired).toEqual(kept.toSorted((one, other) => one - other).map((ms) => [ms, ms]));
    }),
    { numRuns: 100 },
  );
});
