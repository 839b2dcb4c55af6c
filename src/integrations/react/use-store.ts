import { useEffect, useMemo, useRef, useState, useSyncExternalStore } from 'react';

import { unchecked } from '../../wire/types/schema.ts';
import type { SettingsRef, StoreBase } from './store/store-base.ts';
import { warn } from './store/stored-value.ts';

interface Keyed {
  /** The same key is never used for two classes of stores. */
  readonly storageKey: string | undefined;
}

/**
 * The stores that components share, by storage key. Only stores with subscribers are added, so that a server, which
 * renders the pages of all users, shares none.
 */
const stores = new Map<string | undefined, Keyed>();

/** The shared store with the storage key of `own`, or `own` itself. */
const findShared = <Store extends Keyed>(own: Store): Store =>
  unchecked<Store | undefined>(stores.get(own.storageKey)) ?? own;

/** Shares a store, unless there is another one with its storage key. Returns the shared one. */
function share<Store extends Keyed>(own: Store): Store {
  const shared = findShared(own);
  if (own.storageKey !== undefined) stores.set(own.storageKey, shared);
  return shared;
}

/**
 * The snapshot of a store, and methods. A store is created for this component, and used unless another component has
 * subscribed to one of the same kind with the same id, if there is one. `methodsOf` gets a function that returns the
 * store.
 */
export function useStore<
  Settings,
  Store extends StoreBase<object, Settings> & Keyed,
  Methods extends object,
>(
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
