import { unchecked } from '../../schemas/schema.ts';
import { readWithSchema } from './api-call.ts';
import type { ResponseReader, ResultSchema } from './api-call.ts';

/** Reads a record and lets it do more, unseen: the record itself stays as it was sent. */
export function readExtended<Sent extends object, Extended extends Sent>(
  schema: ResultSchema<Sent>,
  more: (record: Sent) => PropertyDescriptorMap,
): ResponseReader<Extended> {
  return async (body, meta) => {
    const result = await readWithSchema(schema)(body, meta);
    if (result.issues !== undefined) return result;
    return { value: unchecked(Object.defineProperties(result.value, more(result.value))) };
  };
}

/** Reads a list that can be looped over. */
export function readIterable<Item, List extends { data: Item[] }>(
  schema: ResultSchema<List>,
): ResponseReader<List & Iterable<Item>> {
  return readExtended(schema, ({ data }) => ({
    [Symbol.iterator]: { value: () => data.values() },
  }));
}
