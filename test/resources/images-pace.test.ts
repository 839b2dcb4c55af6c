import { describe, expect, test } from 'vitest';

import type { PolygateOptions, TaskUpdate, WaitOptions } from '../../src/index.ts';
import { answer, clientOf, image, scripted, virtualClock } from '../core/support.ts';
import type { Reply } from '../core/support.ts';

const running = answer(200, { id: 'task_1', status: 'in_progress', progress: '10%' });
const done = answer(200, { id: 'task_1', status: 'completed', image_url: 'https://cdn.example/a' });

/** The pauses before each poll of a task, ms, when the service answers the polls like this. */
async function pauses(
  polls: readonly Reply[],
  wait: WaitOptions<TaskUpdate<'image'>> = {},
  { random = () => 0 }: PolygateOptions = {},
  submit: Reply = answer(202, { id: 'task_1', status: 'queued' }),
): Promise<number[]> {
  const clock = virtualClock();
  const { fetch } = scripted(submit, ...polls, done);
  const at: number[] = [];
  const timed: typeof globalThis.fetch = (...request) => {
    at.push(clock.now());
    return fetch(...request);
  };
  const task = await clientOf(timed, { clock, random }).images.submit(image);
  await clock.settle(task.wait(wait));
  return at.slice(1).map((time, index) => time - (at[index] ?? 0));
}

/** The same answer so many times. */
function times(count: number, reply: Reply): Reply[] {
  return Array.from({ length: count }, () => reply);
}

/** A running task whose answer names the time of the next poll. */
function later(retryAfter: string, status = 200): Reply {
  const record = { id: 'task_1', status: 'in_progress' };
  return answer(status, status === 200 ? record : { error: { message: 'no' } }, {
    'retry-after': retryAfter,
  });
}

describe('the pauses between polls', () => {
  test('grow from pollInterval to maxPollInterval', async () => {
    const seen = await pauses(times(12, running));
    expect(seen[0]).toBe(2_000);
    expect(seen.at(-1)).toBe(5_000);
    expect(seen).toEqual(seen.toSorted((a, b) => a - b));
    expect(new Set(seen).size).toBeGreaterThan(2);
  });

  test('are lengthened by up to 20 % at random, and never leave the two', async () => {
    const shortest = await pauses(times(12, running));
    const longest = await pauses(times(12, running), {}, { random: () => 0.999_999 });
    for (const [index, pause] of longest.entries()) {
      const base = shortest[index] ?? 0;
      expect(pause).toBeGreaterThanOrEqual(base);
      expect(pause).toBeLessThanOrEqual(Math.min(5_000, base * 1.2));
    }
    expect(longest[0]).toBeGreaterThan(2_300);
    expect(longest.at(-1)).toBe(5_000);
  });

  test('are what the caller asks for', async () => {
    const seen = await pauses(times(30, running), { pollInterval: 100, maxPollInterval: 900 });
    expect(seen[0]).toBe(100);
    expect(seen.at(-1)).toBe(900);
    expect(Math.max(...seen)).toBe(900);
  });

  test('never shrink below a pollInterval that is longer than the default maximum', async () => {
    const seen = await pauses(times(5, running), { pollInterval: 20_000 });
    expect(Math.min(...seen)).toBeGreaterThanOrEqual(20_000);
  });

  test.each(['upscaling', 'PAUSED', 'moderation_pending'])(
    'stand between polls of a task whose status is %s, which counts as running',
    async (status) => {
      const seen = await pauses(times(4, answer(200, { id: 'task_1', status })));
      expect(seen).toHaveLength(5);
      expect(Math.min(...seen)).toBeGreaterThanOrEqual(2_000);
    },
  );

  test('stand between polls that fail', async () => {
    const seen = await pauses(times(5, answer(503, {})));
    expect(seen).toHaveLength(6);
    expect(Math.min(...seen)).toBeGreaterThanOrEqual(2_000);
    expect(Math.max(...seen)).toBeLessThanOrEqual(5_000);
  });
});

describe('a Retry-After wins over the pause', () => {
  test.each([
    ['shorter', '0.5', 500],
    ['longer', '20', 20_000],
    ['longer than a minute', '90', 90_000],
  ])('when it is %s', async (_, retryAfter, pause) => {
    const seen = await pauses([later(retryAfter), running]);
    expect(seen.slice(0, 2)).toEqual([2_000, pause]);
    expect(seen[2]).toBeLessThanOrEqual(5_000);
    expect(seen[2]).toBeGreaterThanOrEqual(2_000);
  });

  test.each([429, 503])('when it comes with a %i', async (status) => {
    expect((await pauses([later('1', status), later('30', status)])).slice(1)).toEqual([
      1_000, 30_000,
    ]);
  });

  test('when the answer to the submit names it', async () => {
    const record = { id: 'task_1', status: 'queued' };
    const submit = answer(202, record, { 'retry-after': '7' });
    expect(await pauses([], {}, {}, submit)).toEqual([7_000]);
  });

  test.each(['soon', '', '-5', 'Thu, 01 Jan 1970 00:00:00 GMT'])(
    'but not when it is garbage or past: %j',
    async (retryAfter) => {
      const [, pause] = await pauses([later(retryAfter)]);
      expect(pause).toBeGreaterThanOrEqual(2_000);
      expect(pause).toBeLessThanOrEqual(5_000);
    },
  );

  test('and not over the deadline', async () => {
    await expect(pauses([later('600')], { waitTimeout: 60_000 })).rejects.toMatchObject({
      name: 'TaskWaitTimeoutError',
    });
  });
});

test('a first poll comes at once for a task of which only the id is known', async () => {
  const clock = virtualClock();
  const since = clock.now();
  const { fetch, sent } = scripted(done);
  await clientOf(fetch, { clock }).images.wait('task_1');
  expect(clock.now()).toBe(since);
  expect(sent).toHaveLength(1);
});
