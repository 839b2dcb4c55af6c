import { ConfigurationError } from '../../errors/configuration.ts';
import type { ParseParams } from '../../schemas/chat-output.ts';
import type { ChatParams } from '../../schemas/chat-params.ts';
import { isRecord, textOf } from '../../schemas/record.ts';
import type { StandardJsonSchema } from '../../schemas/standard-schema.ts';

/** A JSON schema, and whether the model can be held to it to the letter. */
export interface ModelSchema {
  schema: Record<string, unknown>;
  strict: boolean;
}

/**
 * The JSON schema of what a Standard Schema takes. Objects allow no other fields unless they say so. Models keep to a
 * schema strictly only when every object lists all of its fields as required.
 */
export function toModelSchema(schema: StandardJsonSchema<unknown>, field: string): ModelSchema {
  let strict = true;
  const closed = (_: string, value: unknown) => {
    if (!isRecord(value) || value.type !== 'object') return value;
    const { properties = {}, required = [], additionalProperties = false } = value;
    const count = isRecord(properties) ? Object.keys(properties).length : 0;
    strict &&=
      additionalProperties === false && Array.isArray(required) && required.length === count;
    return { ...value, additionalProperties };
  };
  try {
    const given = schema['~standard'].jsonSchema.input({ target: 'draft-2020-12' });
    const copy: unknown = JSON.parse(JSON.stringify(given, closed));
    const { $schema: _, ...rest } = isRecord(copy) ? copy : {};
    return { schema: rest, strict: strict && rest.type === 'object' };
  } catch (error) {
    throw new ConfigurationError(`${field}: no JSON schema (${String(error)}).`);
  }
}

/** A request as the service takes it: a schema becomes the JSON schema that it tells, named by its title. */
export function toServiceParams(params: ChatParams | ParseParams<unknown>): ChatParams {
  const format = params?.response_format;
  if (!isSchema(format)) return { ...params, response_format: format };
  const { schema, strict } = toModelSchema(format, 'response_format');
  const name = (textOf(schema.title) ?? 'answer').replaceAll(/[^\w-]+/g, '_').slice(0, 64);
  const response_format = { type: 'json_schema', json_schema: { name, schema, strict } } as const;
  return { ...params, response_format };
}

/** Whether a value is a schema, which may be a function. */
export function isSchema(format: object | undefined): format is StandardJsonSchema<unknown> {
  return format !== undefined && '~standard' in format;
}
