import type { KeyValueStorage } from 'polygate/react';
import { expect, test, vi } from 'vitest';

import { ChatStore } from '../../../src/integrations/react/store/chat-store.ts';
import { eventually } from '../../support/eventually.ts';
import { image, onMock } from './setup.ts';
import { memoryStorage, openTab } from './support.ts';

const route = 'POST /v1/images/tasks';

test('a storage that keeps nothing, and does not say so, loses no result', async () => {
  const warn = vi.spyOn(console, 'warn').mockReturnValue();
  const { mock, gateway } = onMock();
  const storage = { getItem: () => null, setItem: () => undefined, removeItem: () => undefined };
  const tab = openTab(gateway.images, { storage });
  const done = await mock.clock.settle(tab.store.generate(image));
  expect(done?.status).toBe('succeeded');
  expect(tab.now).toMatchObject({ status: 'succeeded', error: undefined });
  await mock.clock.settle(tab.store.generate(image));
  expect(mock.invoice).toHaveLength(2);
  tab.store.reset();
  expect(tab.now.status).toBe('idle');
  expect(warn).toHaveBeenCalledOnce();
  warn.mockRestore();
});

test.each([true, false])(
  'params that the app changes are sent as they were (stored: %s)',
  async (storeParams) => {
    const { mock, gateway } = onMock({}, { maxRetries: 0 });
    const { storage } = memoryStorage();
    const tab = openTab(gateway.images, { storage, storeParams });
    mock.fail({ route, reset: 'after', times: 1 });
    const params = { ...image };
    const sent = tab.store.generate(params);
    params.prompt = 'A lighthouse';
    await mock.clock.settle(sent);
    params.prompt = 'A storm';
    await mock.clock.settle(tab.store.resume());
    expect(tab.now.status).toBe('succeeded');
    const posts = mock.requests.filter(({ method }) => method === 'POST');
    expect(posts.map(({ body }) => body)).toEqual([image, image]);
    expect(mock.invoice).toHaveLength(1);
  },
);

test('a field in the params that the app changes is not sent with the key of another request', async () => {
  const { mock, gateway } = onMock({}, { maxRetries: 0 });
  const { storage } = memoryStorage();
  const tab = openTab(gateway.images, { storage });
  mock.fail({ route, reset: 'after', times: 1 });
  const params = { ...image, extra_body: { mood: 'calm' } };
  await mock.clock.settle(tab.store.generate(params));
  params.extra_body.mood = 'wild';
  await mock.clock.settle(tab.store.resume());
  const posts = mock.requests.filter(({ method }) => method === 'POST');
  expect(posts).toHaveLength(2);
  expect(posts[1]?.body).toEqual(posts[0]?.body);
});

test('a field in the params that the app changes before they are sent is sent as it was', async () => {
  const { mock, gateway } = onMock();
  const tab = openTab(gateway.images, { storage: memoryStorage().storage });
  const params = { ...image, extra_body: { moods: ['calm'] } };
  const sent = tab.store.generate(params);
  params.extra_body.moods[0] = 'wild';
  await mock.clock.settle(sent);
  const [post] = mock.requests.filter(({ method }) => method === 'POST');
  expect(post?.body).toEqual({ ...image, extra_body: { moods: ['calm'] } });
});

test('a message that is stopped before the conversation was read does not replace it', async () => {
  const { mock, gateway } = onMock();
  const storageKey = 'polygate:chat:main';
  const messages = [
    { role: 'user', content: 'One' },
    { role: 'assistant', content: 'Two' },
  ];
  const { items, storage: memory } = memoryStorage({
    [storageKey]: JSON.stringify({ v: 1, messages }),
  });
  let reads = 0;
  const storage: KeyValueStorage = {
    ...memory,
    getItem: async (key) => {
      await new Promise((resolve) => setTimeout(resolve));
      reads += 1;
      return memory.getItem(key);
    },
  };
  const settings = { current: { model: 'aurora-chat', storage, gateway } };
  const store = new ChatStore(storageKey, settings);
  const unmount = store.subscribe(() => undefined, settings);
  const sent = store.send('Three');
  unmount();
  expect(await sent).toBeUndefined();
  const remounted = store.subscribe(() => undefined, settings);
  await eventually(() => expect(reads).toBe(2));
  await eventually(() => expect(store.snapshot.messages).toEqual(messages));
  remounted();
  expect(JSON.parse(items.get(storageKey) ?? '{}')).toEqual({ v: 1, messages });
  expect(mock.requests).toHaveLength(0);
});
