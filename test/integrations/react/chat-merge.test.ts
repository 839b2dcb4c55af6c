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

let warn: ReturnType<typeof vi.spyOn>;
beforeEach(() => void (warn = vi.spyOn(console, 'warn').mockReturnValue()));
afterEach(() => warn.mockRestore());

describe('a tab that still runs version 0.3, which stores no ids', () => {
  /** Stores the conversation with two more messages, as version 0.3 does. */
  const append = (items: Map<string, string>, question: string, answer: string) => {
    const { messages } = JSON.parse(items.get(chatKey) ?? '{}');
    const added = [
      { role: 'user', content: question },
      { role: 'assistant', content: answer },
    ];
    const all = [...messages, ...added];
    items.set(chatKey, JSON.stringify({ v: 1, messages: all }));
    return all;
  };

  test.each(['Two', 'One'])('adds the message %j at the end', async (question) => {
    const { mock, gateway } = onMock();
    const { storage, items } = memoryStorage();
    const tabs = [1, 2].map(() => openChat(gateway, { storage }));
    const [one = expect.unreachable(), two = expect.unreachable()] = tabs;
    await one.store.send('One');
    await eventually(() => expect(two.now.messages).toHaveLength(2));
    const all = append(items, question, 'Second');
    await one.store.send('Three');
    const sent: any = mock.requests.at(-1)?.body;
    expect(sent.messages).toEqual([...all, { role: 'user', content: 'Three' }]);
    await eventually(() => expect(two.now.messages).toEqual(one.now.messages));
    expect(one.now.messages).toHaveLength(6);
    expect(JSON.parse(items.get(chatKey) ?? '{}').messages).toEqual(one.now.messages);
  });

  test('can show the conversation of this version', async () => {
    const { gateway } = onMock();
    const { storage, items } = memoryStorage();
    await openChat(gateway, { storage }).store.send('One');
    const { v, messages } = JSON.parse(items.get(chatKey) ?? '{}');
    expect(v).toBe(1);
    expect(messages.map(({ role }: any) => role)).toEqual(['user', 'assistant']);
    expect(messages.flatMap((message: object) => Object.keys(message))).not.toContain('id');
  });
});

test('two responses with tools to one message are not mixed', async () => {
  const { mock, gateway } = onMock();
  const { storage } = memoryStorage();
  const options = { storage, tools: [tool('weather', () => 'Sunny')] };
  mock.fail({ route, status: 402, times: 1 });
  const one = openChat(gateway, options);
  const two = openChat(gateway, options);
  await one.store.send('What is the weather in Paris?');
  await eventually(() => expect(two.now.messages).toHaveLength(1));
  await Promise.all([one.store.retry(), two.store.retry()]);
  await eventually(() => {
    for (const { now } of [one, two]) {
      expect(now.messages.map(({ role }) => role)).toEqual([
        'user',
        'assistant',
        'tool',
        'assistant',
        'assistant',
        'tool',
        'assistant',
      ]);
    }
  });
});

describe('a picture that was too large for the storage', () => {
  async function twoTabs() {
    const { mock, gateway } = onMock();
    const limited = limitedStorage(4_000);
    const { storage } = limited;
    const one = openChat(gateway, { storage });
    const two = openChat(gateway, { storage });
    const content = [{ type: 'text' as const, text: 'One' }, picture(5_000)];
    await one.store.send(content);
    await eventually(() => expect(two.now.messages).toHaveLength(2));
    return { ...limited, mock, gateway, one, two };
  }

  test('is named as long as it is missing, also after a message of a tab without it', async () => {
    const { gateway, storage, one, two } = await twoTabs();
    await two.store.send('Two');
    await eventually(() => expect(one.now.messages).toHaveLength(4));
    for (const tab of [one, two, openChat(gateway, { storage })]) {
      await eventually(() => expect(tab.now.messages).toHaveLength(4));
      await eventually(() => expect(tab.now.unstored).toEqual([tab.now.messages[0]]));
    }
  });

  test('is shown by all tabs once it is stored, and stays there', async () => {
    const { room, items, one, two } = await twoTabs();
    room.limit = 20_000;
    await one.store.send('Two');
    await eventually(() => expect(two.now.messages).toEqual(one.now.messages));
    await two.store.send('Three');
    expect(items.get(chatKey)).toContain('A'.repeat(5_000));
  });

  test('is named if the storage takes nothing anymore', async () => {
    const { room, one } = await twoTabs();
    room.limit = 0;
    await one.store.send('Two');
    expect(one.now.unstored).toEqual([0, 2, 3].map((index) => one.now.messages[index]));
  });
});

test('a response that was stored is not left out for newer ones', async () => {
  const { mock, gateway } = onMock();
  const { storage, room, items } = limitedStorage(100_000);
  const chat = openChat(gateway, { storage });
  mock.reply({ text: 'A long response. '.repeat(100), times: 1 });
  mock.reply({ text: 'Short' });
  await chat.store.send('One');
  room.limit = chatKey.length + (items.get(chatKey)?.length ?? 0) + 200;
  await chat.store.send('Two');
  await chat.store.send('Three');
  const { messages } = JSON.parse(items.get(chatKey) ?? '{}');
  expect(messages.slice(0, 2)).toEqual(chat.now.messages.slice(0, 2));
  expect(chat.now.unstored).toEqual(
    chat.now.messages.filter(
      (message) => !messages.some((each: any) => each.content === message.content),
    ),
  );
});

