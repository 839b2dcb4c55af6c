import type { KeyValueStorage } from 'polygate/react';
import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';

import { StoredValue } from '../../../src/integrations/react/store/stored-value.ts';
import { eventually } from '../../support/eventually.ts';
import { onMock, rejection } from './setup.ts';
import { chatKey, memoryStorage, openChat } from './support.ts';

const route = 'POST /v1/chat/completions';
type Tab = ReturnType<typeof openChat>;

const contents = ({ now }: Tab) =>
  now.messages.map(({ content }) => (typeof content === 'string' ? content : ''));
const stored = (items: Map<string, string>): string[] =>
  JSON.parse(items.get(chatKey) ?? '{"messages":[]}').messages.map(({ content }: any) => content);

/** Waits until both tabs show what is stored, which contains every response that was paid for. */
async function expectAllEverywhere(items: Map<string, string>, tabs: Tab[], texts: string[]) {
  await eventually(() => {
    for (const shown of [stored(items), ...tabs.map(contents)]) {
      for (const text of texts) {
        expect(shown.filter((content) => content === text)).toHaveLength(1);
        expect(shown.filter((content) => content.startsWith(`You said: ${text}.`))).toHaveLength(1);
      }
    }
    expect(new Set(tabs.map((tab) => JSON.stringify(contents(tab)))).size).toBe(1);
    expect(stored(items)).toEqual(tabs[0] && contents(tabs[0]));
  });
}

describe.each([5, 50])('two tabs that send at once, with %i ms between chunks', (chunkDelayMs) => {
  test.each([
    ['start together', 0],
    ['overlap', 1],
  ])('and %s keep both responses, in the storage and on both screens', async (_, delay) => {
    const { mock, gateway } = onMock({ clock: 'system', chunkDelayMs }, { clock: undefined });
    const { storage, items } = memoryStorage();
    const one = openChat(gateway, { storage });
    const two = openChat(gateway, { storage });
    await one.store.send('Before');
    const first = one.store.send('Harbor');
    if (delay > 0) await eventually(() => expect(mock.inFlight).toBe(1));
    await Promise.all([first, two.store.send('Lighthouse')]);
    expect(mock.invoice).toHaveLength(3);
    await expectAllEverywhere(items, [one, two], ['Before', 'Harbor', 'Lighthouse']);
    const reloaded = openChat(gateway, { storage });
    await eventually(() => expect(contents(reloaded)).toEqual(contents(one)));
  });
});

test('three tabs that send at once, several times, keep all responses in one order', async () => {
  const { mock, gateway } = onMock();
  const { storage, items } = memoryStorage();
  const tabs = [1, 2, 3].map(() => openChat(gateway, { storage }));
  const texts: string[] = [];
  for (let round = 0; round < 3; round += 1) {
    const send = (tab: Tab, index: number) => {
      texts.push(`Question ${round}-${index}`);
      return tab.store.send(`Question ${round}-${index}`);
    };
    await Promise.all(tabs.map(send));
  }
  expect(mock.invoice).toHaveLength(9);
  await expectAllEverywhere(items, tabs, texts);
  // A question is followed by its response.
  for (const [index, text] of contents(tabs[0] ?? expect.unreachable()).entries()) {
    if (index % 2 === 0)
      expect(contents(tabs[1] ?? expect.unreachable())[index + 1]).toContain(text);
  }
});

test('initial messages are there once, whichever tab sends first', async () => {
  const { gateway } = onMock();
  const { storage, items } = memoryStorage();
  const messages = [{ role: 'system' as const, content: 'Be brief.' }];
  const one = openChat(gateway, { storage, messages });
  const two = openChat(gateway, { storage, messages });
  await Promise.all([one.store.send('Harbor'), two.store.send('Lighthouse')]);
  await expectAllEverywhere(items, [one, two], ['Harbor', 'Lighthouse']);
  expect(contents(one).filter((content) => content === 'Be brief.')).toHaveLength(1);
  expect(contents(one)[0]).toBe('Be brief.');
});

