import { unchecked } from '../../schemas/schema.ts';
import { matching } from './api-call.ts';
import type { Read, Schema } from './api-call.ts';

/** Reads a record and lets it do more, unseen: the record itself stays as it was sent. */
export function extended<Sent extends object, Extended extends Sent>(
  schema: Schema<Sent>,
  more: (record: Sent) => PropertyDescriptorMap,
): Read<Extended> {
  return async (body, meta) => {
    const result = await matching(schema)(body, meta);
    if (result.issues !== undefined) return result;
    return { value: unchecked(Object.defineProperties(result.value, more(result.value))) };
  };
}

/** Reads a list that can be looped over. */
export function iterable<Item, List extends { data: Item[] }>(
  schema: Schema<List>,
): Read<List & Iterable<Item>> {
  return extended(schema, ({ data }) => ({ [Symbol.iterator]: { value: () => data.values() } }));
}
