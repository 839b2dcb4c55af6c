import type { GenerationOptions } from 'polygate/react';
import { onTestFinished } from 'vitest';

import type { GenerationNamespace } from '../../src/react/store/generation-state.ts';
import { GenerationStore } from '../../src/react/store/generation-store.ts';
import type { KeyValueStorage } from '../../src/react/store/stored-value.ts';
import type { TaskKind } from '../../src/types/tasks/task.ts';

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
