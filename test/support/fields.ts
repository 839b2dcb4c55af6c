import { expect } from 'vitest';

import type { Field } from '../coverage/specification.ts';

/** Every value that a documented name such as `checks[].id` stands for; those that are not there are left out. */
export function valuesAt(record: unknown, name: string): unknown[] {
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
 * A field arrives, with its documented type and as it was sent. Where it may be null, the records must show it both
 * null and with a value.
 */
export function expectField(
  { name, type }: Field,
  records: readonly { read: unknown; sent: unknown }[],
): void {
  const read = records.flatMap((record) => valuesAt(record.read, name));
  expect(read).toEqual(records.flatMap((record) => valuesAt(record.sent, name)));
  expect(new Set(read.map(typeOf))).toEqual(new Set(type.split('|')));
}

/** The fields as a table of tests. */
export function rows(fields: readonly Field[]): [string, Field][] {
  return fields.map((field) => [field.name, field]);
}

function typeOf(value: unknown): string {
  if (value === null) return 'null';
  return Array.isArray(value) ? 'array' : typeof value;
}
