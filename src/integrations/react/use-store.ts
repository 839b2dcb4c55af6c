import { useEffect, useMemo, useRef, useState, useSyncExternalStore } from 'react';

import { findShared, share } from './store/registry.ts';
import type { SettingsRef, StoreBase } from './store/store-base.ts';
import { warn } from './store/stored-value.ts';

/** A store, and the key under which it is stored. */
type KeyedStore<Settings> = StoreBase<object, Settings> & {
  readonly storageKey: string | undefined;
};

/**
 * The snapshot of a store, and methods. A store is created for this component, and used unless another component has
 * subscribed to one of the same kind with the same id, if there is one. `methodsOf` gets a function that returns the
 * store.
 */
export function useStore<Settings, Store extends KeyedStore<Settings>, Methods extends object>(
  kind: string,
  id: string | undefined,
  current: Settings,
  StoreClass: new (storageKey: string | undefined, settings: SettingsRef<Settings>) => Store,
  methodsOf: (store: () => Store) => Methods,
): Store['snapshot'] & Methods {
  const storageKey = id === undefined ? undefined : `polygate:${kind}:${id}`;
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

/**
 * The client of a component. React repeats a render at once whose state was set during it: in the repetition, a client
 * that was replaced is the same, and one that the render creates is another one again. A hook that loads data for each of
 * those would never end, so the first client is returned from then on.
 */
export function useClient<Client>(given: Client): Client {
  const [[client, next, isUnstable], set] = useState<
    readonly [client: Client, next?: Client, isUnstable?: boolean]
  >([given]);
  if (given !== client && !isUnstable) {
    const isNew = next !== undefined && next !== given;
    if (isNew) warn('a client is new on each render. Create it outside of components.');
    set(next === given ? [given] : [client, given, isNew]);
  }
  return client;
}
