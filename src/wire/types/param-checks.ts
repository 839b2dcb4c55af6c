import { isNonEmptyString } from './type-guards.ts';

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
