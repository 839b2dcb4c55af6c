import type { ResponseMeta } from '../meta.ts';
import type { StandardJsonSchema } from '../standard-schema.ts';
import type { ChatCompletion } from './completion.ts';
import type { ChatMessage } from './messages.ts';
import type { ChatParams, ResponseFormat, ToolCall } from './params.ts';

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

/** Context passed to a tool along with its arguments. */
export interface ToolContext {
  /** Aborts if the run ends before the tool has finished. */
  signal: AbortSignal;
  /** The tool call as sent by the model, including its id. */
  call: ToolCall;
}

/** A function that the model can call and that `run()` executes. */
export interface Tool<Arguments = unknown> {
  /** Name of the tool: letters, digits, `_` and `-`. */
  name: string;
  /** Explains to the model what the tool does and when to call it. */
  description?: string | undefined;
  /** Schema of the arguments, such as a zod schema. Arguments are validated before the tool is executed. */
  parameters: StandardJsonSchema<Arguments>;
  /** Executes the tool. A returned string is sent to the model as is, any other value as JSON. */
  execute(args: Arguments, context: ToolContext): unknown;
}

/**
 * Parameters of `run()`, a chat in which the model can call tools. Fields added to {@link ChatParams} are part of it.
 */
export interface RunParams<Arguments extends readonly unknown[] = readonly unknown[]> extends Omit<
  ChatParams,
  'tools' | 'stream'
> {
  /** Tools that the model can call. */
  tools: { readonly [Index in keyof Arguments]: Tool<Arguments[Index]> };
  /** A run is not streamed. */
  stream?: false | null | undefined;
}

/** One request and response of a run. */
export interface ToolRound {
  /** Completion returned by the model. */
  completion: ChatCompletion;
  /** Metadata parsed from the response headers. `chargeUsd` is what this response reports. */
  meta: ResponseMeta;
}

/** State of a run so far. */
export interface ToolRunProgress {
  /** The full conversation: the given messages, the model's messages and the tool results. */
  messages: ChatMessage[];
  /** Completed rounds, in order. */
  rounds: ToolRound[];
  /** Total charge of all rounds in USD, as reported by the service: of all attempts of their requests. */
  chargeUsd: number;
}

/** Result of a finished run. */
export interface ToolRun extends ToolRunProgress {
  /** The final completion, which contains no tool calls. */
  completion: ChatCompletion;
}
