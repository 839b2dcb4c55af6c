import type { KeyValueStorage } from 'polygate/react';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';

import { eventually } from '../../support/eventually.ts';
import { image, onMock, rejection } from './setup.ts';
import { memoryStorage, openTab, storageKey } from './support.ts';

let warn: ReturnType<typeof vi.spyOn>;
beforeEach(() => void (warn = vi.spyOn(console, 'warn').mockReturnValue()));
afterEach(() => warn.mockRestore());

const broken = () => {
  throw new Error('The quota has been exceeded.');
};

const faults: Record<string, KeyValueStorage> = {
  'throws when it is read': { ...memoryStorage().storage, getItem: broken },
  'is full': { ...memoryStorage().storage, setItem: broken },
  'throws at everything': { getItem: broken, setItem: broken, removeItem: broken },
  rejects: {
    getItem: async () => broken(),
    setItem: async () => broken(),
    removeItem: async () => broken(),
  },
};

describe.each(Object.entries(faults))('a storage that %s', (_, storage) => {
  test('does not break the component, and is logged once', async () => {
    const { mock, gateway } = onMock();
    const tab = openTab(gateway.images, { storage });
    await mock.clock.settle(tab.store.generate(image));
    expect(tab.now).toMatchObject({ status: 'succeeded', error: undefined });
    await mock.clock.settle(tab.store.generate(image));
    expect(mock.invoice).toHaveLength(2);
    tab.store.reset();
    expect(tab.now.status).toBe('idle');
    expect(warn).toHaveBeenCalledOnce();
    expect(JSON.stringify(warn.mock.calls)).not.toContain(image.prompt);
  });
});

test('a result that does not fit leaves the receipt', async () => {
  const { mock, gateway } = onMock();
  const { storage, entry } = memoryStorage();
  const limited: KeyValueStorage = {
    ...storage,
    setItem: (key, value) =>
      value.includes('generation') ? broken() : storage.setItem(key, value),
  };
  const onFinish = vi.fn<(generation: unknown) => void>();
  const tab = openTab(gateway.images, { storage: limited, onFinish });
  await mock.clock.settle(tab.store.generate(image));
  expect(tab.now.status).toBe('succeeded');
  expect(entry().receipt.id).toBe(mock.invoice[0]?.taskId);
  // Reads the storage again, which still says that the task is pending.
  expect(await rejection(tab.store.resume())).toMatchObject({ code: 'nothing_to_resume' });
  expect(tab.now.status).toBe('succeeded');
  expect(onFinish).toHaveBeenCalledOnce();
});

test.each([
  'not JSON',
  '',
  '[]',
  '{"v":0,"key":"k","fingerprint":"f"}',
  '{"v":2,"key":"","fingerprint":"f"}',
  '{"v":1,"key":7,"fingerprint":"f"}',
  'null',
])('an entry that was edited to %s may have been paid for, until it is reset', async (text) => {
  const { mock, gateway } = onMock();
  const { storage, items } = memoryStorage({ [storageKey]: text });
  const tab = openTab(gateway.images, { storage });
  expect(await rejection(tab.store.generate(image))).toMatchObject({ code: 'outcome_unknown' });
  expect(await rejection(tab.store.resume())).toMatchObject({ code: 'params_not_stored' });
  expect([items.get(storageKey), mock.requests, tab.now.status]).toEqual([text, [], 'unknown']);
  expect(warn).toHaveBeenCalledOnce();
  tab.store.reset();
  await mock.clock.settle(tab.store.generate(image));
  expect(tab.now.status).toBe('succeeded');
});

