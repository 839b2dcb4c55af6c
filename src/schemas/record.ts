/** Whether a value is a JSON object. */
export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Whether a value is a string with something in it. */
export function isNonEmptyString(value: unknown): value is string {
  return typeof value === 'string' && value !== '';
}

/** A text, or a number as text; undefined for anything else and for nothing. */
export function textOf(value: unknown): string | undefined {
  return typeof value === 'number' || isNonEmptyString(value) ? String(value) : undefined;
}
