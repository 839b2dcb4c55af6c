import type { ChatCompletion } from './chat-completion.ts';
import type { ChatFields, ChatMessage, ResponseFormat, ToolCall } from './chat-params.ts';
import type { ResponseMeta } from './meta.ts';
import type { StandardJsonSchema } from './standard-schema.ts';

/** What a tool is told beside its arguments. */
export interface ToolContext {
  /** Aborts when the run ends before the tool does. */
  signal: AbortSignal;
  /** The call as the model made it, with its id. */
  call: ToolCall;
}

/** A function that the model may call, and that `run()` carries out. */
export interface Tool<Arguments = unknown> {
  /** Letters, digits, `_` and `-`. */
  name: string;
  /** Tells the model what it does and when to call it. */
  description?: string | undefined;
  /** The schema of its arguments, such as one of zod; they are checked before it runs. */
  parameters: StandardJsonSchema<Arguments>;
  /** Does it. A string goes back to the model as it is, anything else as JSON. */
  execute(args: Arguments, context: ToolContext): unknown;
}

/** A chat request of several rounds. */
export interface RunParams<
  Arguments extends readonly unknown[] = readonly unknown[],
> extends ChatFields {
  /** The functions that the model may call. */
  tools: { readonly [Index in keyof Arguments]: Tool<Arguments[Index]> };
  /** The form that the answer must have. */
  response_format?: ResponseFormat | undefined;
}

/** One request of a run. */
export interface ToolRound {
  /** What the model answered. */
  completion: ChatCompletion;
  /** What the headers of the answer tell; `chargeUsd` is what this round cost. */
  meta: ResponseMeta;
}

/** What a run has done so far. */
export interface ToolRunProgress {
  /** The whole conversation: the messages given, the model's, and what the tools answered. */
  messages: ChatMessage[];
  /** Every answered request, in order. */
  rounds: ToolRound[];
  /** What they cost together, USD, as far as the service told. */
  chargeUsd: number;
}

/** A finished run. */
export interface ToolRun extends ToolRunProgress {
  /** The last answer, which calls no tool. */
  completion: ChatCompletion;
}
