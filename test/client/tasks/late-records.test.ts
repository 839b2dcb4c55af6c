import { describe, expect, test } from 'vitest';

import { clientOf, jsonReply, scripted, virtualClock } from '../support.ts';

const succeeded = (file: number) =>
  jsonReply(200, { status: 'succeeded', video_url: `https://files.example/${file}.mp4` });

/** A client whose first poll receives, after three seconds, that the task is running. It succeeds before the second one. */
function lateFirst() {
  const clock = virtualClock();
  const { fetch } = scripted(async () => {
    await clock.sleep(3_000);
    return Response.json({ status: 'running' });
  }, succeeded(1));
  return { clock, gateway: clientOf(fetch, { clock }) };
}

describe('a record that arrives late', () => {
  test('does not undo the end of the task', async () => {
    const { clock, gateway } = lateFirst();
    const task = gateway.videos.task('task_1');
    const late = task.retrieve();
    await task.retrieve();
    expect(task.latest?.status).toBe('succeeded');
    expect((await clock.settle(late)).status).toBe('running');
    expect(task.latest?.status).toBe('succeeded');
    expect((await task.wait()).status).toBe('succeeded');
  });

  test('does not prolong a wait', async () => {
    const { clock, gateway } = lateFirst();
    const work = async () => {
      const task = gateway.videos.task('task_1');
      const statuses: string[] = [];
      const wait = task.wait({ onUpdate: ({ status }) => void statuses.push(status) });
      await clock.sleep(1_000);
      await task.retrieve();
      await wait;
      return statuses;
    };
    const started = clock.now();
    expect(await clock.settle(work())).toEqual(['succeeded']);
    expect(clock.now() - started).toBe(3_000);
  });

  test('replaces the URLs of a task that has ended, if it has ended, too', async () => {
    const { fetch } = scripted(succeeded(1), succeeded(2));
    const gateway = clientOf(fetch);
    const task = gateway.videos.task('task_1');
    await task.retrieve();
    await task.retrieve();
    expect(task.latest?.urls).toEqual(['https://files.example/2.mp4']);
  });
});

test('a wait that found no room for a poll returns the result that another poll has received', async () => {
  const clock = virtualClock();
  const gateway = clientOf(
    async (input) => {
      const { url } = new Request(input);
      return url.endsWith('task_1')
        ? Response.json({ status: 'succeeded', video_url: 'https://files.example/1.mp4' })
        : new Promise(() => undefined);
    },
    { clock },
  );
  const work = async () => {
    const stop = new AbortController();
    const hanging = Array.from({ length: 64 }, async () =>
      gateway.videos.wait('task_2', { signal: stop.signal }).catch(() => undefined),
    );
    const task = gateway.videos.task('task_1');
    const wait = task.wait({ waitTimeout: 2_000 });
    await clock.sleep(1_000);
    await task.retrieve();
    const { status } = await wait;
    stop.abort();
    await Promise.all(hanging);
    return status;
  };
  expect(await clock.settle(work())).toBe('succeeded');
});
