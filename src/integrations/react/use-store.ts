import { useEffect, useMemo, useRef, useState, useSyncExternalStore } from 'react';

import { findShared, share } from './store/registry.ts';
import type { SettingsRef, StoreBase } from './store/store-base.ts';

/** A store, and the key under which it is stored. */
type KeyedStore<Settings> = StoreBase<object, Settings> & {
  readonly storageKey: string | undefined;
};

/** Options of a component. The id is shared by components that show the same thing, and survives a reload. */
interface WithId {
  readonly id?: string | undefined;
}

/**
 * The snapshot of a store, and methods. A store is created for this component, and used unless another component has
 * subscribed to one of the same kind with the same id. `methodsOf` gets a function that returns the store.
 */
export function useStore<
  Settings extends WithId,
  Store extends KeyedStore<Settings>,
  Methods extends object,
>(
  kind: string,
  current: Settings,
  StoreClass: new (storageKey: string | undefined, settings: SettingsRef<Settings>) => Store,
  methodsOf: (store: () => Store) => Methods,
): Store['snapshot'] & Methods {
  const storageKey = current.id === undefined ? undefined : `polygate:${kind}:${current.id}`;
  // The latest options that were rendered, for callbacks and events.
  const settings = useRef(current);
  useEffect(() => {
    settings.current = current;
  });
  const bind = () => {
    const own = new StoreClass(storageKey, settings);
    const initial = own.snapshot;
    return {
      storageKey,
      methods: methodsOf(() => findShared(own)),
      getInitial: () => initial,
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
  return useMemo(() => ({ ...snapshot, ...bound.methods }), [snapshot, bound]);
}
