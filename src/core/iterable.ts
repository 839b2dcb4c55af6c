import { unchecked } from '../schemas/schema.ts';
import type { StandardSchema } from '../schemas/standard-schema.ts';
import { matching } from './request.ts';
import type { Read } from './request.ts';

/** Reads a list that can be looped over; the record itself stays as it was sent. */
export function iterable<Item, List extends { data: Item[] }>(
  schema: StandardSchema<List>,
): Read<List & Iterable<Item>> {
  return async (body, meta) => {
    const result = await matching(schema)(body, meta);
    if (result.issues !== undefined) return result;
    const list = result.value;
    const value = () => list.data.values();
    return { value: unchecked(Object.defineProperty(list, Symbol.iterator, { value })) };
  };
}
