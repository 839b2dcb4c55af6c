import type { Field } from '../coverage/specification.ts';

/** What the client read, and what was sent to it; or what it sent, and what it was given. */
export interface Passage {
  read: unknown;
  sent: unknown;
}

/**
 * Every value that a documented name such as `checks[].id` stands for; those that are not there are left out.
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
 * What keeps a field from having passed as it was sent and with each of its documented types; undefined when nothing
 * does. Where a field may be null, it must have been seen both null and with a value.
 */
export function difference(
  { name, type }: Field,
  passages: readonly Passage[],
): string | undefined {
  const read = passages.flatMap((passage) => valuesAt(passage.read, name));
  const sent = passages.flatMap((passage) => valuesAt(passage.sent, name));
  if (JSON.stringify(read) !== JSON.stringify(sent)) {
    return `${name} was ${JSON.stringify(sent)} and became ${JSON.stringify(read)}`;
  }
  const types = [...new Set(read.map(typeOf))].toSorted().join('|');
  const wanted = type.split('|').toSorted().join('|');
  return types === wanted ? undefined : `${name} must be of type ${wanted} and is ${types}`;
}

/** The fields as a table of tests. */
export function rows(fields: readonly Field[]): [string, Field][] {
  return fields.map((field) => [field.name, field]);
}

function typeOf(value: unknown): string {
  if (value === null) return 'null';
  return Array.isArray(value) ? 'array' : typeof value;
}
