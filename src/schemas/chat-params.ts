import * as z from 'zod/mini';

import { openString, bodySchema } from './record-schema.ts';
import type { Open } from './schema.ts';

/** Text content part. */
export interface TextPart {
  type: 'text';
  /** Text content. */
  text: string;
}

/** Image content part. */
export interface ImagePart {
  type: 'image_url';
  /** URL or data URL of the image, and the level of detail to process it with. */
  image_url: { url: string; detail?: Open<'auto' | 'low' | 'high'> | undefined };
}

/** Audio content part. */
export interface AudioPart {
  type: 'input_audio';
  /** Base64-encoded audio and its format. */
  input_audio: { data: string; format: Open<'wav' | 'mp3'> };
}

/** File content part. */
export interface FilePart {
  type: 'file';
  /** File content as a data URL, or the id of an uploaded file. */
  file: {
    file_data?: string | undefined;
    file_id?: string | undefined;
    filename?: string | undefined;
  };
}

/** Model-specific content part, sent as is. */
export interface OtherPart {
  type: string & {};
  [field: string]: unknown;
}

/** One part of the content of a message. */
export type ContentPart = TextPart | ImagePart | AudioPart | FilePart | OtherPart;

/** System or developer message: instructions for the model. */
export interface SystemMessage {
  role: 'system' | 'developer';
  content: string | TextPart[];
  name?: string | undefined;
  [field: string]: unknown;
}

/** User message. */
export interface UserMessage {
  role: 'user';
  content: string | ContentPart[];
  name?: string | undefined;
  [field: string]: unknown;
}

/** Earlier message from the model. You can pass `choices[0].message` of a {@link ChatCompletion} as is. */
export interface AssistantMessage {
  role: 'assistant';
  content?: string | ContentPart[] | null | undefined;
  name?: string | undefined;
  refusal?: string | null | undefined;
  tool_calls?: ToolCall[] | undefined;
  [field: string]: unknown;
}

/** Result of a tool call. */
export interface ToolMessage {
  role: 'tool';
  content: string | TextPart[];
  /** Id of the tool call that this message responds to. */
  tool_call_id: string;
  [field: string]: unknown;
}

/** Message with a model-specific role, sent as is. */
export interface OtherMessage {
  role: string & {};
  content?: unknown;
  [field: string]: unknown;
}

/** One message in a conversation. */
export type ChatMessage =
  | SystemMessage
  | UserMessage
  | AssistantMessage
  | ToolMessage
  | OtherMessage;

/** Function call requested by the model. */
export interface ToolCall {
  /** Tool call id. Pass it as `tool_call_id` in the message with the result. */
  id: string;
  type: 'function';
  /** Function name, and its arguments as a JSON string. */
  function: { name: string; arguments: string };
  [field: string]: unknown;
}

/** Function that the model can call. */
export interface ToolDefinition {
  type: 'function';
  function: {
    name: string;
    description?: string | undefined;
    /** JSON schema of the arguments. */
    parameters?: Record<string, unknown> | undefined;
    strict?: boolean | null | undefined;
  };
  [field: string]: unknown;
}

/** Controls which tool the model calls, if any. */
export type ToolChoice =
  | Open<'none' | 'auto' | 'required'>
  | { type: 'function'; function: { name: string } }
  | Record<string, unknown>;

/** Output format of the completion. */
export type ResponseFormat =
  | { type: 'text' }
  | { type: 'json_object' }
  | {
      type: 'json_schema';
      json_schema: {
        name: string;
        description?: string | undefined;
        schema?: Record<string, unknown> | undefined;
        strict?: boolean | null | undefined;
      };
    };

/** Fields common to all chat requests. Specification: Chat; assumption A8. */
export interface ChatFields {
  /** Model id, such as one of `models.list()` with `type: 'chat'`. */
  model: string;
  /** Messages of the conversation so far. */
  messages: ChatMessage[];
  /** Whether to stream the completion as server-sent events. */
  stream?: boolean | null | undefined;
  /** Streaming options. */
  stream_options?:
    | { include_usage?: boolean | undefined; [field: string]: unknown }
    | null
    | undefined;
  /** Pass-through options, sent as a literal `extra_body` field. `image_config` requests image output. */
  extra_body?:
    | {
        image_config?: { aspect_ratio?: string | undefined; [field: string]: unknown } | undefined;
        [field: string]: unknown;
      }
    | undefined;
  /** Maximum number of tokens in the completion, including reasoning tokens. */
  max_completion_tokens?: number | null | undefined;
  /** Maximum number of tokens in the completion. Older name of `max_completion_tokens`. */
  max_tokens?: number | null | undefined;
  /** Sampling temperature, 0 to 2. */
  temperature?: number | null | undefined;
  /** Nucleus sampling probability mass, 0 to 1. */
  top_p?: number | null | undefined;
  /** Number of choices to generate. */
  n?: number | null | undefined;
  /** Sequences at which the model stops generating. */
  stop?: string | string[] | null | undefined;
  /** Seed for sampling that is as deterministic as the model supports. */
  seed?: number | null | undefined;
  /** Penalty for tokens that already appear in the text, -2 to 2. */
  presence_penalty?: number | null | undefined;
  /** Penalty for tokens by how often they already appear in the text, -2 to 2. */
  frequency_penalty?: number | null | undefined;
  /** Bias added to the logits of tokens, keyed by token id. */
  logit_bias?: Record<string, number> | null | undefined;
  /** Whether to return log probabilities of the output tokens. */
  logprobs?: boolean | null | undefined;
  /** Number of most likely tokens to return at each position. Requires `logprobs`. */
  top_logprobs?: number | null | undefined;
  /** Reasoning effort. */
  reasoning_effort?: Open<'none' | 'minimal' | 'low' | 'medium' | 'high'> | null | undefined;
  /** Controls which tool the model calls, if any. */
  tool_choice?: ToolChoice | undefined;
  /** Whether the model can call several tools in one response. */
  parallel_tool_calls?: boolean | undefined;
  /** Output modalities to request, such as `['text', 'image']`. */
  modalities?: Open<'text' | 'image' | 'audio'>[] | null | undefined;
  /** Identifier of your end user. */
  user?: string | undefined;
  /** Additional fields are sent as is. */
  [field: string]: unknown;
}

/**
 * Chat completion parameters. The service documents `model`, `messages`, `stream` and `extra_body`; the other fields
 * are those of OpenAI-compatible APIs. Additional fields are sent as is. Specification: Chat; assumption A8.
 */
export interface ChatParams extends ChatFields {
  /** Output format of the completion. */
  response_format?: ResponseFormat | undefined;
  /** Functions that the model can call. */
  tools?: ToolDefinition[] | undefined;
}

export const chatBody = /* @__PURE__ */ (() =>
  bodySchema<
    Pick<ChatParams, 'model' | 'messages' | 'stream' | 'stream_options' | 'extra_body' | 'n'>
  >({
    model: z.string(),
    messages: z.array(
      z.looseObject({ role: openString<string>(), content: z.optional(z.unknown()) }),
    ),
    stream: z.nullish(z.boolean()),
    stream_options: z.nullish(z.looseObject({ include_usage: z.optional(z.boolean()) })),
    extra_body: z.optional(
      z.looseObject({
        image_config: z.optional(z.looseObject({ aspect_ratio: z.optional(z.string()) })),
      }),
    ),
    n: z.nullish(z.int()),
  }))();
