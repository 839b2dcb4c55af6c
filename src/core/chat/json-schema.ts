import { ConfigurationError } from '../../errors/configuration.ts';
import type { StreamParams } from '../../schemas/chat-output.ts';
import type { ChatParams } from '../../schemas/chat-params.ts';
import { notAnObjectProblem } from '../../schemas/param-checks.ts';
import type { StandardJsonSchema } from '../../schemas/standard-schema.ts';
import { isRecord, textOf } from '../../schemas/type-guards.ts';
import { checkProblem } from '../call/params.ts';

/** A JSON Schema for a model. */
export interface ModelSchema {
  schema: Record<string, unknown>;
  /** Whether the schema qualifies for strict mode, in which the model's output always matches it. */
  strict: boolean;
}

/**
 * Returns the JSON Schema of a Standard Schema's input. An object that does not specify `additionalProperties` gets
 * `false`. Strict mode requires that of every object, and that all of its fields are required.
 */
export function toModelSchema(schema: StandardJsonSchema<unknown>, field: string): ModelSchema {
  let strict = true;
  const closeObject = (_: string, value: unknown) => {
    if (!isRecord(value) || value.type !== 'object') return value;
    const { properties = {}, required = [], additionalProperties = false } = value;
    const count = isRecord(properties) ? Object.keys(properties).length : 0;
    strict &&=
      additionalProperties === false && Array.isArray(required) && required.length === count;
    return { ...value, additionalProperties };
  };
  try {
    const converted = schema['~standard'].jsonSchema.input({ target: 'draft-2020-12' });
    const copy: unknown = JSON.parse(JSON.stringify(converted, closeObject));
    const { $schema: _, ...rest } = isRecord(copy) ? copy : {};
    return { schema: rest, strict: strict && rest.type === 'object' };
  } catch (error) {
    throw new ConfigurationError(
      `${field}: the schema cannot be converted to JSON Schema (${String(error)}).`,
    );
  }
}

/** Replaces a schema in `response_format` with its JSON Schema, named after its title, as the service requires. */
export function toServiceParams(params: StreamParams<unknown>): ChatParams {
  checkProblem(isRecord(params) ? undefined : notAnObjectProblem);
  const format = params.response_format;
  if (!isSchema(format)) return { ...params, response_format: format };
  const { schema, strict } = toModelSchema(format, 'response_format');
  const name = (textOf(schema.title) ?? 'answer').replaceAll(/[^\w-]+/g, '_').slice(0, 64);
  const response_format = { type: 'json_schema', json_schema: { name, schema, strict } } as const;
  return { ...params, response_format };
}

/** Whether a value is a Standard Schema. It may be an object or a function. */
export function isSchema(format: object | undefined): format is StandardJsonSchema<unknown> {
  return format instanceof Object && '~standard' in format;
}
