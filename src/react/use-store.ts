import { useEffect, useMemo, useRef, useState, useSyncExternalStore } from 'react';
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

/** Options of a component. The id is shared by components that show the same thing, and survives a reload. */
interface WithId {
  readonly id?: string | undefined;
}

/**
 * The snapshot of a store, and methods. `create` makes a store for this component, which is used unless another
 * component has subscribed to one of the same kind with the same id. `methodsOf` gets a function that returns the store.
 */
export function useStore<
  Settings extends WithId,
  Store extends KeyedStore<Settings>,
  Methods extends object,
>(
  kind: string,
  current: Settings,
  create: (storageKey: string | undefined, settings: SettingsRef<Settings>) => Store,
  methodsOf: (store: () => Store) => Methods,
): Store['snapshot'] & Methods {
  const storageKey = current.id === undefined ? undefined : `polygate:${kind}:${current.id}`;
  const settings = useLatest(current);
  const bind = () => {
    const own = create(storageKey, settings);
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
