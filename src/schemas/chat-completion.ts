import type { ToolCall } from './chat-params.ts';
import { arrayField, responseSchema } from './schema.ts';
import type { Open } from './schema.ts';

/** Why the model stopped. */
export type FinishReason = Open<'stop' | 'length' | 'tool_calls' | 'content_filter'>;

/** An image in an answer, as a URL or a data URL. */
export interface ChatImage {
  type?: 'image_url' | undefined;
  image_url: { url: string };
  index?: number | undefined;
  [field: string]: unknown;
}

/** What the model says. */
export interface ChatCompletionMessage {
  role: 'assistant';
  /** The answer; null when there are only tool calls or a refusal. */
  content: string | null;
  /** Why the model will not answer. */
  refusal?: string | null | undefined;
  /** What the model thought before it answered. */
  reasoning_content?: string | null | undefined;
  /** The same under the name that some models use. */
  reasoning?: string | null | undefined;
  /** Functions that the model wants called. */
  tool_calls?: ToolCall[] | undefined;
  /** Images that the model drew; see `extractImages`. */
  images?: ChatImage[] | undefined;
  /** Fields the service adds are kept. */
  [field: string]: unknown;
}

/** One of the answers. */
export interface ChatCompletionChoice {
  index: number;
  message: ChatCompletionMessage;
  finish_reason: FinishReason | null;
  logprobs?: unknown;
  [field: string]: unknown;
}

/** Tokens used. */
export interface ChatUsage {
  prompt_tokens: number;
  completion_tokens: number;
  total_tokens: number;
  prompt_tokens_details?: { cached_tokens?: number; [field: string]: unknown } | null | undefined;
  completion_tokens_details?:
    | { reasoning_tokens?: number; [field: string]: unknown }
    | null
    | undefined;
  [field: string]: unknown;
}

/** A whole chat answer. Specification: Chat; assumption A8. */
export interface ChatCompletion {
  id: string;
  object: 'chat.completion';
  /** Unix seconds. */
  created: number;
  model: string;
  choices: ChatCompletionChoice[];
  usage?: ChatUsage | null | undefined;
  system_fingerprint?: string | null | undefined;
  /** Fields the service adds are kept. */
  [field: string]: unknown;
}

/** A piece of a tool call. Pieces with the same `index` belong together. */
export interface ToolCallDelta {
  index: number;
  id?: string | undefined;
  type?: 'function' | undefined;
  function?: { name?: string | undefined; arguments?: string | undefined } | undefined;
  [field: string]: unknown;
}

/** What a chunk adds to a message. */
export interface ChatCompletionDelta {
  role?: Open<'assistant'> | undefined;
  content?: string | null | undefined;
  refusal?: string | null | undefined;
  reasoning_content?: string | null | undefined;
  reasoning?: string | null | undefined;
  tool_calls?: ToolCallDelta[] | undefined;
  images?: ChatImage[] | undefined;
  [field: string]: unknown;
}

/** What a chunk adds to one of the answers. */
export interface ChatCompletionChunkChoice {
  index: number;
  delta: ChatCompletionDelta;
  finish_reason: FinishReason | null;
  logprobs?: unknown;
  [field: string]: unknown;
}

/** One piece of a streamed chat answer. Specification: Chat; assumption A8. */
export interface ChatCompletionChunk {
  id: string;
  object: 'chat.completion.chunk';
  /** Unix seconds. */
  created: number;
  model: string;
  /** Empty in a chunk that carries only `usage`. */
  choices: ChatCompletionChunkChoice[];
  usage?: ChatUsage | null | undefined;
  system_fingerprint?: string | null | undefined;
  [field: string]: unknown;
}

/** The client relies on the choices being there; everything else is as the service sends it. */
export const chatCompletionSchema = /* @__PURE__ */ responseSchema<ChatCompletion>({
  choices: arrayField(
    responseSchema<ChatCompletionChoice>({ message: responseSchema<ChatCompletionMessage>({}) }),
  ),
});
