import type { ChatCompletion } from './chat-completion.ts';
import type { ChatFields, ToolDefinition } from './chat-params.ts';
import type { StandardJsonSchema } from './standard-schema.ts';

/** Chat completion parameters with a schema for the output. */
export interface ParseParams<Output, Input = unknown> extends ChatFields {
  /** Schema of the output, such as a zod schema. It is sent as a JSON schema and validates the completion. */
  response_format: StandardJsonSchema<Output, Input>;
  /** Functions that the model can call. */
  tools?: ToolDefinition[] | undefined;
}

/** Chat completion whose content was parsed and validated with the schema of the call. */
export type ParsedCompletion<Output> = ChatCompletion & {
  /** Validated content of the first choice: the output of the schema. */
  parsed: Output;
};

/** A partially received value: fields can be missing at any depth, and strings and arrays can be incomplete. */
export type PartialDeep<Value> = Value extends string
  ? string
  : Value extends readonly (infer Item)[]
    ? PartialDeep<Item>[]
    : Value extends object
      ? { [Key in keyof Value]?: PartialDeep<Value[Key]> }
      : Value;
