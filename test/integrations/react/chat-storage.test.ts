import type { KeyValueStorage } from 'polygate/react';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';

import { eventually } from '../../support/eventually.ts';
import { tool } from '../../support/tools.ts';
import { onMock } from './setup.ts';
import { chatKey, limitedStorage, memoryStorage, openChat } from './support.ts';

const route = 'POST /v1/chat/completions';
const picture = (size: number) => ({
  type: 'image_url' as const,
  image_url: { url: `data:image/png;base64,${'A'.repeat(size)}` },
});

const broken = () => {
  throw new Error('denied');
};

let warn: ReturnType<typeof vi.spyOn>;
beforeEach(() => void (warn = vi.spyOn(console, 'warn').mockReturnValue()));
afterEach(() => warn.mockRestore());

/** The messages that a reload shows. */
async function afterReload(storage: KeyValueStorage) {
  const reloaded = openChat(onMock().gateway, { storage });
  await eventually(() => expect(reloaded.now.messages).not.toHaveLength(0));
  return reloaded.now;
}

describe('a message that does not fit into the storage', () => {
  test('erases nothing, and is stored without its picture, as the state says', async () => {
    const { gateway } = onMock();
    const { storage, items } = limitedStorage(5_000_000);
    const chat = openChat(gateway, { storage });
    for (const text of ['One', 'Two', 'Three']) await chat.store.send(text);
    expect(chat.now.unstored).toEqual([]);
    const text = { type: 'text' as const, text: 'What is this?' };
    const answer = await chat.store.send([text, picture(5_000_000)]);
    expect(chat.now.unstored).toEqual([{ role: 'user', content: [text, picture(5_000_000)] }]);
    expect(chat.now.unstored[0]).toBe(chat.now.messages[6]);
    expect(items.get(chatKey)).not.toContain('AAAA');
    const { messages } = await afterReload(storage);
    expect(messages).toEqual([
      ...chat.now.messages.slice(0, 6),
      { role: 'user', content: [text] },
      answer,
    ]);
    await chat.store.send('Five');
    expect((await afterReload(storage)).messages).toHaveLength(10);
    expect(chat.now.unstored).toHaveLength(1);
  });

  test('is left out if it is only a picture', async () => {
    const { gateway } = onMock();
    const { storage } = limitedStorage(3_000);
    const chat = openChat(gateway, { storage });
    const first = await chat.store.send('One');
    const answer = await chat.store.send([picture(5_000)]);
    expect((await afterReload(storage)).messages).toEqual([
      { role: 'user', content: 'One' },
      first,
      answer,
    ]);
    expect(chat.now.unstored).toHaveLength(1);
  });

  test('is left out of all messages that share it', async () => {
    const { gateway } = onMock();
    const { storage, items, room } = limitedStorage(3_000);
    const chat = openChat(gateway, { storage });
    const shared = picture(5_000);
    await chat.store.send([{ type: 'text', text: 'One' }, shared]);
    await chat.store.send([shared, { type: 'text', text: 'Two' }]);
    expect(chat.now.unstored).toEqual([chat.now.messages[0], chat.now.messages[2]]);
    expect(items.get(chatKey)).toContain('Two');
    room.limit = 0;
    await chat.store.send('Three');
    expect(chat.now.unstored).toHaveLength(4);
  });

  test('leaves the smaller pictures of the conversation in the storage', async () => {
    const { gateway } = onMock();
    const { storage, items } = limitedStorage(10_000);
    const chat = openChat(gateway, { storage });
    await chat.store.send([{ type: 'text', text: 'Small' }, picture(2_000)]);
    await chat.store.send([{ type: 'text', text: 'Large' }, picture(9_000)]);
    expect(items.get(chatKey)).toContain('A'.repeat(2_000));
    expect(chat.now.unstored).toHaveLength(1);
  });

  test('is stored as a whole once there is room', async () => {
    const { gateway } = onMock();
    const { storage, items, room } = limitedStorage(3_000);
    const chat = openChat(gateway, { storage });
    await chat.store.send([{ type: 'text', text: 'One' }, picture(5_000)]);
    expect(chat.now.unstored).toHaveLength(1);
    room.limit = 20_000;
    await chat.store.send('Two');
    expect(chat.now.unstored).toEqual([]);
    expect(items.get(chatKey)).toContain('A'.repeat(5_000));
  });

  test('is not requested from the storage again by another tab', async () => {
    const { gateway } = onMock();
    const { storage, items } = limitedStorage(4_000);
    const one = openChat(gateway, { storage });
    const two = openChat(gateway, { storage });
    await one.store.send([{ type: 'text', text: 'One' }, picture(5_000)]);
    await eventually(() => expect(two.now.messages).toHaveLength(2));
    expect(two.now.unstored).toHaveLength(1);
    const set = vi.spyOn(items, 'set');
    await two.store.send('Two');
    await eventually(() => expect(one.now.messages).toHaveLength(4));
    // The question, and the response.
    expect(set).toHaveBeenCalledTimes(2);
    expect(one.now.messages[0]?.content).toHaveLength(2);
  });

  test('leaves no call of a tool without its result', async () => {
    const { gateway } = onMock();
    const { storage } = limitedStorage(4_000);
    const chat = openChat(gateway, { storage, tools: [tool('weather', () => 'x'.repeat(5_000))] });
    await chat.store.send('What is the weather in Paris?');
    expect(chat.now.messages.map(({ role }) => role)).toEqual([
      'user',
      'assistant',
      'tool',
      'assistant',
    ]);
    const { messages } = await afterReload(storage);
    expect(messages.map(({ role }) => role)).toEqual(['user', 'assistant']);
    expect(messages[1]).toEqual(chat.now.messages[3]);
  });
});

