import { describe, expect, test } from 'vitest';

import type { PolygateOptions, TaskUpdate, WaitOptions } from '../../src/index.ts';
import { jsonReply, clientOf, image, scripted, virtualClock } from '../client/support.ts';
import type { Reply } from '../client/support.ts';

const running = jsonReply(200, { id: 'task_1', status: 'in_progress', progress: '10%' });
const done = jsonReply(200, {
  id: 'task_1',
  status: 'completed',
  image_url: 'https://cdn.example/a',
});

/** The delays before the polls of a task in ms, if the service responds to the polls like this. */
async function pollDelays(
  polls: readonly Reply[],
  wait: WaitOptions<TaskUpdate<'image'>> = {},
  { random = () => 0 }: PolygateOptions = {},
  submit: Reply = jsonReply(202, { id: 'task_1', status: 'queued' }),
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

/** The same reply, repeated. */
function repeat(count: number, reply: Reply): Reply[] {
  return Array.from({ length: count }, () => reply);
}

/** A running task whose response sets the time of the next poll. */
function withRetryAfter(retryAfter: string, status = 200): Reply {
  const record = { id: 'task_1', status: 'in_progress' };
  return jsonReply(status, status === 200 ? record : { error: { message: 'no' } }, {
    'retry-after': retryAfter,
  });
}

describe('delays between polls', () => {
  test('grow from pollInterval to maxPollInterval', async () => {
    const delays = await pollDelays(repeat(12, running));
    expect(delays[0]).toBe(2_000);
    expect(delays.at(-1)).toBe(5_000);
    expect(delays).toEqual(delays.toSorted((a, b) => a - b));
    expect(new Set(delays).size).toBeGreaterThan(2);
  });

  test('have up to 20% of random jitter, within the two bounds', async () => {
    const shortest = await pollDelays(repeat(12, running));
    const longest = await pollDelays(repeat(12, running), {}, { random: () => 0.999_999 });
    for (const [index, delay] of longest.entries()) {
      const base = shortest[index] ?? 0;
      expect(delay).toBeGreaterThanOrEqual(base);
      expect(delay).toBeLessThanOrEqual(Math.min(5_000, base * 1.2));
    }
    expect(longest[0]).toBeGreaterThan(2_300);
    expect(longest.at(-1)).toBe(5_000);
  });

  test('follow the options of the caller', async () => {
    const delays = await pollDelays(repeat(30, running), {
      pollInterval: 100,
      maxPollInterval: 900,
    });
    expect(delays[0]).toBe(100);
    expect(delays.at(-1)).toBe(900);
    expect(Math.max(...delays)).toBe(900);
  });

  test('are never shorter than a pollInterval above the default maximum', async () => {
    const delays = await pollDelays(repeat(5, running), { pollInterval: 20_000 });
    expect(Math.min(...delays)).toBeGreaterThanOrEqual(20_000);
  });

  test.each(['upscaling', 'PAUSED', 'moderation_pending'])(
    'apply to the unknown status %s, which counts as running',
    async (status) => {
      const delays = await pollDelays(repeat(4, jsonReply(200, { id: 'task_1', status })));
      expect(delays).toHaveLength(5);
      expect(Math.min(...delays)).toBeGreaterThanOrEqual(2_000);
    },
  );

  test('apply after failed polls', async () => {
    const delays = await pollDelays(repeat(5, jsonReply(503, {})));
    expect(delays).toHaveLength(6);
    expect(Math.min(...delays)).toBeGreaterThanOrEqual(2_000);
    expect(Math.max(...delays)).toBeLessThanOrEqual(5_000);
  });
});

describe('Retry-After takes precedence over the delay', () => {
  test.each([
    ['shorter', '0.5', 500],
    ['longer', '20', 20_000],
    ['longer than a minute', '90', 90_000],
  ])('if it is %s', async (_, retryAfter, delay) => {
    const delays = await pollDelays([withRetryAfter(retryAfter), running]);
    expect(delays.slice(0, 2)).toEqual([2_000, delay]);
    expect(delays[2]).toBeLessThanOrEqual(5_000);
    expect(delays[2]).toBeGreaterThanOrEqual(2_000);
  });

  test.each([429, 503])('if it comes with a %i', async (status) => {
    expect(
      (await pollDelays([withRetryAfter('1', status), withRetryAfter('30', status)])).slice(1),
    ).toEqual([1_000, 30_000]);
  });

  test('if the submit response contains it', async () => {
    const record = { id: 'task_1', status: 'queued' };
    const submit = jsonReply(202, record, { 'retry-after': '7' });
    expect(await pollDelays([], {}, {}, submit)).toEqual([7_000]);
  });

  test.each(['soon', '', '-5', 'Thu, 01 Jan 1970 00:00:00 GMT'])(
    'but not if it is invalid or in the past: %j',
    async (retryAfter) => {
      const [, delay] = await pollDelays([withRetryAfter(retryAfter)]);
      expect(delay).toBeGreaterThanOrEqual(2_000);
      expect(delay).toBeLessThanOrEqual(5_000);
    },
  );

  test('but not over the deadline', async () => {
    await expect(
      pollDelays([withRetryAfter('600')], { waitTimeout: 60_000 }),
    ).rejects.toMatchObject({
      name: 'TaskWaitTimeoutError',
    });
  });
});

test('a task known only by its id is polled immediately', async () => {
  const clock = virtualClock();
  const since = clock.now();
  const { fetch, sent } = scripted(done);
  await clientOf(fetch, { clock }).images.wait('task_1');
  expect(clock.now()).toBe(since);
  expect(sent).toHaveLength(1);
});
