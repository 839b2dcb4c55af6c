import type { StandardJsonSchema } from '../standard-schema.ts';
import type { ChatCompletion } from './completion.ts';
import type { ChatParams, ResponseFormat } from './params.ts';

/** Chat completion parameters with a schema for the output. Fields added to {@link ChatParams} are part of it. */
export interface ParseParams<Output, Input = unknown> extends Omit<
  ChatParams,
  'response_format' | 'stream'
> {
  /** Schema of the output, such as a zod schema. It is sent as a JSON schema and validates the completion. */
  response_format: StandardJsonSchema<Output, Input>;
  /** A parsed completion is not streamed; for that, call `stream()`. */
  stream?: false | null | undefined;
}

/** Parameters of a streamed chat completion. Fields added to {@link ChatParams} are part of it. */
export interface StreamParams<Output, Input = unknown> extends Omit<ChatParams, 'response_format'> {
  /** Output format of the completion, or a schema of the output, such as a zod schema. */
  response_format?: ResponseFormat | StandardJsonSchema<Output, Input> | undefined;
}

/** Parameters of a chat that a batch sends, with an optional schema of the output, such as a zod schema. */
export interface ChatSubmissionParams<Output, Input = unknown> extends Omit<
  StreamParams<Output, Input>,
  'stream'
> {
  /** A row of a batch is not streamed. */
  stream?: false | null | undefined;
}

/** Chat completion whose content was parsed and validated with the schema of the call. */
export type ParsedCompletion<Output> = ChatCompletion & {
  /** Validated content of the first choice: the output of the schema. */
  parsed: Output;
};

/**
 * The completion of a call with an optional schema.
 *
 * - With a schema, `Output` is the output of the schema: {@link ParsedCompletion} of `Output`.
 * - Without one, `Output` is `never`: {@link ChatCompletion}.
 */
export type CompletionOf<Output> = [Output] extends [never]
  ? ChatCompletion
  : ParsedCompletion<Output>;

/**
 * A partially received value.
 *
 * - A string can be incomplete, so that a union of literals becomes `string`.
 * - An array can be incomplete, and so can its items.
 * - An object can lack any field, at any depth.
 * - Numbers and booleans are complete.
 */
export type PartialDeep<Value> = Value extends string
  ? string
  : Value extends readonly (infer Item)[]
    ? PartialDeep<Item>[]
    : Value extends object
      ? { [Key in keyof Value]?: PartialDeep<Value[Key]> }
      : Value;
