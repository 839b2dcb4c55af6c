import type { KeyValueStorage } from 'polygate/react';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';

import { eventually } from '../../support/eventually.ts';
import { image, onMock, rejection } from './setup.ts';
import { limitedStorage, memoryStorage, openTab, storageKey } from './support.ts';

const route = 'POST /v1/images/tasks';
const large = { ...image, reference_image_urls: [`data:image/png;base64,${'A'.repeat(5_000)}`] };
const broken = () => {
  throw new Error('denied');
};

let warn: ReturnType<typeof vi.spyOn>;
beforeEach(() => void (warn = vi.spyOn(console, 'warn').mockReturnValue()));
afterEach(() => warn.mockRestore());

describe('params that do not fit into the storage', () => {
  test('are left out, so that a reload during the request knows the key', async () => {
    const { mock, gateway } = onMock({}, { maxRetries: 0 });
    const { storage, entry } = limitedStorage(4_000);
    let atRequest: any;
    const fetch: typeof globalThis.fetch = async (input, init) => {
      if (init?.method === 'POST') atRequest ??= entry();
      return mock.fetch(input, init);
    };
    const tab = openTab(gateway.withOptions({ fetch }).images, { storage, requireStorage: true });
    mock.fail({ route, reset: 'after', times: 1 });
    await mock.clock.settle(tab.store.generate(large));
    expect(atRequest).toMatchObject({ v: 1, key: mock.invoice[0]?.idempotencyKey });
    expect(atRequest).not.toHaveProperty('params');
    expect(tab.now).toMatchObject({ status: 'unknown', isStored: true });
    expect(warn).not.toHaveBeenCalled();
    tab.close();
    const reloaded = openTab(gateway.images, { storage });
    await eventually(() => expect(reloaded.now.status).toBe('unknown'));
    expect(await rejection(reloaded.store.resume())).toMatchObject({ code: 'params_not_stored' });
    expect(await rejection(reloaded.store.generate(image))).toMatchObject({
      code: 'outcome_unknown',
    });
    await mock.clock.settle(reloaded.store.generate(large));
    expect(reloaded.now.status).toBe('succeeded');
    expect(mock.invoice).toHaveLength(1);
  });

  test('are sent again by resume while the page has them', async () => {
    const { mock, gateway } = onMock({}, { maxRetries: 0 });
    const { storage } = limitedStorage(4_000);
    const tab = openTab(gateway.images, { storage });
    mock.fail({ route, reset: 'after', times: 1 });
    await mock.clock.settle(tab.store.generate(large));
    expect(await mock.clock.settle(tab.store.resume())).toMatchObject({ status: 'succeeded' });
    expect(mock.invoice).toHaveLength(1);
  });
});

const denied: [string, () => KeyValueStorage | undefined][] = [
  ['is full', () => limitedStorage(10).storage],
  ['throws only when it is written', () => ({ ...memoryStorage().storage, setItem: broken })],
  ['throws when it is read', () => ({ ...memoryStorage().storage, getItem: broken })],
  ['rejects', () => ({ ...memoryStorage().storage, setItem: async () => broken() })],
  ['drops what it gets', () => ({ ...memoryStorage().storage, setItem: () => undefined })],
  ['does not exist', () => undefined],
];

