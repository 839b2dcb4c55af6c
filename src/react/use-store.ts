import { useEffect, useRef, useState, useSyncExternalStore } from 'react';
import type { RefObject } from 'react';

import { findShared, share } from './store/registry.ts';
import type { SettingsRef, StoreBase } from './store/store-base.ts';

/** A store, and the key under which it is stored. */
type KeyedStore<Settings> = StoreBase<object, Settings> & {
  readonly storageKey: string | undefined;
};

/** The latest value that was rendered, for callbacks and events. */
function useLatest<Value>(value: Value): RefObject<Value> {
  const ref = useRef(value);
  useEffect(() => {
    ref.current = value;
  });
  return ref;
}

/**
 * The snapshot of a store, and the store. `create` makes a store for this component, which is used unless another
 * component has subscribed to one with the same storage key.
 */
export function useStore<Settings, Store extends KeyedStore<Settings>>(
  storageKey: string | undefined,
  current: Settings,
  create: (storageKey: string | undefined, settings: SettingsRef<Settings>) => Store,
): [snapshot: Store['snapshot'], store: () => Store] {
  const settings = useLatest(current);
  const bind = () => {
    const own = create(storageKey, settings);
    const initial = own.snapshot;
    return {
      storageKey,
      getInitial: () => initial,
      getShared: () => findShared(own),
      getSnapshot: () => findShared(own).snapshot,
      subscribe: (notify: () => void) => share(own).subscribe(notify, settings),
    };
  };
  const [binding, setBinding] = useState(bind);
  let bound = binding;
  if (bound.storageKey !== storageKey) {
    bound = bind();
    setBinding(bound);
  }
  const snapshot = useSyncExternalStore(bound.subscribe, bound.getSnapshot, bound.getInitial);
  return [snapshot, bound.getShared];
}
