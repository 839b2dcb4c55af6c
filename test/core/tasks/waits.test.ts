import { Polygate, TaskWaitTimeoutError } from 'polygate';
import { createMockGateway } from 'polygate/mock';
import { describe, expect, test } from 'vitest';

import { countingClock } from '../support.ts';

/** A clock that counts who sleeps, and a gateway and a client that live by it. */
function setup(fetch?: typeof globalThis.fetch) {
  const mock = createMockGateway({ clock: 'virtual', tasks: { durationMs: 8_000 } });
  const { clock, seen } = countingClock(mock.clock);
  const { apiKey, baseURL } = mock;
  const gateway = new Polygate({ apiKey, baseURL, fetch: fetch ?? mock.fetch, clock });
  return { mock, gateway, seen };
}

describe('many waits', () => {
  test('poll at most 64 at a time and leave no timer behind', async () => {
    let polling = 0;
    let mostPolling = 0;
    const { mock, gateway, seen } = setup(async (input, init) => {
      polling += 1;
      mostPolling = Math.max(mostPolling, polling);
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
    seen.most = 0;
    const waits = Array.from({ length: 200 }, () => gateway.videos.wait(task.id));
    const videos = await mock.clock.settle(Promise.all(waits));
    expect(videos.every(({ urls }) => urls.length === 1)).toBe(true);
    expect(mostPolling).toBe(64);
    // Each wait has one timer: the delay before its next poll, its deadline in the queue, or the timeout of its poll.
    expect(seen.most).toBeLessThanOrEqual(waits.length + 2);
    expect(seen.sleeping).toBe(0);
  });

  test('end at their deadlines although every turn is taken by a poll that hangs', async () => {
    const { mock, gateway, seen } = setup(() => new Promise(() => undefined));
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
    expect(seen.sleeping).toBe(0);
  });

  test('leave at once when they are aborted, also from the queue for a turn', async () => {
    const { mock, gateway, seen } = setup(() => new Promise(() => undefined));
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
    expect(seen.sleeping).toBe(0);
  });
});