describe.each(denied)('a storage that %s', (_, storageOf) => {
  test('lets a generation run, whose state says that no reload keeps it', async () => {
    const { mock, gateway } = onMock();
    const tab = openTab(gateway.images, { storage: storageOf() }, storageKey);
    expect(tab.now.isStored).toBe(true);
    const result = tab.store.generate(image);
    await eventually(() => expect(tab.now.status).toBe('queued'));
    expect(tab.now.isStored).toBe(false);
    expect(await mock.clock.settle(result)).toMatchObject({ status: 'succeeded' });
    expect(tab.now.isStored).toBe(false);
    tab.store.reset();
    expect(tab.now).toMatchObject({ status: 'idle', isStored: true });
  });

  test('is reported while the request is in flight', async () => {
    const { mock, gateway } = onMock();
    mock.fail({ route: 'POST /v1/images/tasks', delayMs: 1_000 });
    const tab = openTab(gateway.images, { storage: storageOf() }, storageKey);
    const result = tab.store.generate(image);
    await eventually(() => expect(mock.requests).toHaveLength(1));
    expect(tab.now).toMatchObject({ status: 'submitting', isStored: false });
    await mock.clock.settle(result);
  });

  test('refuses a generation that requires it, before anything is sent', async () => {
    const { mock, gateway } = onMock();
    const onError = vi.fn<(error: Error) => void>();
    const options = { storage: storageOf(), requireStorage: true, onError };
    const tab = openTab(gateway.images, options, storageKey);
    expect(await rejection(tab.store.generate(image))).toMatchObject({ code: 'not_stored' });
    expect(mock.requests).toHaveLength(0);
    expect(tab.now).toMatchObject({ status: 'idle', isPending: false, error: undefined });
    expect(onError).not.toHaveBeenCalled();
  });
});

test('a generation without id is not stored, and refused if that is required', async () => {
  const { mock, gateway } = onMock();
  const tab = openTab(gateway.images);
  await mock.clock.settle(tab.store.generate(image));
  expect(tab.now).toMatchObject({ status: 'succeeded', isStored: false });
  const careful = openTab(gateway.images, { requireStorage: true });
  expect(await rejection(careful.store.generate(image))).toMatchObject({ code: 'not_stored' });
  expect(mock.invoice).toHaveLength(1);
});

test('a storage that cannot be read for a moment does not replace what was paid for by the last result', async () => {
  const { mock, gateway } = onMock();
  const { storage, entry } = memoryStorage();
  let isBusy = false;
  const busy: KeyValueStorage = {
    ...storage,
    getItem: (key) => (isBusy ? broken() : storage.getItem(key)),
  };
  const onFinish = vi.fn<(generation: unknown) => void>();
  const tab = openTab(gateway.images, { storage: busy, onFinish });
  await mock.clock.settle(tab.store.generate(image));
  const { urls } = tab.now;
  isBusy = true;
  const result = tab.store.generate({ ...image, prompt: 'A lighthouse' });
  await eventually(() => expect(tab.now.status).toBe('queued'));
  isBusy = false;
  expect((await mock.clock.settle(result))?.urls).not.toEqual(urls);
  expect(onFinish).toHaveBeenCalledTimes(2);
  expect(entry().generation.urls).toEqual(tab.now.urls);
  expect(tab.now.isStored).toBe(true);
});

test('a generation that is not stored is not replaced by that of another tab, which has found room', async () => {
  const { mock, gateway } = onMock();
  const { storage, room, entry } = limitedStorage(10);
  const onFinish = vi.fn<(generation: unknown) => void>();
  const one = openTab(gateway.images, { storage, onFinish });
  const first = one.store.generate(image);
  await eventually(() => expect(one.now).toMatchObject({ status: 'queued', isStored: false }));
  room.limit = 100_000;
  const two = openTab(gateway.images, { storage });
  const second = two.store.generate({ ...image, prompt: 'A lighthouse' });
  await eventually(() => expect(two.now.status).toBe('queued'));
  // Reads the storage again.
  const resumed = one.store.resume();
  const results = await mock.clock.settle(Promise.all([first, second]));
  expect(await resumed).toEqual(results[0]);
  expect(results.map((result) => result?.id)).toEqual(mock.invoice.map(({ taskId }) => taskId));
  expect(onFinish).toHaveBeenCalledOnce();
  expect(entry().generation.urls).toEqual(two.now.urls);
});

