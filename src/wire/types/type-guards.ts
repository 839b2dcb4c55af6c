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

/** The problem reported for params that are not an object. */
export const notAnObjectProblem = 'params: must be an object';

/** Checks `model`, which the specification requires in every chat and generation body. */
export function modelProblem({ model }: Record<string, unknown>): string | undefined {
  return typeof model === 'string' && /\S/.test(model)
    ? undefined
    : 'model: must be a non-empty string';
}

/** Checks a required string field and returns the problem, or undefined. */
export function requiredTextProblem(
  params: Record<string, unknown>,
  field: string,
): string | undefined {
  return isNonEmptyString(params[field]) ? undefined : `${field}: is required`;
}

/** Parses a URL; undefined if it is none. Not all mobile apps and browsers have `URL.parse` and `URL.canParse`. */
export function parseURL(text: string, base?: string): URL | undefined {
  try {
    return new URL(text, base);
  } catch {
    return undefined;
  }
}
