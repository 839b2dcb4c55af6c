import { unchecked } from '../schemas/schema.ts';

/** Lets a list be looped over; the record itself stays as it was sent. */
export function iterable<Item, List extends { data: Item[] }>(list: List): List & Iterable<Item> {
  const value = () => list.data.values();
  return unchecked(Object.defineProperty(list, Symbol.iterator, { value }));
}
