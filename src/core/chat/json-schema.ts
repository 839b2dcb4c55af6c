import { ConfigurationError } from '../../errors/configuration.ts';
import type { StreamParams } from '../../types/chat/output.ts';
import type { ChatParams, ResponseFormat } from '../../types/chat/params.ts';
import { unchecked } from '../../types/schema.ts';
import { isSchema } from '../../types/standard-schema.ts';
import type { StandardJsonSchema } from '../../types/standard-schema.ts';
import { isRecord, textOf } from '../../types/type-guards.ts';

/** A JSON Schema for a model. */
export interface ModelSchema {
  schema: Record<string, unknown>;
  /** Whether the schema qualifies for strict mode, in which the model's output always matches it. */
  strict: boolean;
}

/** The parts of an object's JSON Schema that strict mode restricts. */
interface ObjectSchema {
  properties?: object;
  required?: unknown[];
  additionalProperties?: unknown;
}

/**
 * Returns the JSON Schema of a Standard Schema's input. An object that does not specify `additionalProperties` gets
 * `false`. Strict mode requires that of every object, and that all of its fields are required.
 */
export function toModelSchema(schema: StandardJsonSchema<unknown>, field: string): ModelSchema {
  let strict = true;
  const closeObject = (_: string, value: unknown) => {
    if (!isRecord(value) || value.type !== 'object') return value;
    const {
      properties = {},
      required = [],
      additionalProperties = false,
    } = unchecked<ObjectSchema>(value);
    strict &&= additionalProperties === false && required.length === Object.keys(properties).length;
    return { ...value, additionalProperties };
  };
  try {
    const converted = schema['~standard'].jsonSchema.input({ target: 'draft-2020-12' });
    // Without `$schema`, because JSON has no undefined fields.
    const json = JSON.stringify({ ...converted, $schema: undefined }, closeObject);
    const copy = unchecked<Record<string, unknown>>(JSON.parse(json));
    return { schema: copy, strict: strict && copy.type === 'object' };
  } catch (error) {
    throw new ConfigurationError(`${field}: has no JSON Schema (${String(error)}).`);
  }
}

/** Replaces a schema in `response_format` with its JSON Schema, named after its title, as the service requires. */
export function toServiceParams(params: StreamParams<unknown>): ChatParams {
  const { response_format: format } = params;
  return isSchema(format)
    ? { ...params, response_format: toResponseFormat(format) }
    : unchecked<ChatParams>(params);
}

function toResponseFormat(format: StandardJsonSchema<unknown>): ResponseFormat {
  const { schema, strict } = toModelSchema(format, 'response_format');
  const name = (textOf(schema.title) ?? 'answer').replaceAll(/[^\w-]+/g, '_').slice(0, 64);
  return { type: 'json_schema', json_schema: { name, schema, strict } };
}