/** A storage that shows what it contained some time ago, except for what this tab has written. */
function lateStorage(storage: KeyValueStorage) {
  let seen: string | null | undefined;
  const late: KeyValueStorage = {
    ...storage,
    getItem: (key) => (seen === undefined ? storage.getItem(key) : seen),
    setItem: (key, value) => {
      if (seen !== undefined) seen = value;
      storage.setItem(key, value);
    },
  };
  return {
    late,
    freeze: async () => void (seen = (await storage.getItem(chatKey)) ?? null),
    thaw: () => void (seen = undefined),
  };
}

test('a tab that sees late what another one has stored overwrites nothing', async () => {
  const { mock, gateway } = onMock();
  const { storage, items } = memoryStorage();
  const { late, freeze, thaw } = lateStorage(storage);
  const one = openChat(gateway, { storage });
  const two = openChat(gateway, { storage: late });
  await one.store.send('Before');
  await eventually(() => expect(two.now.messages).toHaveLength(2));
  await freeze();
  await one.store.send('Harbor');
  await two.store.send('Lighthouse');
  expect(contents(two)).not.toContain('Harbor');
  thaw();
  await expectAllEverywhere(items, [one, two], ['Before', 'Harbor', 'Lighthouse']);
  expect(mock.invoice).toHaveLength(3);
});

describe('in a browser, whose events say what another tab has stored', () => {
  const storages: KeyValueStorage[] = [];
  beforeEach(() => {
    vi.stubGlobal('window', new EventTarget());
    vi.stubGlobal('BroadcastChannel', undefined);
    onTestFinished(() => void vi.unstubAllGlobals());
    storages.length = 0;
  });
  afterEach(() => void vi.unstubAllGlobals());

  test('the response of a tab that was closed is not lost to a tab that sees it late', async () => {
    const { gateway } = onMock();
    const { storage, items } = memoryStorage();
    const { late, freeze, thaw } = lateStorage(storage);
    const one = openChat(gateway, { storage });
    await one.store.send('Harbor');
    const newValue = items.get(chatKey) ?? '';
    one.unmount();
    items.clear();
    await freeze();
    const two = openChat(gateway, { storage: late });
    items.set(chatKey, newValue);
    await two.store.send('Lighthouse');
    expect(stored(items)).not.toContain('Harbor');
    thaw();
    const event = Object.assign(new Event('storage'), {
      key: chatKey,
      newValue,
      storageArea: late,
    });
    window.dispatchEvent(event);
    await expectAllEverywhere(items, [two], ['Harbor', 'Lighthouse']);
  });

  test('an event of another storage with this key is no news', async () => {
    const { gateway } = onMock();
    const { storage, items } = memoryStorage();
    const tab = openChat(gateway, { storage });
    await tab.store.send('Harbor');
    const newValue = JSON.stringify({ v: 1, messages: [{ role: 'user', content: 'Secret' }] });
    window.dispatchEvent(
      Object.assign(new Event('storage'), { key: chatKey, newValue, storageArea: {} }),
    );
    await tab.store.send('Lighthouse');
    expect(stored(items)).not.toContain('Secret');
    expect(contents(tab)).not.toContain('Secret');
  });
});

