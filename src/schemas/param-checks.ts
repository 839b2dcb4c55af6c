import { isRecord, isNonEmptyString } from './record.ts';

/** What a rule answers to an input that has no fields at all. */
export const notAnObjectProblem = 'params: must be an object';

/** What is wrong with the model of a request. Specification: every generation and chat body requires it. */
export function modelProblem({ model }: Record<string, unknown>): string | undefined {
  return isNonEmptyString(model) && model.trim() !== ''
    ? undefined
    : 'model: must be a non-empty string';
}

/** Names a field that must be a text and is none. */
export function requiredTextProblem(params: unknown, field: string): string | undefined {
  if (!isRecord(params)) return notAnObjectProblem;
  return isNonEmptyString(params[field]) ? undefined : `${field}: is required`;
}
