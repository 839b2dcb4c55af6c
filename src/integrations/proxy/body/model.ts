import { ProxyError } from '../error-response.ts';
import type { Route } from '../routes.ts';
import { folded, invalidBody } from './fields.ts';
import type { JsonBody } from './fields.ts';
import { fieldsOf } from './json-fields.ts';

/**
 * Rejects a body whose model is missing or not allowed, and a body that services can read in different ways: they might
 * use a model that was not checked. The body itself is forwarded unchanged.
 */
export function checkModel(
  { names, extraNames, text }: JsonBody,
  models: readonly string[],
  { needsModel }: Route,
): void {
  const others = names.filter((name) => name !== 'model' && name !== 'extra_body');
  if ([...others, ...extraNames].some(canSetModel)) {
    throw invalidBody('The body must not set the model in any other field than `model`.');
  }
  const model = fieldsOf(text).find(([name]) => name === 'model')?.[1];
  if (model === undefined) {
    if (!needsModel) return;
    throw invalidBody('The body must have a `model`: this app allows only some models.');
  }
  const id: unknown = JSON.parse(model);
  if (!models.some((allowed) => allowed === id)) {
    throw new ProxyError(403, 'model_not_allowed', 'This model is not available in this app.');
  }
}

/** Whether a service could read a field as `model` or `extra_body`. */
const canSetModel = (name: string): boolean => /^(model|extrabody)$/.test(folded(name));