describe('a conversation that another tab removes', () => {
  /** Removes the conversation as another tab does. */
  const remove = async (storage: KeyValueStorage) => {
    const controller = new AbortController();
    const value = new StoredValue(chatKey, storage, () => undefined);
    value.listen(() => undefined, controller.signal);
    await value.update((_, set) => set(null));
    controller.abort();
  };

  test('is forgotten, and not stored again', async () => {
    const { gateway } = onMock();
    const { storage, items } = memoryStorage();
    const messages = [{ role: 'system' as const, content: 'Be brief.' }];
    const tab = openChat(gateway, { storage, messages });
    await tab.store.send('Harbor');
    await remove(storage);
    await eventually(() => expect(contents(tab)).toEqual(['Be brief.']));
    expect(items.size).toBe(0);
    await tab.store.send('Lighthouse');
    expect(stored(items)).not.toContain('Harbor');
    expect(contents(tab)).toHaveLength(3);
  });

  test('keeps the response that is being received', async () => {
    const { mock, gateway } = onMock({ clock: 'system', chunkDelayMs: 20 }, { clock: undefined });
    const { storage, items } = memoryStorage();
    const one = openChat(gateway, { storage });
    const two = openChat(gateway, { storage });
    await one.store.send('Before');
    const response = one.store.send('Harbor');
    await eventually(() => expect(mock.inFlight).toBe(1));
    await remove(storage);
    await eventually(() => expect(contents(one)).not.toContain('Before'));
    expect(await response).toMatchObject({ role: 'assistant' });
    await expectAllEverywhere(items, [one, two], ['Harbor']);
    expect(contents(two)).not.toContain('Before');
  });

  test('keeps a response that ends before this tab learns of it', async () => {
    const { mock, gateway } = onMock({ clock: 'system', chunkDelayMs: 20 }, { clock: undefined });
    const { storage, items } = memoryStorage();
    const tab = openChat(gateway, { storage });
    await tab.store.send('Before');
    const response = tab.store.send('Harbor');
    await eventually(() => expect(mock.inFlight).toBe(1));
    items.clear();
    expect(await response).toMatchObject({ role: 'assistant' });
    await expectAllEverywhere(items, [tab], ['Harbor']);
    expect(contents(tab)).not.toContain('Before');
  });

  test('is forgotten by the tab that has removed it, with its next message', async () => {
    const { gateway } = onMock();
    const { storage, items } = memoryStorage();
    const one = openChat(gateway, { storage });
    await one.store.send('Harbor');
    items.clear();
    // Without a message, as in the page that has removed it.
    await one.store.send('Lighthouse');
    expect(contents(one)).not.toContain('Harbor');
    expect(contents(one)).toHaveLength(2);
    expect(stored(items)).toEqual(contents(one));
  });
});

describe('a response that is retried', () => {
  test('in two tabs at once is there twice, because it was paid for twice', async () => {
    const { mock, gateway } = onMock();
    const { storage, items } = memoryStorage();
    mock.fail({ route, cutStreamAfter: 3, times: 1 });
    const one = openChat(gateway, { storage });
    const two = openChat(gateway, { storage });
    await one.store.send('Harbor');
    await eventually(() => expect(two.now.messages).toHaveLength(2));
    await Promise.all([one.store.retry(), two.store.retry()]);
    expect(mock.invoice).toHaveLength(3);
    await eventually(() => {
      for (const shown of [contents(one), contents(two), stored(items)]) {
        expect(shown).toHaveLength(3);
        expect(shown.slice(1).every((content) => content.startsWith('You said: Harbor.'))).toBe(
          true,
        );
      }
    });
    expect(contents(one)).toEqual(contents(two));
  });

  test('is that of the tab, although another one has sent a message since', async () => {
    const { mock, gateway } = onMock();
    const { storage, items } = memoryStorage();
    mock.fail({ route, status: 402, times: 1 });
    const one = openChat(gateway, { storage });
    const two = openChat(gateway, { storage });
    await one.store.send('Harbor');
    await eventually(() => expect(two.now.messages).toHaveLength(1));
    await two.store.send('Lighthouse');
    await eventually(() => expect(one.now.messages).toHaveLength(3));
    await one.store.retry();
    const sent: any = mock.requests.at(-1)?.body;
    expect(sent.messages).toEqual([{ role: 'user', content: 'Harbor' }]);
    await expectAllEverywhere(items, [one, two], ['Harbor', 'Lighthouse']);
    expect(await rejection(one.store.retry())).toMatchObject({ code: 'nothing_to_retry' });
  });
});
