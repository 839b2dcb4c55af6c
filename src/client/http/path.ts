import { ConfigurationError } from '../../errors/base.ts';
import { isNonEmptyString } from '../../wire/types/type-guards.ts';

/**
 * Fills the `{name}` placeholders of a path template. A slash in a value is encoded. Values that could change the
 * path (empty, dots, backslashes, control characters) are rejected.
 *
 * @throws {@link ConfigurationError} for such a value.
 */
export function fillPath(template: string, values: Readonly<Record<string, unknown>> = {}): string {
  return template.replace(/\{(\w+)\}/g, (_, name: string) => {
    return encodeURIComponent(checkPathValue(name, values[name]));
  });
}

/** @throws {@link ConfigurationError} that names the value, if it cannot be part of a path. */
export function checkPathValue(name: string, value: unknown): string {
  if (isSafePathValue(value)) return value;
  throw new ConfigurationError(`${name}: ${problemOf(value)}`);
}

/** Whether a value can be part of a path. */
export function isSafePathValue(value: unknown): value is string {
  return isNonEmptyString(value) && !isUnsafePath(value);
}

function problemOf(value: unknown): string {
  if (value === undefined || value === null) return 'missing.';
  if (!isNonEmptyString(value)) return 'must be a non-empty string.';
  return 'must not contain backslashes, control characters, or `.` and `..` as a part of a path.';
}

/** Whether a URL parser, in the client or on a server, could resolve this path to another one. */
export function isUnsafePath(path: string): boolean {
  return /\p{Cc}|\p{Cs}|\\|(^|\/|%2f|%5c)(\.|%2e){1,2}(\/|%2f|%5c|$)/iu.test(path);
}

/** A query string with its leading `?`, or an empty string. Omits undefined and null values. */
export function queryString(query: object = {}): string {
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries<string | number | boolean | null | undefined>({
    ...query,
  })) {
    if (value !== undefined && value !== null) search.append(name, String(value));
  }
  return search.size > 0 ? `?${search}` : '';
}
