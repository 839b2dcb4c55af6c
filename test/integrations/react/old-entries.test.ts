import { expect, test } from 'vitest';

import { eventually } from '../../support/eventually.ts';
import recorded from './fixtures/entries-0.3.json' with { type: 'json' };
import { image, onMock, rejection } from './setup.ts';
import { chatKey, memoryStorage, openChat, openTab, storageKey } from './support.ts';

type Recorded = Omit<typeof recorded, 'chat'>;

/** A tab that finds what version 0.3 has stored, and a gateway that has its task. */
async function afterUpdate(name: keyof Recorded) {
  const { mock, gateway } = onMock({}, { maxRetries: 0 });
  const entry = recorded[name];
  const task = await gateway.images.submit(image, { idempotencyKey: entry.key });
  const known = 'receipt' in entry ? entry.receipt.id : 'no task';
  const text = JSON.stringify(entry).replaceAll(known, task.id);
  const memory = memoryStorage({ [storageKey]: text });
  return { mock, tab: openTab(gateway.images, { storage: memory.storage }), ...memory };
}

test('a lost request of version 0.3 is sent again with its key', async () => {
  const { mock, tab } = await afterUpdate('lost');
  await eventually(() => expect(tab.now.status).toBe('unknown'));
  expect(await mock.clock.settle(tab.store.resume())).toMatchObject({ status: 'succeeded' });
  expect(mock.invoice).toHaveLength(1);
});

test('a lost request of version 0.3 without its params needs the same ones', async () => {
  const { mock, tab } = await afterUpdate('lostWithoutParams');
  expect(await rejection(tab.store.resume())).toMatchObject({ code: 'params_not_stored' });
  const other = { ...image, prompt: 'A pier' };
  expect(await rejection(tab.store.generate(other))).toMatchObject({ code: 'outcome_unknown' });
  expect(await mock.clock.settle(tab.store.generate(image))).toMatchObject({ status: 'succeeded' });
  expect(mock.invoice).toHaveLength(1);
});

test.each(['queued', 'running'] as const)(
  'a %s task of version 0.3 is waited for',
  async (name) => {
    const { mock, tab } = await afterUpdate(name);
    await eventually(() => expect(tab.statuses()).toContain(name));
    await mock.clock.settle(tab.store.resume());
    expect(tab.now.status).toBe('succeeded');
    expect(mock.requests.filter(({ method }) => method === 'POST')).toHaveLength(1);
  },
);

test.each(['succeeded', 'failed'] as const)(
  'a task of version 0.3 that has %s is shown',
  async (name) => {
    const { mock, tab } = await afterUpdate(name);
    await eventually(() => expect(tab.now.status).toBe(name));
    expect(tab.now.urls).toEqual(recorded[name].generation.urls);
    await mock.clock.settle(tab.store.generate(image));
    expect(mock.invoice).toHaveLength(2);
  },
);

test('a conversation of version 0.3 is continued', async () => {
  const { mock, gateway } = onMock();
  const { storage, items } = memoryStorage({ [chatKey]: JSON.stringify(recorded.chat) });
  const chat = openChat(gateway, { storage });
  await eventually(() => expect(chat.now.messages).toEqual(recorded.chat.messages));
  await mock.clock.settle(chat.store.send('Again'));
  expect(mock.requests[0]?.body).toMatchObject({
    messages: [...recorded.chat.messages, { role: 'user', content: 'Again' }],
  });
  expect(JSON.parse(items.get(chatKey) ?? '{}').messages).toHaveLength(4);
});