describe('what is stored is not left out for newer messages', () => {
  /** A conversation that is stored with a picture, in a storage that other code then fills but for some characters. */
  async function filled(room: number) {
    const { mock, gateway } = onMock();
    const limited = limitedStorage(100_000);
    const { storage, items } = limited;
    const chat = openChat(gateway, { storage });
    const shared = picture(2_000);
    mock.reply({ text: 'Short' });
    await chat.store.send([{ type: 'text', text: 'One' }, shared]);
    const before: object[] = JSON.parse(items.get(chatKey) ?? '{}').messages;
    limited.room.limit = chatKey.length + (items.get(chatKey)?.length ?? 0) + room;
    const stored = (): object[] => JSON.parse(items.get(chatKey) ?? '{}').messages;
    return { ...limited, mock, gateway, chat, shared, before, stored };
  }

  test('neither a picture nor a text in parts, when other code has filled the storage', async () => {
    const { chat, before, stored } = await filled(20);
    await chat.store.send('Two');
    await chat.store.send([{ type: 'text', text: 'Three' }]);
    expect(stored()).toEqual(before);
    expect(chat.now.unstored).toEqual(chat.now.messages.slice(2));
  });

  test('nor by another tab', async () => {
    const { gateway, storage, before, stored } = await filled(20);
    const two = openChat(gateway, { storage });
    await eventually(() => expect(two.now.messages).toHaveLength(2));
    await two.store.send([{ type: 'text', text: 'Two' }]);
    expect(stored()).toEqual(before);
    expect(two.now.unstored).toEqual(two.now.messages.slice(2));
  });

  test('nor a picture that a new message has, too', async () => {
    const { chat, shared, before, stored } = await filled(1_000);
    const text = { type: 'text' as const, text: 'Two' };
    await chat.store.send([text, shared]);
    expect(stored().slice(0, 2)).toEqual(before);
    expect(stored()[2]).toEqual({ role: 'user', content: [text] });
    expect(chat.now.unstored).toEqual([chat.now.messages[2]]);
  });

  test('nor the beginning of a response whose rest does not fit, and smaller messages follow it', async () => {
    const { mock, gateway } = onMock();
    const { storage, items, room } = limitedStorage(100_000);
    const chat = openChat(gateway, { storage });
    mock.reply({ text: 'A long response. '.repeat(100), times: 1 });
    mock.reply({ text: 'Short' });
    await chat.store.send('One');
    const stored = JSON.parse(items.get(chatKey) ?? '{}');
    const beginning = { role: 'assistant', content: 'A long', incomplete: true };
    const messages = [stored.messages[0], beginning];
    items.set(chatKey, JSON.stringify({ ...stored, messages }));
    room.limit = 1_500;
    await chat.store.send('Two');
    expect(JSON.parse(items.get(chatKey) ?? '{}').messages).toEqual([
      ...messages,
      ...chat.now.messages.slice(2),
    ]);
    expect(chat.now.unstored).toEqual([chat.now.messages[1]]);
  });
});

test('the longer part of a response that was cut off replaces the shorter one', async () => {
  const { gateway } = onMock();
  const { storage, items } = memoryStorage();
  const one = openChat(gateway, { storage });
  const two = openChat(gateway, { storage });
  await one.store.send('One');
  const chat = JSON.parse(items.get(chatKey) ?? '{}');
  const answer = { role: 'assistant', content: 'A ship', incomplete: true };
  const question = { role: 'user', content: 'Two' };
  const ids = [...chat.ids, '1000002/n/', '1000002/n/1000001/n/1000000'];
  const store = (last: object) =>
    items.set(
      chatKey,
      JSON.stringify({ ...chat, ids, messages: [...chat.messages, question, last] }),
    );
  store(answer);
  one.unmount();
  two.unmount();
  const three = openChat(gateway, { storage });
  await eventually(() => expect(three.now.messages.at(-1)).toEqual(answer));
  store({ ...answer, content: 'A ship in the harbor' });
  await three.store.send('Three');
  expect(items.get(chatKey)).toContain('A ship in the harbor');
});

test('a conversation whose ids were damaged is continued in its order', async () => {
  const { gateway } = onMock();
  const messages = [
    { role: 'user', content: 'One' },
    { role: 'assistant', content: 'First' },
  ];
  const chat = { v: 1, messages, ids: ['1000001/n/'] };
  const { storage } = memoryStorage({ [chatKey]: JSON.stringify(chat) });
  const tab = openChat(gateway, { storage });
  await tab.store.send('Two');
  expect(tab.now.messages.slice(0, 3)).toEqual([...messages, { role: 'user', content: 'Two' }]);
});
