import { unchecked } from '../../types/schema.ts';
import type { ResponseSchema } from '../../types/schema.ts';
import type { ResponseReader } from './api-call.ts';

/** Creates a reader that validates with a schema. */
export function readWithSchema<Result>(schema: ResponseSchema<Result>): ResponseReader<Result> {
  return (body) => {
    const issue = schema.validate(body, []);
    return issue === undefined ? { value: unchecked<Result>(body) } : { issues: [issue] };
  };
}

/** Creates a reader that passes the valid record to a function, and returns what that returns. */
export function readAndMap<Received, Result>(
  read: ResponseReader<Received>,
  map: (record: Received) => Result,
): ResponseReader<Result> {
  return async (...received) => {
    const result = await read(...received);
    return result.issues === undefined ? { value: map(result.value) } : result;
  };
}

/** Creates a reader that adds non-enumerable properties to the record, which otherwise stays as received. */
export function readExtended<Received extends object, Extended extends Received>(
  schema: ResponseSchema<Received>,
  propertiesOf: (record: Received) => PropertyDescriptorMap,
): ResponseReader<Extended> {
  return readAndMap(readWithSchema(schema), (record) =>
    unchecked(Object.defineProperties(record, propertiesOf(record))),
  );
}

/** Creates a reader for lists that can be iterated: `for (const model of await gateway.models.list())`. */
export function readIterable<Item, List extends { data: Item[] }>(
  schema: ResponseSchema<List>,
): ResponseReader<List & Iterable<Item>> {
  return readExtended(schema, ({ data }) => ({
    [Symbol.iterator]: { value: () => data.values() },
  }));
}
