import { parseRecord } from './body.ts';
import { ProxyError } from './error-response.ts';
import { fieldsOf } from './json-fields.ts';
import type { Route } from './routes.ts';

/**
 * Rejects a body whose model is missing or not allowed, and a body that services can read in different ways: they might
 * use a model that was not checked. The body itself is forwarded unchanged.
 */
export function checkModel(
  bytes: Uint8Array<ArrayBuffer>,
  models: readonly string[],
  { needsModel }: Route,
): void {
  const text = decode(bytes);
  if (text === undefined || parseRecord(text) === undefined) {
    throw invalidBody('The body must be a JSON object in UTF-8.');
  }
  const fields = fieldsOf(text);
  const values = new Map(fields);
  if (values.size < fields.length) throw invalidBody('The body must not repeat a field.');
  const others = [...values.keys()].filter((name) => name !== 'model' && name !== 'extra_body');
  const nested = fieldsOf(values.get('extra_body') ?? '').map(([name]) => name);
  if ([...others, ...nested].some(canSetModel)) {
    throw invalidBody('The body must not set the model in any other field than `model`.');
  }
  const model = values.get('model');
  if (model === undefined) {
    if (!needsModel) return;
    throw invalidBody('The body must have a `model`: this app allows only some models.');
  }
  const id: unknown = JSON.parse(model);
  if (!models.some((allowed) => allowed === id)) {
    throw new ProxyError(403, 'model_not_allowed', 'This model is not available in this app.');
  }
}

/**
 * Whether a service could read a field as `model` or `extra_body`. Services in Go match names by Unicode case folding,
 * some libraries also ignore underscores and hyphens, and a name ends at a NUL for code written in C.
 */
function canSetModel(name: string): boolean {
  return /^(model|extrabody)(\0|$)/iu.test(name.replace(/[_-]/g, ''));
}

function decode(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

function invalidBody(message: string): ProxyError {
  return new ProxyError(400, 'invalid_request_parameter', message);
}