test('an entry of a newer version, which may have been paid for, is not replaced until it is reset', async () => {
  const text = '{"v":2,"key":"k","fingerprint":"f"}';
  const { mock, gateway } = onMock();
  const { storage, items } = memoryStorage({ [storageKey]: text });
  const tab = openTab(gateway.images, { storage });
  expect(await rejection(tab.store.generate(image))).toMatchObject({ code: 'outcome_unknown' });
  expect(await rejection(tab.store.resume())).toMatchObject({ code: 'params_not_stored' });
  expect([items.get(storageKey), mock.requests, tab.now.status]).toEqual([text, [], 'unknown']);
  tab.store.reset();
  await mock.clock.settle(tab.store.generate(image));
  expect(tab.now.status).toBe('succeeded');
});

test.each([
  { status: 'succeeded', urls: [] },
  { status: 'succeeded', urls: [7] },
  { status: 'failed', urls: [] },
  { status: 'queued', urls: [] },
  'text',
])('a result that was edited to %j is requested again', async (generation) => {
  const { mock, gateway } = onMock();
  const { storage, items, entry } = memoryStorage();
  const tab = openTab(gateway.images, { storage });
  await mock.clock.settle(tab.store.generate(image));
  tab.close();
  items.set(storageKey, JSON.stringify({ ...entry(), generation }));
  const reloaded = openTab(gateway.images, { storage });
  await eventually(() => expect(reloaded.now.status).toBe('succeeded'));
  expect(reloaded.now.urls).toEqual(tab.now.urls);
});

test('an entry that is damaged while its task is pending does not lose the task', async () => {
  const { mock, gateway } = onMock();
  const { storage, items } = memoryStorage();
  const tab = openTab(gateway.images, { storage });
  const result = tab.store.generate(image);
  await eventually(() => expect(tab.now.status).toBe('queued'));
  items.set(storageKey, 'damaged');
  await mock.clock.settle(result);
  expect(tab.now.status).toBe('succeeded');
  expect(mock.invoice).toHaveLength(1);
});

test('an asynchronous storage has the key before the request is sent', async () => {
  const { mock, gateway } = onMock();
  const { storage, items } = memoryStorage();
  let atRequest: string | undefined;
  const fetch: typeof globalThis.fetch = async (input, init) => {
    if (init?.method === 'POST') atRequest = items.get(storageKey);
    return mock.fetch(input, init);
  };
  const later = () => new Promise((resolve) => void setImmediate(resolve));
  const slow: KeyValueStorage = {
    getItem: async (key) => (await later(), storage.getItem(key)),
    setItem: async (key, value) => (await later(), storage.setItem(key, value)),
    removeItem: async (key) => (await later(), storage.removeItem(key)),
  };
  const tab = openTab(gateway.withOptions({ fetch }).images, { storage: slow });
  await mock.clock.settle(tab.store.generate(image));
  expect(JSON.parse(atRequest ?? '')).toHaveProperty('key');
  tab.close();
  const reloaded = openTab(gateway.images, { storage: slow });
  await eventually(() => expect(reloaded.now.urls).toEqual(tab.now.urls));
  expect(mock.invoice).toHaveLength(1);
});

describe('the first URL of a stored result', () => {
  const responds = async (status: number) => {
    const { mock, gateway } = onMock();
    const { storage } = memoryStorage();
    const tab = openTab(gateway.images, { storage });
    await mock.clock.settle(tab.store.generate(image));
    tab.close();
    const polls = mock.requests.length;
    const requested: unknown[] = [];
    vi.stubGlobal('fetch', async (url: unknown) => {
      requested.push(url);
      return new Response('', { status });
    });
    try {
      const reloaded = openTab(gateway.images, { storage });
      await eventually(() => expect(requested).toHaveLength(1));
      await mock.clock.advance(60_000);
      expect(requested).toEqual([tab.now.urls[0]]);
      expect(reloaded.now.status).toBe('succeeded');
    } finally {
      vi.unstubAllGlobals();
    }
    return mock.requests.length - polls;
  };

  test.each([403, 404, 410])('is requested, and a %i causes one poll', async (status) => {
    expect(await responds(status)).toBe(1);
  });

  test.each([200, 500])('is requested, and a %i causes none', async (status) => {
    expect(await responds(status)).toBe(0);
  });
});
