import { unchecked } from './schema.ts';

const key = Symbol.for('polygate.partsLoading');

/**
 * One entry for each part of a client that is being loaded in this process. It is global, because the client and the
 * reference gateway, whose virtual clock waits for the parts, are built separately.
 */
export function partsLoading(): Set<object> {
  const global = unchecked<{ [key]?: Set<object> }>(globalThis);
  return (global[key] ??= new Set());
}
