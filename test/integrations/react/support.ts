import type { GenerationOptions } from 'polygate/react';
import { onTestFinished } from 'vitest';

import type { ChatGateway, ChatOptions } from '../../../src/integrations/react/store/chat-state.ts';
import { ChatStore } from '../../../src/integrations/react/store/chat-store.ts';
import type { GenerationNamespace } from '../../../src/integrations/react/store/generation-state.ts';
import { GenerationStore } from '../../../src/integrations/react/store/generation-store.ts';
import type { KeyValueStorage } from '../../../src/integrations/react/store/stored-value.ts';
import type { TaskKind } from '../../../src/wire/types/tasks/task.ts';

/** The storage key of these tests. */
export const storageKey = 'polygate:image:hero';

/** A storage like that of a browser, with what it has. */
export function memoryStorage(entries: Record<string, string> = {}) {
  const items = new Map(Object.entries(entries));
  const storage: KeyValueStorage = {
    getItem: (key) => items.get(key) ?? null,
    setItem: (key, value) => void items.set(key, value),
    removeItem: (key) => void items.delete(key),
  };
  return { items, storage, entry: (): any => JSON.parse(items.get(storageKey) ?? 'null') };
}

/** A storage like that of a browser, with room for `limit` characters, as the quota of all its keys. */
export function limitedStorage(limit: number, entries: Record<string, string> = {}) {
  const memory = memoryStorage(entries);
  const room = { limit };
  const storage: KeyValueStorage = {
    ...memory.storage,
    setItem: (key, value) => {
      const others = [...memory.items].filter(([name]) => name !== key);
      const used = others.reduce((sum, [name, text]) => sum + name.length + text.length, 0);
      if (used + key.length + value.length > room.limit) {
        throw new DOMException('The quota has been exceeded.', 'QuotaExceededError');
      }
      memory.storage.setItem(key, value);
    },
  };
  return { ...memory, storage, room };
}

/** Opens a tab with a component, until the end of the test. Tabs with the same storage and key share a generation. */
export function openTab<Params, Kind extends TaskKind>(
  namespace: GenerationNamespace<Params, Kind>,
  options: GenerationOptions<Kind> = {},
  name: string | undefined = options.storage && storageKey,
) {
  const settings = { current: { ...options, namespace } };
  const store = new GenerationStore<Params, Kind>(name, settings);
  const snapshots = [store.snapshot];
  const mount = () => store.subscribe(() => snapshots.push(store.snapshot), settings);
  let unmount = mount();
  onTestFinished(() => unmount());
  return {
    store,
    settings,
    snapshots,
    get now() {
      return store.snapshot;
    },
    statuses: () =>
      snapshots
        .map(({ status }) => status)
        .filter((status, index, all) => status !== all[index - 1]),
    unmount: () => unmount(),
    remount: () => void (unmount = mount()),
    /** Closes the tab: what is in memory is gone, and no response arrives. */
    close: () => unmount(),
  };
}

/** The storage key of the chats of these tests. */
export const chatKey = 'polygate:chat:main';

/** Opens a tab with a chat, until the end of the test. Tabs with the same storage share a conversation. */
export function openChat(gateway: ChatGateway, options: Partial<ChatOptions> = {}) {
  const settings = { current: { model: 'aurora-chat', ...options, gateway } };
  const store = new ChatStore(options.storage && chatKey, settings);
  const snapshots = [store.snapshot];
  const mount = () => store.subscribe(() => snapshots.push(store.snapshot), settings);
  const unmount = mount();
  onTestFinished(unmount);
  return {
    store,
    snapshots,
    unmount,
    get now() {
      return store.snapshot;
    },
  };
}
