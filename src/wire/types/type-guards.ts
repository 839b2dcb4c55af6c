/** Whether a value is an object and not an array. */
export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Whether a value is a non-empty string. */
export function isNonEmptyString(value: unknown): value is string {
  return typeof value === 'string' && value !== '';
}

/** Returns a non-empty string as is and a number as a string; otherwise undefined. */
export function textOf(value: unknown): string | undefined {
  return typeof value === 'number' || isNonEmptyString(value) ? String(value) : undefined;
}
