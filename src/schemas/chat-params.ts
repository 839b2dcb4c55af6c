import * as z from 'zod/mini';

import { openString, bodySchema } from './record-schema.ts';
import type { Open } from './schema.ts';

/** Text content part. */
export interface TextPart {
  /** Part type. */
  type: 'text';
  /** Text content. */
  text: string;
}

/** Image content part. */
export interface ImagePart {
  /** Part type. */
  type: 'image_url';
  /** URL or data URL of the image, and the level of detail to process it with. */
  image_url: { url: string; detail?: Open<'auto' | 'low' | 'high'> | undefined };
}

/** Audio content part. */
export interface AudioPart {
  /** Part type. */
  type: 'input_audio';
  /** Base64-encoded audio and its format. */
  input_audio: { data: string; format: Open<'wav' | 'mp3'> };
}

/** File content part. */
export interface FilePart {
  /** Part type. */
  type: 'file';
  /** File content as a data URL, or the id of an uploaded file. */
  file: {
    /** File content as a data URL. */
    file_data?: string | undefined;
    /** Id of an uploaded file. */
    file_id?: string | undefined;
    /** File name. */
    filename?: string | undefined;
  };
}

/** Model-specific content part, sent as is. */
export interface OtherPart {
  /** Part type. */
  type: string & {};
  /** Model-specific fields. */
  [field: string]: unknown;
}

/** One part of the content of a message. */
export type ContentPart = TextPart | ImagePart | AudioPart | FilePart | OtherPart;

/** System or developer message: instructions for the model. */
export interface SystemMessage {
  /** Role of the author. */
  role: 'system' | 'developer';
  /** The instructions, as text or as text parts. */
  content: string | TextPart[];
  /** Name of the author. */
  name?: string | undefined;
  /** Additional fields are sent as is. */
  [field: string]: unknown;
}

/** User message. */
export interface UserMessage {
  /** Role of the author. */
  role: 'user';
  /** The message, as text or as content parts. */
  content: string | ContentPart[];
  /** Name of the author. */
  name?: string | undefined;
  /** Additional fields are sent as is. */
  [field: string]: unknown;
}

/** Earlier message from the model. You can pass `choices[0].message` of a {@link ChatCompletion} as is. */
export interface AssistantMessage {
  /** Role of the author. */
  role: 'assistant';
  /** The message, as text or as content parts. Null or absent if it contains only tool calls or a refusal. */
  content?: string | ContentPart[] | null | undefined;
  /** Name of the author. */
  name?: string | undefined;
  /** Refusal message, if the model refused the request. */
  refusal?: string | null | undefined;
  /** Function calls requested by the model. */
  tool_calls?: ToolCall[] | undefined;
  /** Additional fields are sent as is. */
  [field: string]: unknown;
}

/** Result of a tool call. */
export interface ToolMessage {
  /** Role of the author. */
  role: 'tool';
  /** Result of the call, as text or as text parts. */
  content: string | TextPart[];
  /** Id of the tool call that this message responds to. */
  tool_call_id: string;
  /** Additional fields are sent as is. */
  [field: string]: unknown;
}

/** Message with a model-specific role, sent as is. */
export interface OtherMessage {
  /** Role of the author. */
  role: string & {};
  /** Content of the message. */
  content?: unknown;
  /** Model-specific fields. */
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
  /** Type of tool. */
  type: 'function';
  /** Function name, and its arguments as a JSON string. */
  function: { name: string; arguments: string };
  /** Additional fields are kept. */
  [field: string]: unknown;
}

/** Function that the model can call. */
export interface ToolDefinition {
  /** Type of tool. */
  type: 'function';
  /** The function. */
  function: {
    /** Name of the function: letters, digits, `_` and `-`. */
    name: string;
    /** Explains to the model what the function does and when to call it. */
    description?: string | undefined;
    /** JSON schema of the arguments. */
    parameters?: Record<string, unknown> | undefined;
    /** Whether the model must produce arguments that match the schema. */
    strict?: boolean | null | undefined;
  };
  /** Additional fields are sent as is. */
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
        /** Name of the output format: letters, digits, `_` and `-`. */
        name: string;
        /** Explains to the model what the output is for. */
        description?: string | undefined;
        /** JSON schema of the output. */
        schema?: Record<string, unknown> | undefined;
        /** Whether the model must produce output that matches the schema. */
        strict?: boolean | null | undefined;
      };
    };

/** Fields common to all chat requests. Specification: Chat; assumption A8. */
export interface ChatFields {
  /** Id of a model whose `type` in `models.list()` is `'chat'`. */
  model: string;
  /** Messages of the conversation so far. */
  messages: ChatMessage[];
  /** Whether to stream the completion as server-sent events. */
  stream?: boolean | null | undefined;
  /** Streaming options. `include_usage` requests a last chunk with the token usage. */
  stream_options?:
    | { include_usage?: boolean | undefined; [field: string]: unknown }
    | null
    | undefined;
  /** Pass-through options, sent in a field named `extra_body`. `image_config` requests image output. */
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
  /** Seed that makes sampling as deterministic as the model allows. */
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
