import type { KeyValueStorage } from 'polygate/react';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';

import { eventually } from '../../support/eventually.ts';
import { turns } from '../../support/turns.ts';
import { image, onMock, rejection } from './setup.ts';
import { memoryStorage, openTab, storageKey } from './support.ts';

const route = 'POST /v1/images/tasks';
const posts = (mock: { requests: readonly { method: string }[] }) =>
  mock.requests.filter(({ method }) => method === 'POST').length;

test('two tabs share one task: one request, and one of them polls', async () => {
  const { mock, gateway } = onMock();
  const { storage } = memoryStorage();
  const onFinish = vi.fn<(generation: unknown) => void>();
  const one = openTab(gateway.images, { storage, onFinish });
  const two = openTab(gateway.images, { storage, onFinish });
  const results = await mock.clock.settle(
    Promise.allSettled([one.store.generate(image), two.store.generate(image)]),
  );
  expect(results.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected']);
  await eventually(() =>
    expect([one.now.status, two.now.status]).toEqual(['succeeded', 'succeeded']),
  );
  expect(two.now.urls).toEqual(one.now.urls);
  expect(mock.invoice).toHaveLength(1);
  expect(posts(mock)).toBe(1);
  expect(onFinish).toHaveBeenCalledOnce();
  const alone = onMock();
  await alone.mock.clock.settle(openTab(alone.gateway.images).store.generate(image));
  expect(mock.requests.length).toBeLessThanOrEqual(alone.mock.requests.length + 1);
});

test.each([
  ['the receipt', 1],
  ['the key', 0],
])('two tabs send one request, although one of them sees %s late', async (_, seen) => {
  const { mock, gateway } = onMock();
  const { storage } = memoryStorage();
  /** What the first tab has stored: the key, then the receipt. The second tab sees only `seen` of these for a while. */
  const values: string[] = [];
  const recording: KeyValueStorage = {
    ...storage,
    setItem: (key, value) => {
      values.push(value);
      storage.setItem(key, value);
    },
  };
  let isBehind = true;
  const late: KeyValueStorage = {
    ...storage,
    getItem: (key) => (isBehind ? (values[seen - 1] ?? null) : storage.getItem(key)),
  };
  const one = openTab(gateway.images, { storage: recording });
  const two = openTab(gateway.images, { storage: late });
  const first = one.store.generate(image);
  const second = rejection(two.store.generate(image));
  await eventually(() => expect(values.length).toBeGreaterThan(1));
  setTimeout(() => (isBehind = false), 100);
  expect(await second).toMatchObject({ code: 'generation_pending' });
  await mock.clock.settle(first);
  expect(posts(mock)).toBe(1);
});

test('a key with an unknown outcome is not replaced by a tab that sees it late', async () => {
  const { mock, gateway } = onMock({}, { maxRetries: 0 });
  const { storage, entry } = memoryStorage();
  let isBehind = true;
  const late: KeyValueStorage = {
    ...storage,
    getItem: (key) => (isBehind ? null : storage.getItem(key)),
  };
  mock.fail({ route, reset: 'after', times: 1 });
  const one = openTab(gateway.images, { storage });
  const two = openTab(gateway.images, { storage: late });
  await mock.clock.settle(one.store.generate(image));
  expect(one.now.status).toBe('unknown');
  const { key } = entry();
  setTimeout(() => (isBehind = false), 100);
  const second = await rejection(two.store.generate({ ...image, prompt: 'A lighthouse' }));
  expect(second).toMatchObject({ code: 'outcome_unknown' });
  expect(entry().key).toBe(key);
  expect(mock.invoice).toHaveLength(1);
});

test('a tab resumes its own request with an unknown outcome immediately', async () => {
  const { mock, gateway } = onMock({}, { maxRetries: 0 });
  const { storage } = memoryStorage();
  mock.fail({ route, reset: 'after', times: 1 });
  const tab = openTab(gateway.images, { storage });
  await mock.clock.settle(tab.store.generate(image));
  tab.unmount();
  tab.remount();
  await turns();
  await mock.clock.settle(tab.store.resume());
  expect(tab.now.status).toBe('succeeded');
  expect(mock.invoice).toHaveLength(1);
});

test('a tab that opens while another one sends shows submitting, then its task', async () => {
  const { mock, gateway } = onMock();
  const { storage } = memoryStorage();
  mock.fail({ route, delayMs: 1_000, times: 1 });
  const one = openTab(gateway.images, { storage });
  const result = one.store.generate(image);
  await eventually(() => expect(mock.requests).toHaveLength(1));
  const two = openTab(gateway.images, { storage });
  await eventually(() => expect(two.now).toMatchObject({ status: 'submitting', isPending: true }));
  expect(await rejection(two.store.generate(image))).toMatchObject({ code: 'generation_pending' });
  await mock.clock.settle(result);
  await eventually(() => expect(two.now.status).toBe('succeeded'));
  expect(two.statuses()).not.toContain('unknown');
  expect(posts(mock)).toBe(1);
});

test('a tab continues to poll when the one that polls is closed', async () => {
  const { mock, gateway } = onMock();
  const { storage } = memoryStorage();
  const one = openTab(gateway.images, { storage });
  const two = openTab(gateway.images, { storage });
  void one.store.generate(image);
  await eventually(() => expect(two.now.status).toBe('queued'));
  one.close();
  await mock.clock.settle(two.store.resume());
  expect(two.now.status).toBe('succeeded');
  expect(mock.invoice).toHaveLength(1);
});

describe('reset in one tab', () => {
  test('forgets the task in the other', async () => {
    const { mock, gateway } = onMock();
    const { storage } = memoryStorage();
    const one = openTab(gateway.images, { storage });
    const two = openTab(gateway.images, { storage });
    const result = one.store.generate(image);
    await eventually(() => expect(two.now.status).toBe('queued'));
    two.store.reset();
    await eventually(() => expect(one.now).toMatchObject({ status: 'idle', task: undefined }));
    expect(await result).toBeUndefined();
    const { length } = mock.requests;
    await mock.clock.advance(60_000);
    expect(mock.requests).toHaveLength(length);
  });

  test('drops the response of the other', async () => {
    const { mock, gateway } = onMock();
    const { storage, items } = memoryStorage();
    mock.fail({ route, delayMs: 1_000, times: 1 });
    const one = openTab(gateway.images, { storage });
    const two = openTab(gateway.images, { storage });
    const result = one.store.generate(image);
    await eventually(() => expect(two.now.status).toBe('submitting'));
    two.store.reset();
    await mock.clock.advance(2_000);
    expect(await result).toBeUndefined();
    await eventually(() => expect([one.now.status, two.now.status]).toEqual(['idle', 'idle']));
    expect(items.size).toBe(0);
  });
});

describe('a generation that was reset by a tab whose messages do not arrive', () => {
  beforeEach(() => vi.stubGlobal('BroadcastChannel', undefined));
  afterEach(() => vi.unstubAllGlobals());

  test('is not filled by the response of a request', async () => {
    const { mock, gateway } = onMock();
    const { storage, items } = memoryStorage();
    mock.fail({ route, delayMs: 1_000, times: 1 });
    const tab = openTab(gateway.images, { storage });
    const result = tab.store.generate(image);
    await eventually(() => expect(mock.requests).toHaveLength(1));
    items.clear();
    expect(await mock.clock.settle(result)).toBeUndefined();
    expect(tab.now).toMatchObject({ status: 'idle', task: undefined });
    expect(items.size).toBe(0);
  });

  test('is not filled by the end of a task', async () => {
    const { mock, gateway } = onMock({ tasks: { durationMs: 0 } });
    const { storage, items } = memoryStorage();
    const onFinish = vi.fn<(generation: unknown) => void>();
    const tab = openTab(gateway.images, { storage, onFinish });
    const result = tab.store.generate(image);
    await eventually(() => expect(tab.now.status).toBe('queued'));
    items.clear();
    expect(await mock.clock.settle(result)).toBeUndefined();
    expect(tab.now.status).toBe('idle');
    expect(items.size).toBe(0);
    expect(onFinish).not.toHaveBeenCalled();
  });
});

test('music and speech with the same id are stored separately', async () => {
  const { gateway } = onMock();
  expect(gateway.audio.music.media).not.toBe(gateway.audio.speech.media);
});

describe('without locks', () => {
  test('a stored key is unknown, and the tabs still pay once', async () => {
    vi.stubGlobal('navigator', {});
    try {
      const { mock, gateway } = onMock({}, { maxRetries: 0 });
      const { storage } = memoryStorage();
      mock.fail({ route, reset: 'after', times: 1 });
      const one = openTab(gateway.images, { storage });
      await mock.clock.settle(one.store.generate(image));
      const two = openTab(gateway.images, { storage });
      await eventually(() => expect(two.now.status).toBe('unknown'));
      await mock.clock.settle(Promise.all([one.store.resume(), two.store.resume()]));
      expect(mock.invoice).toHaveLength(1);
    } finally {
      vi.unstubAllGlobals();
    }
  });
});

test.each([
  ['has removed the generation', undefined],
  ['has generated another one', 'another-key'],
])('a request is sent, although this tab learns only then that another tab %s', async (_, key) => {
  const { mock, gateway } = onMock();
  const { storage, entry } = memoryStorage();
  const tab = openTab(gateway.images, { storage });
  await mock.clock.settle(tab.store.generate(image));
  // Without an event: as in another tab whose event is late, or when the page clears its storage.
  if (key === undefined) storage.removeItem(storageKey);
  else storage.setItem(storageKey, JSON.stringify({ ...entry(), key }));
  const result = await mock.clock.settle(tab.store.generate({ ...image, prompt: 'A dog' }));
  expect(result).toMatchObject({ status: 'succeeded' });
  expect(tab.now).toMatchObject({ status: 'succeeded', isPending: false });
  expect(mock.invoice).toHaveLength(2);
});

test('a tab that still polls the last task, and sees late that it was replaced, does not replace the new one', async () => {
  const { mock, gateway } = onMock({ tasks: { durationMs: 60_000 } });
  const { storage, items, entry } = memoryStorage();
  let seen: string | undefined;
  const late: KeyValueStorage = { ...storage, getItem: (key) => seen ?? storage.getItem(key) };
  const one = openTab(gateway.images, { storage: late });
  void one.store.generate(image);
  const two = openTab(gateway.images, { storage });
  await eventually(() => expect([one.now.status, two.now.status]).toEqual(['queued', 'queued']));
  two.store.stop();
  seen = items.get(storageKey);
  mock.fail({ route, delayMs: 30_000, times: 1 });
  const result = two.store.generate({ ...image, prompt: 'A dog' });
  await eventually(() => expect(posts(mock)).toBe(2));
  const { key } = entry();
  await mock.clock.advance(20_000);
  await eventually(() => expect(one.now.progress).toBeGreaterThan(0));
  seen = undefined;
  expect(await mock.clock.settle(result)).toMatchObject({ status: 'succeeded' });
  expect(mock.invoice.map(({ idempotencyKey }) => idempotencyKey)).toContain(key);
  expect([two.now.task?.idempotencyKey, entry().key]).toEqual([key, key]);
  await eventually(() => expect(one.now.task?.idempotencyKey).toBe(key));
});

test('a request that another tab has forgotten, and that this one still sees and sends again, keeps its task', async () => {
  const { mock, gateway } = onMock({}, { maxRetries: 0 });
  const { storage, items, entry } = memoryStorage();
  const one = openTab(gateway.images, { storage });
  mock.fail({ route, status: 503, delayMs: 1_000, times: 1 });
  const rejected = one.store.generate(image);
  await eventually(() => expect(mock.requests).toHaveLength(1));
  let seen = items.get(storageKey);
  const late: KeyValueStorage = {
    ...storage,
    getItem: (key) => seen ?? storage.getItem(key),
    setItem: (key, value) => {
      seen = undefined;
      storage.setItem(key, value);
    },
  };
  const two = openTab(gateway.images, { storage: late });
  await mock.clock.settle(rejected);
  await eventually(() => expect([one.now.status, two.now.status]).toEqual(['failed', 'unknown']));
  mock.fail({ route, delayMs: 1_000, times: 1 });
  const resumed = two.store.resume();
  await eventually(() => expect(posts(mock)).toBe(2));
  seen = undefined;
  expect(await mock.clock.settle(resumed)).toMatchObject({ status: 'succeeded' });
  expect(entry()).toMatchObject({ key: mock.invoice[0]?.idempotencyKey });
});