test('a storage without room for two conversations keeps the one that it has', async () => {
  const { gateway } = onMock();
  const { storage, items, room } = limitedStorage(100_000);
  const chat = openChat(gateway, { storage });
  for (const text of ['One', 'Two', 'Three']) await chat.store.send(text);
  const before = items.get(chatKey) ?? '';
  room.limit = 700;
  await chat.store.send('Four');
  expect(items.get(chatKey)).toBe(before);
  expect(chat.now.messages).toHaveLength(8);
  expect(chat.now.unstored).toEqual(chat.now.messages.slice(6));
});

describe.each<[string, () => KeyValueStorage]>([
  ['is full', () => limitedStorage(0).storage],
  ['throws when it is written', () => ({ ...memoryStorage().storage, setItem: broken })],
  ['throws when it is read', () => ({ ...memoryStorage().storage, getItem: broken })],
  ['rejects', () => ({ ...memoryStorage().storage, setItem: async () => broken() })],
  ['drops what it gets', () => ({ ...memoryStorage().storage, setItem: () => undefined })],
])('a storage that %s', (_, storageOf) => {
  test('does not break a chat, whose state names all of its messages', async () => {
    const { gateway } = onMock();
    const chat = openChat(gateway, { storage: storageOf(), messages: [] });
    await chat.store.send('One');
    await chat.store.send('Two');
    expect(chat.now).toMatchObject({ status: 'idle', error: undefined });
    expect(chat.now.messages).toHaveLength(4);
    expect(chat.now.unstored).toEqual(chat.now.messages);
    expect(warn).toHaveBeenCalledOnce();
  });
});

test('an asynchronous storage keeps the conversation of all sends', async () => {
  const { gateway } = onMock();
  const { storage } = memoryStorage();
  const later = () => new Promise((resolve) => void setImmediate(resolve));
  const slow: KeyValueStorage = {
    getItem: async (key) => (await later(), storage.getItem(key)),
    setItem: async (key, value) => (await later(), storage.setItem(key, value)),
    removeItem: async (key) => (await later(), storage.removeItem(key)),
  };
  const chat = openChat(gateway, { storage: slow });
  await chat.store.send('One');
  await chat.store.send('Two');
  expect((await afterReload(slow)).messages).toEqual(chat.now.messages);
});

test('a chat without id stores nothing, and names nothing', async () => {
  const { gateway } = onMock();
  const chat = openChat(gateway);
  await chat.store.send('One');
  expect(chat.now.unstored).toEqual([]);
});

test('a conversation of version 0.3, which has no ids, is continued', async () => {
  const { gateway } = onMock();
  const messages = [
    { role: 'user', content: 'One' },
    { role: 'assistant', content: 'First' },
  ];
  const { storage } = memoryStorage({ [chatKey]: JSON.stringify({ v: 1, messages }) });
  const chat = openChat(gateway, { storage });
  await chat.store.send('Two');
  expect(chat.now.messages.slice(0, 3)).toEqual([...messages, { role: 'user', content: 'Two' }]);
  expect((await afterReload(storage)).messages).toEqual(chat.now.messages);
});

test('a retry of a response that was stored replaces it in the storage and in other tabs', async () => {
  const { mock, gateway } = onMock();
  const { storage } = memoryStorage();
  mock.fail({ route, cutStreamAfter: 3, times: 1 });
  const one = openChat(gateway, { storage });
  const two = openChat(gateway, { storage });
  await one.store.send('One');
  await eventually(() => expect(two.now.messages[1]).toMatchObject({ incomplete: true }));
  await one.store.retry();
  await eventually(() => expect(two.now.messages).toEqual(one.now.messages));
  expect(two.now.messages).toHaveLength(2);
  expect(two.now.messages[1]).not.toHaveProperty('incomplete');
  expect((await afterReload(storage)).messages).toEqual(one.now.messages);
});
