import { expect, test } from 'vitest';

import { systemClock, VirtualClock } from '../../src/mock/clock.ts';

test('virtual time starts at a fixed date and moves only when advanced', async () => {
  const clock = new VirtualClock();
  expect(new Date(clock.now()).toISOString()).toBe('2026-05-01T00:00:00.000Z');
  const before = clock.now();
  await clock.advance(1500);
  expect(clock.now() - before).toBe(1500);
});

test('sleeps end in the order of their due time, and in call order if due at the same time', async () => {
  const clock = new VirtualClock();
  const fired: string[] = [];
  const sleep = (name: string, ms: number) => clock.sleep(ms).then(() => fired.push(name));
  void sleep('c', 30);
  void sleep('a', 10);
  void sleep('b1', 20);
  void sleep('b2', 20);
  await clock.advance(25);
  expect(fired).toEqual(['a', 'b1', 'b2']);
  await clock.advance(5);
  expect(fired).toEqual(['a', 'b1', 'b2', 'c']);
});

test('a sleep that starts when another ends is part of the same advance, at its own due time', async () => {
  const clock = new VirtualClock();
  const start = clock.now();
  const times: number[] = [];
  void (async () => {
    for (let round = 0; round < 5; round += 1) {
      await clock.sleep(100);
      times.push(clock.now() - start);
    }
  })();
  await clock.advance(350);
  expect(times).toEqual([100, 200, 300]);
  expect(clock.now() - start).toBe(350);
});

test('an aborted sleep rejects with the reason of its signal', async () => {
  for (const clock of [new VirtualClock(), systemClock()]) {
    const reason = new Error('aborted');
    const controller = new AbortController();
    const sleep = clock.sleep(60_000, controller.signal);
    controller.abort(reason);
    await expect(sleep).rejects.toBe(reason);
    await expect(clock.sleep(1, AbortSignal.abort(reason))).rejects.toBe(reason);
  }
});

test('thousands of aborted sleeps leave the order of the others intact', async () => {
  const clock = new VirtualClock();
  const controller = new AbortController();
  const sleeps = Array.from({ length: 5000 }, (_, index) =>
    clock.sleep(1e9 + index, controller.signal).catch(() => 'aborted'),
  );
  const fired: number[] = [];
  for (const ms of [50, 10, 40, 20, 30]) void clock.sleep(ms).then(() => fired.push(ms));
  controller.abort();
  expect(new Set(await Promise.all(sleeps))).toEqual(new Set(['aborted']));
  await clock.advance(100);
  expect(fired).toEqual([10, 20, 30, 40, 50]);
});

test('settle advances from sleep to sleep until the promise settles', async () => {
  const clock = new VirtualClock();
  const start = clock.now();
  const work = (async () => {
    await clock.sleep(3_600_000);
    await clock.sleep(1);
    return 'done';
  })();
  await expect(clock.settle(work)).resolves.toBe('done');
  expect(clock.now() - start).toBe(3_600_001);
  await expect(clock.settle(Promise.reject(new Error('no')))).rejects.toThrow('no');
});

test('advance rejects on the system clock', async () => {
  await expect(systemClock().advance(1)).rejects.toThrow('virtual');
});
