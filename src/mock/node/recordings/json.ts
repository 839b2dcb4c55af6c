import { isRecord } from '../../../wire/types/type-guards.ts';

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

/**
 * Like {@link mapStrings}, for a text with JSON that cannot be parsed: one that is cut off, several values, or numbers
 * that would lose digits. Everything outside of strings remains as it is.
 */
export function mapLiterals(text: string, change: (text: string, field: string) => string): string {
  const printed = /\S/g;
  let field = '';
  let result = '';
  let rest = 0;
  // A regular expression for a whole string overflows the stack if the string is long.
  for (let start = text.indexOf('"'); start >= 0; start = text.indexOf('"', rest)) {
    let end = start + 1;
    while (end < text.length && text[end] !== '"') end += text[end] === '\\' ? 2 : 1;
    const isComplete = end < text.length;
    const source = text.slice(start, end + 1);
    printed.lastIndex = end + 1;
    const isName = isComplete && printed.exec(text)?.[0] === ':';
    // The last one may be cut off.
    const value = parse(isComplete ? source : `${source.replace(/\\(u[^]{0,3})?$/, '')}"`);
    const changed = typeof value === 'string' ? change(value, isName ? '' : field) : value;
    if (isName && typeof value === 'string') field = value;
    result += text.slice(rest, start);
    result +=
      changed === value ? source : JSON.stringify(changed).slice(0, isComplete ? undefined : -1);
    rest = end + 1;
  }
  return result + text.slice(rest);
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

/** What is nested deeper overflows the stack of the functions that copy or write it. */
const maxLevels = 500;

/** The value of a text; undefined if it is not JSON, if numbers in it would lose digits, or if it is nested deeply. */
export function parseExactJson(text: string): unknown {
  if (/[\s:[,]-?\d{16}/.test(` ${text}`)) return undefined;
  const value = parse(text);
  return isDeeper(value, maxLevels) ? undefined : value;
}

function isDeeper(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return levels === 0 || Object.values(value).some((item) => isDeeper(item, levels - 1));
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
