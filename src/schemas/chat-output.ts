import type { ChatCompletion } from './chat-completion.ts';
import type { ChatFields, ToolDefinition } from './chat-params.ts';
import type { StandardJsonSchema } from './standard-schema.ts';

/** A chat request whose answer must fit a schema. */
export interface ParseParams<Output, Input = unknown> extends ChatFields {
  /** The schema, such as one of zod, with which the answer is asked for and checked. */
  response_format: StandardJsonSchema<Output, Input>;
  /** Functions that the model may call. */
  tools?: ToolDefinition[] | undefined;
}

/** A chat answer whose content was JSON that fits the schema of the call. */
export type ParsedCompletion<Output> = ChatCompletion & {
  /** The content of the first choice, as the schema gives it out. */
  parsed: Output;
};

/** A value of which some has not come yet: fields may be missing at every depth, texts and lists may be cut. */
export type PartialDeep<Value> = Value extends string
  ? string
  : Value extends readonly (infer Item)[]
    ? PartialDeep<Item>[]
    : Value extends object
      ? { [Key in keyof Value]?: PartialDeep<Value[Key]> }
      : Value;
