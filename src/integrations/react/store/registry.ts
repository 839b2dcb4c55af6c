import { unchecked } from '../../../wire/types/schema.ts';

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
export const findShared = <Store extends Keyed>(own: Store): Store =>
  unchecked<Store | undefined>(stores.get(own.storageKey)) ?? own;

/** Shares a store, unless there is another one with its storage key. Returns the shared one. */
export function share<Store extends Keyed>(own: Store): Store {
  const shared = findShared(own);
  if (own.storageKey !== undefined) stores.set(own.storageKey, shared);
  return shared;
}