test('a generation that is refused leaves the error of the last one on the screen', async () => {
  const { mock, gateway } = onMock({ tasks: { outcome: 'failed' } });
  const { storage } = memoryStorage();
  let isFull = false;
  const filling: KeyValueStorage = {
    ...storage,
    setItem: (key, value) => (isFull ? broken() : storage.setItem(key, value)),
  };
  const tab = openTab(gateway.images, { storage: filling, requireStorage: true });
  await mock.clock.settle(tab.store.generate(image));
  const { error } = tab.now;
  expect(error).toBeInstanceOf(Error);
  isFull = true;
  expect(await rejection(tab.store.generate(image))).toMatchObject({ code: 'not_stored' });
  expect(tab.now).toMatchObject({ status: 'failed', error });
});

describe('a key that does not fit', () => {
  /** A tab with a result that is stored, and a storage that has no room for more. */
  async function afterResult(options: { requireStorage?: boolean } = {}) {
    const { mock, gateway } = onMock();
    const { storage, items } = memoryStorage();
    let isFull = false;
    const filling: KeyValueStorage = {
      ...storage,
      setItem: (key, value) => {
        if (isFull && value !== before) broken();
        storage.setItem(key, value);
      },
    };
    const tab = openTab(gateway.images, { ...options, storage: filling });
    await mock.clock.settle(tab.store.generate(image));
    const before = items.get(storageKey) ?? '';
    isFull = true;
    return { mock, gateway, tab, items, before, storage, free: () => void (isFull = false) };
  }

  test('leaves the last result in the storage, and does not bring it back meanwhile', async () => {
    const { mock, tab, items, before } = await afterResult();
    const { urls } = tab.now;
    await mock.clock.settle(tab.store.generate({ ...image, prompt: 'A lighthouse' }));
    expect(tab.now).toMatchObject({ status: 'succeeded', isStored: false });
    expect(tab.now.urls).not.toEqual(urls);
    expect(items.get(storageKey)).toBe(before);
    await rejection(tab.store.resume());
    expect(tab.now.urls).not.toEqual(urls);
    expect(mock.invoice).toHaveLength(2);
  });

  test('leaves the last result on the screen if it is required', async () => {
    const { mock, tab, items, before } = await afterResult({ requireStorage: true });
    const { urls } = tab.now;
    expect(await rejection(tab.store.generate(image))).toMatchObject({ code: 'not_stored' });
    expect(tab.now).toMatchObject({ status: 'succeeded', urls, isStored: true });
    expect(items.get(storageKey)).toBe(before);
    expect(mock.invoice).toHaveLength(1);
  });

  test('is stored with the receipt, once there is room', async () => {
    const { mock, gateway, tab, storage, free } = await afterResult();
    const result = tab.store.generate({ ...image, prompt: 'A lighthouse' });
    await eventually(() =>
      expect(mock.requests.filter(({ method }) => method === 'POST')).toHaveLength(2),
    );
    free();
    await mock.clock.settle(result);
    expect(tab.now).toMatchObject({ status: 'succeeded', isStored: true });
    const reloaded = openTab(gateway.images, { storage });
    await eventually(() => expect(reloaded.now.urls).toEqual(tab.now.urls));
  });

  test('is tried again before it is sent again', async () => {
    const { mock, gateway } = onMock({}, { maxRetries: 0 });
    const { storage, room, entry } = limitedStorage(10);
    const tab = openTab(gateway.images, { storage });
    mock.fail({ route, reset: 'after', times: 1 });
    await mock.clock.settle(tab.store.generate(image));
    expect(tab.now).toMatchObject({ status: 'unknown', isStored: false });
    Object.assign(tab.settings.current, { requireStorage: true });
    expect(await rejection(tab.store.resume())).toMatchObject({ code: 'not_stored' });
    room.limit = 100_000;
    const result = tab.store.resume();
    await eventually(() => expect(entry()?.key).toBe(mock.invoice[0]?.idempotencyKey));
    await mock.clock.settle(result);
    expect(tab.now).toMatchObject({ status: 'succeeded', isStored: true });
    expect(mock.invoice).toHaveLength(1);
  });
});
