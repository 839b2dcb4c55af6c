import { AbortedError, Polygate, TaskWaitTimeoutError } from 'polygate';
import type { Clock } from 'polygate';
import { createMockGateway } from 'polygate/mock';
import { describe, expect, test } from 'vitest';

import { clientOf, countingClock, turns, virtualClock } from '../support.ts';

/** A gateway and a client that share a clock, which counts its sleeps. */
function setup(fetch?: typeof globalThis.fetch, durationMs = 8_000) {
  const mock = createMockGateway({ clock: 'virtual', tasks: { durationMs } });
  const { clock, sleeps } = countingClock(mock.clock);
  const { apiKey, baseURL } = mock;
  const gateway = new Polygate({ apiKey, baseURL, fetch: fetch ?? mock.fetch, clock });
  return { mock, gateway, sleeps };
}

describe('many waits', () => {
  test('poll in the order in which they became due', async () => {
    const polled: string[] = [];
    const { mock, gateway } = setup(async (input) => {
      polled.push(String(input instanceof Request ? input.url : input).replace(/.*\//, ''));
      await turns(1);
      return Response.json({ status: 'failed' });
    });
    const ids = Array.from({ length: 1_000 }, (_, index) => `task_${index}`);
    await mock.clock.settle(Promise.allSettled(ids.map(async (id) => gateway.videos.wait(id))));
    expect(polled).toEqual(ids);
  });

  test('that become due together leave the event loop free between their polls', async () => {
    let started = 0;
    const { mock, gateway } = setup(async () => {
      started += 1;
      await turns(1);
      return Response.json({ status: 'failed' });
    });
    const startedPerTurn: number[] = [];
    const waits = Array.from({ length: 1_000 }, async (_, index) =>
      gateway.videos.wait(`task_${index}`),
    );
    const ended = mock.clock.settle(Promise.allSettled(waits));
    while (started < waits.length) {
      const before = started;
      await turns(1);
      startedPerTurn.push(started - before);
    }
    await ended;
    expect(Math.max(...startedPerTurn)).toBeLessThanOrEqual(64);
  });

  test('poll at most 64 at a time, with one timer per wait', async () => {
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
      gateway.videos.submit({ model: 'tide-video', prompt: 'A harbor' }),
    );
    sleeps.max = 0;
    const waits = Array.from({ length: 200 }, () => gateway.videos.wait(task.id));
    const videos = await mock.clock.settle(Promise.all(waits));
    expect(videos.every(({ urls }) => urls.length === 1)).toBe(true);
    expect(maxPolling).toBe(64);
    // The delay before the next poll, the deadline in the queue, or the timeout of a poll in flight.
    expect(sleeps.max).toBeLessThanOrEqual(waits.length + 2);
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

  test('reject if they are aborted just before they have to queue', async () => {
    const { gateway } = setup(() => new Promise(() => undefined));
    for (let index = 0; index < 64; index += 1) {
      gateway.videos.wait(`task_${index}`).catch(() => undefined);
    }
    const stop = new AbortController();
    const aborted = gateway.videos.wait('task_64', { signal: stop.signal });
    stop.abort();
    const pending = turns(20).then(() => 'still pending');
    await expect(Promise.race([aborted, pending])).rejects.toBeInstanceOf(AbortedError);
  });

  test('end even if the time of a queued poll is up in the moment in which its turn comes', async () => {
    for (let delay = 0; delay < 60; delay += 1) {
      const clock = virtualClock();
      const late: Clock = {
        now: () => clock.now(),
        sleep: async (ms, signal) => {
          await clock.sleep(ms, signal);
          for (let count = 0; count < delay; count += 1) await Promise.resolve();
        },
      };
      const gateway = clientOf(
        async (_, init) => {
          await clock.sleep(5_000, init?.signal ?? undefined);
          return Response.json({ status: 'failed' });
        },
        { clock: late },
      );
      const waitFor = (count: number, waitTimeout = 60_000) =>
        Array.from({ length: count }, async () => gateway.videos.wait('task_1', { waitTimeout }));
      const waits = [...waitFor(64), ...waitFor(1, 5_000), ...waitFor(70)];
      const start = clock.now();
      await clock.settle(Promise.allSettled(waits));
      expect(clock.now() - start).toBeLessThan(30_000);
    }
  });

  test('that were aborted leave their turns to others', async () => {
    let polling = 0;
    const { mock, gateway } = setup(() => {
      polling += 1;
      return new Promise(() => undefined);
    });
    const waitFor = (count: number, signal: AbortSignal) =>
      Array.from({ length: count }, async (_, index) =>
        gateway.videos.wait(`task_${index}`, { signal }),
      );
    for (let round = 1; round <= 3; round += 1) {
      const stop = new AbortController();
      const waits = waitFor(200, stop.signal);
      await mock.clock.advance(1_000);
      expect(polling).toBe(64 * round);
      stop.abort();
      await Promise.allSettled(waits);
    }
  });
});

test('a wait without a poll interval still leaves 100 ms between any two of thousands of polls', async () => {
  const { mock, gateway } = setup(undefined, 400_000);
  const polledAt: number[] = [];
  const video = await mock.clock.settle(
    gateway.videos.generate(
      { model: 'tide-video', prompt: 'A harbor' },
      { pollInterval: 0, onUpdate: () => void polledAt.push(mock.clock.now()) },
    ),
  );
  expect(video.urls).toHaveLength(1);
  expect(polledAt.length).toBeGreaterThan(3_900);
  const delays = polledAt.slice(1).map((time, index) => time - (polledAt[index] ?? NaN));
  expect(new Set(delays)).toEqual(new Set([100]));
});

test('only the update of a poll that failed has a pollError', async () => {
  let polls = 0;
  const { mock, gateway } = setup(async (input, init) => {
    polls += 1;
    return polls === 3 ? new Response('', { status: 503 }) : mock.fetch(input, init);
  });
  const updates: boolean[] = [];
  await mock.clock.settle(
    gateway.videos.generate(
      { model: 'tide-video', prompt: 'A harbor' },
      { onUpdate: ({ pollError }) => void updates.push(Boolean(pollError)) },
    ),
  );
  expect(updates.slice(0, 3)).toEqual([false, true, false]);
  expect(updates.length).toBeGreaterThan(2);
});

test('a poll looks up no header but Retry-After', async () => {
  const read: string[] = [];
  const headers = new Headers({ 'content-type': 'application/json', 'x-request-id': 'request_1' });
  const get = (name: string) => {
    read.push(name);
    return headers.get(name);
  };
  const { mock, gateway } = setup(async () =>
    Object.defineProperty(Response.json({ status: 'failed' }), 'headers', { value: { get } }),
  );
  await mock.clock.settle(gateway.videos.wait('task_1').catch(() => undefined));
  // A client with hooks also needs the content type: a hook never receives the body of an event stream.
  expect(read.filter((name) => name !== 'content-type')).toEqual(['retry-after']);
});

/** A client whose service reports one state after another, the first of them late. */
function reporting(...states: readonly string[]) {
  let polls = 0;
  const result = setup(async () => {
    polls += 1;
    const status = states[polls - 1] ?? states.at(-1);
    if (polls === 1) await result.mock.clock.sleep(3_000);
    return Response.json({ status, video_url: 'https://files.example/a.mp4' });
  });
  return result;
}

test('updates end with the final one, even if the task is polled between two of them', async () => {
  const { mock, gateway } = reporting('running', 'succeeded');
  const seen: string[] = [];
  const read = async () => {
    const task = gateway.videos.task('task_1');
    for await (const { status } of task.updates()) {
      seen.push(status);
      await task.retrieve();
    }
  };
  await mock.clock.settle(read());
  expect(seen).toEqual(['running', 'succeeded']);
});

test('updates do not continue when the response to an earlier poll arrives late', async () => {
  const { mock, gateway } = reporting('running', 'succeeded');
  const seen: string[] = [];
  const read = async () => {
    const task = gateway.videos.task('task_1');
    const earlier = task.retrieve();
    for await (const { status } of task.updates()) {
      seen.push(status);
      await mock.clock.sleep(4_000);
    }
    await earlier;
  };
  await mock.clock.settle(read());
  expect(seen).toEqual(['succeeded']);
});

test('a wait whose time is up returns the result that another wait has received', async () => {
  const { mock, gateway } = setup(undefined, 1_000);
  const wait = async () => {
    const task = await gateway.videos.submit({ model: 'tide-video', prompt: 'A harbor' });
    return Promise.all([
      task.wait({ pollInterval: 1_000 }),
      task.wait({ pollInterval: 3_000, waitTimeout: 2_000 }),
    ]);
  };
  for (const { status } of await mock.clock.settle(wait())) expect(status).toBe('succeeded');
});

test('a caller that modifies an update changes neither the task nor the wait', async () => {
  const { mock, gateway } = setup();
  const read = async () => {
    const task = await gateway.videos.submit({ model: 'tide-video', prompt: 'A harbor' });
    const spoil = (update: { status: string; urls: string[] }) => {
      update.status = 'changed';
      update.urls = [];
    };
    for await (const update of task.updates()) spoil(update);
    expect(task.latest.status).toBe('succeeded');
    const video = await task.wait({ onUpdate: spoil });
    expect(video.urls).toHaveLength(1);
  };
  await mock.clock.settle(read());
});

test('the response of generate() is that of the submission, without its body', async () => {
  const url = 'https://gateway.example/v1/videos';
  const { mock, gateway } = setup(async (input, init) =>
    Object.defineProperty(await mock.fetch(input, init), 'url', { value: url }),
  );
  const params = { model: 'tide-video', prompt: 'A harbor' };
  const { data, response, meta } = await mock.clock.settle(
    gateway.videos.generate(params).withResponse(),
  );
  expect(data.urls).toHaveLength(1);
  expect(response).toMatchObject({ status: 202, url, body: null });
  expect(meta).toMatchObject({ status: 202, chargeUsd: gateway.spend.totalUsd });
  expect(meta.chargeUsd).toBeGreaterThan(0);
  expect(response.headers.get('x-request-id')).toBe(meta.requestId);
});
