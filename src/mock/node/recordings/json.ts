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

/** A string in JSON, with the colon after it if it is a name. The last one may be cut off. */
const literal = /"(?:[^"\\]|\\[^])*(?:(")(\s*:)?|\\?$)/g;

/**
 * Like {@link mapStrings}, for a text with JSON that cannot be parsed: one that is cut off, several values, or numbers
 * that would lose digits. Everything outside of strings remains as it is.
 */
export function mapLiterals(text: string, change: (text: string, field: string) => string): string {
  let field = '';
  return text.replace(literal, (whole, quote: string = '', colon: string = '') => {
    const source = whole.slice(0, whole.length - colon.length);
    const isComplete = quote !== '';
    const value = parse(isComplete ? source : `${source.replace(/\\(u[^]{0,3})?$/, '')}"`);
    if (typeof value !== 'string') return whole;
    const changed = change(value, colon === '' ? field : '');
    if (colon !== '') field = value;
    if (changed === value) return whole;
    return JSON.stringify(changed).slice(0, isComplete ? undefined : -1) + colon;
  });
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
  return /[\s:[,]-?\d{16}/.test(` ${text}`) ? undefined : parse(text);
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
