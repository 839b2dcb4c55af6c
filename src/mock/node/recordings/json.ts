import { isRecord } from '../../../types/type-guards.ts';

/**
 * Returns a copy of a JSON value in which `change` has replaced each string, including names. It receives the string
 * and the closest name.
 */
export function mapStrings(
  value: unknown,
  change: (text: string, field: string) => string,
  field = '',
): unknown {
  if (typeof value === 'string') return change(value, field);
  if (Array.isArray(value)) return value.map((item) => mapStrings(item, change, field));
  if (!isRecord(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, item]) => [change(name, ''), mapStrings(item, change, name)]),
  );
}

/** The same text for equal JSON values, whatever the order of their fields. */
export function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`;
  if (!isRecord(value)) return JSON.stringify(value) ?? 'null';
  const fields = Object.keys(value)
    .toSorted()
    .map((name) => `${JSON.stringify(name)}:${canonical(value[name])}`);
  return `{${fields.join(',')}}`;
}

/** The value of a text; undefined if it is not JSON, or if numbers in it would lose digits. */
export function parseExactJson(text: string): unknown {
  if (/[\s:[,]-?\d{16}/.test(` ${text}`)) return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
