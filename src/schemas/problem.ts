/** Whether a value is a string with something in it. */
export function isText(value: unknown): value is string {
  return typeof value === 'string' && value !== '';
}

/** What a rule answers to an input that has no fields at all. */
export const notAnObject = 'params: must be an object';

/** What is wrong with the model of a request. Specification: every generation and chat body requires it. */
export function modelProblem({ model }: Record<string, unknown>): string | undefined {
  return isText(model) && model.trim() !== '' ? undefined : 'model: must be a non-empty string';
}
