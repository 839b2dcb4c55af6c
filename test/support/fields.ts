import type { Field } from '../coverage/specification.ts';

/** The received and the sent version of a record: a response, or a request body. */
export interface Sample {
  read: unknown;
  sent: unknown;
}

/**
 * Every value at a documented name such as `checks[].id`. Missing values are left out.
 */
function valuesAt(record: unknown, name: string): unknown[] {
  let values = [record];
  for (const part of name.replaceAll('[]', '.[]').split('.')) {
    values = values.flatMap((value) => {
      if (part === '[]') return Array.isArray(value) ? (value as unknown[]) : [];
      return typeof value === 'object' && value !== null && Object.hasOwn(value, part)
        ? [Reflect.get(value, part) as unknown]
        : [];
    });
  }
  return values;
}

/**
 * The difference between what was sent and read in a field, or between its values and its documented types; undefined
 * if there is none. A field that can be null must occur both as null and with a value.
 */
export function difference({ name, type }: Field, samples: readonly Sample[]): string | undefined {
  const read = samples.flatMap((sample) => valuesAt(sample.read, name));
  const sent = samples.flatMap((sample) => valuesAt(sample.sent, name));
  if (JSON.stringify(read) !== JSON.stringify(sent)) {
    return `${name} was ${JSON.stringify(sent)} and became ${JSON.stringify(read)}`;
  }
  const types = [...new Set(read.map(typeOf))].toSorted().join('|');
  const expected = type.split('|').toSorted().join('|');
  return types === expected ? undefined : `${name} must be of type ${expected} and is ${types}`;
}

/** The fields as a table of tests. */
export function rows(fields: readonly Field[]): [string, Field][] {
  return fields.map((field) => [field.name, field]);
}

function typeOf(value: unknown): string {
  if (value === null) return 'null';
  return Array.isArray(value) ? 'array' : typeof value;
}
