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

/** A field, such as `content[0].text`, and the rule that it breaks. */
export type FieldProblem = readonly [field: string, rule: string];

/** The problem reported for params that are not an object. */
export const notAnObjectProblem: FieldProblem = ['params', 'must be an object'];

/** Checks `model`, which the specification requires in every chat and generation body. */
export function modelProblem({ model }: Record<string, unknown>): FieldProblem | undefined {
  return typeof model === 'string' && /\S/.test(model)
    ? undefined
    : ['model', 'must be a non-empty string'];
}

/** Checks a required string field and returns the problem, or undefined. */
export function requiredTextProblem(
  params: Record<string, unknown>,
  field: string,
): FieldProblem | undefined {
  return isNonEmptyString(params[field]) ? undefined : [field, 'is required'];
}

/** Parses a URL; undefined if it is none. Not all mobile apps and browsers have `URL.parse` and `URL.canParse`. */
export function parseURL(text: string, base?: string): URL | undefined {
  try {
    return new URL(text, base);
  } catch {
    return undefined;
  }
}

const loopback = /^((.+\.)?localhost|127(\.\d{1,3}){3}|0\.0\.0\.0|\[::1?\])$/;

/** Whether a host name of a URL refers to this machine. */
export const isLoopbackHost = (hostname: string): boolean => loopback.test(hostname);
