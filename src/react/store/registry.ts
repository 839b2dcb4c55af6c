import { unchecked } from '../../types/schema.ts';

interface Slotted {
  /** The name of the slot. The same name is never used for two classes of stores. */
  readonly slot: string | undefined;
}

/**
 * The stores that components share, by slot. Only stores with subscribers are added, so that a server, which renders
 * the pages of all users, shares none.
 */
const stores = new Map<string | undefined, Slotted>();

/** The store that is shared in place of `own`, or `own` itself. */
export const findShared = <Store extends Slotted>(own: Store): Store =>
  unchecked<Store | undefined>(stores.get(own.slot)) ?? own;

/** Shares a store, unless there is another one of its slot. Returns the shared one. */
export function share<Store extends Slotted>(own: Store): Store {
  const shared = findShared(own);
  if (own.slot !== undefined) stores.set(own.slot, shared);
  return shared;
}
