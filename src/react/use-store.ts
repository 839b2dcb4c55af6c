import { useEffect, useRef, useState, useSyncExternalStore } from 'react';
import type { RefObject } from 'react';

import { findShared, share } from './store/registry.ts';
import type { SettingsRef, StoreBase } from './store/store-base.ts';

/** A store of a slot. */
type SlotStore<Settings> = StoreBase<object, Settings> & { readonly slot: string | undefined };

/** The latest value that was rendered, for callbacks and events. */
function useLatest<Value>(value: Value): RefObject<Value> {
  const ref = useRef(value);
  useEffect(() => {
    ref.current = value;
  });
  return ref;
}

/**
 * The snapshot of the store of a slot, and the store. `create` makes a store for this component, which is used unless
 * another component has subscribed to one of the same slot.
 */
export function useStore<Settings, Store extends SlotStore<Settings>>(
  slot: string | undefined,
  current: Settings,
  create: (slot: string | undefined, settings: SettingsRef<Settings>) => Store,
): [snapshot: Store['snapshot'], store: () => Store] {
  const settings = useLatest(current);
  const bind = () => {
    const own = create(slot, settings);
    const initial = own.snapshot;
    return {
      slot,
      getInitial: () => initial,
      getShared: () => findShared(own),
      getSnapshot: () => findShared(own).snapshot,
      subscribe: (notify: () => void) => share(own).subscribe(notify, settings),
    };
  };
  const [binding, setBinding] = useState(bind);
  let bound = binding;
  if (bound.slot !== slot) {
    bound = bind();
    setBinding(bound);
  }
  const snapshot = useSyncExternalStore(bound.subscribe, bound.getSnapshot, bound.getInitial);
  return [snapshot, bound.getShared];
}
