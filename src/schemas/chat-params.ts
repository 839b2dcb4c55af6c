import * as z from 'zod/mini';

import { openString, bodySchema } from './record-schema.ts';
import type { Open } from './schema.ts';

/** A piece of text in a message. */
export interface TextPart {
  type: 'text';
  /** The text. */
  text: string;
}

/** An image in a message. */
export interface ImagePart {
  type: 'image_url';
  /** Where the image is: a URL or a data URL, and how closely to look at it. */
  image_url: { url: string; detail?: Open<'auto' | 'low' | 'high'> | undefined };
}

/** Sound in a message. */
export interface AudioPart {
  type: 'input_audio';
  /** The sound in base64, and its format. */
  input_audio: { data: string; format: Open<'wav' | 'mp3'> };
}

/** A file in a message. */
export interface FilePart {
  type: 'file';
  /** The file: its content as a data URL, or the id of an earlier upload. */
  file: {
    file_data?: string | undefined;
    file_id?: string | undefined;
    filename?: string | undefined;
  };
}

/** A kind of part that only some models know: passed through. */
export interface OtherPart {
  type: string & {};
  [field: string]: unknown;
}

/** One part of a message's content. */
export type ContentPart = TextPart | ImagePart | AudioPart | FilePart | OtherPart;

/** Instructions that stand above the conversation. */
export interface SystemMessage {
  role: 'system' | 'developer';
  content: string | TextPart[];
  name?: string | undefined;
  [field: string]: unknown;
}

/** What the user says. */
export interface UserMessage {
  role: 'user';
  content: string | ContentPart[];
  name?: string | undefined;
  [field: string]: unknown;
}

/** What the model said before. The message of a {@link ChatCompletion} fits here as it is. */
export interface AssistantMessage {
  role: 'assistant';
  content?: string | ContentPart[] | null | undefined;
  name?: string | undefined;
  refusal?: string | null | undefined;
  tool_calls?: ToolCall[] | undefined;
  [field: string]: unknown;
}

/** What a tool answered. */
export interface ToolMessage {
  role: 'tool';
  content: string | TextPart[];
  /** The id of the tool call that this answers. */
  tool_call_id: string;
  [field: string]: unknown;
}

/** A message of a role that only some models know: passed through. */
export interface OtherMessage {
  role: string & {};
  content?: unknown;
  [field: string]: unknown;
}

/** One message of a conversation. */
export type ChatMessage =
  | SystemMessage
  | UserMessage
  | AssistantMessage
  | ToolMessage
  | OtherMessage;

/** A call of a function that the model asks for. */
export interface ToolCall {
  /** Id to answer with, in a message of role `tool`. */
  id: string;
  type: 'function';
  /** Which function, and its arguments as JSON text. */
  function: { name: string; arguments: string };
  [field: string]: unknown;
}

/** A function that the model may call. */
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

/** Which tool the model must or may use. */
export type ToolChoice =
  | Open<'none' | 'auto' | 'required'>
  | { type: 'function'; function: { name: string } }
  | Record<string, unknown>;

/** The form that the answer must have. */
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

/** The fields of every chat request. Specification: Chat; assumption A8. */
export interface ChatFields {
  /** Model id, such as one of `models.list()` with `type: 'chat'`. */
  model: string;
  /** The conversation so far. */
  messages: ChatMessage[];
  /** Answer piece by piece. */
  stream?: boolean | null | undefined;
  /** Options of the stream. */
  stream_options?:
    | { include_usage?: boolean | undefined; [field: string]: unknown }
    | null
    | undefined;
  /** Pass-through options of the service, sent literally; `image_config` asks for image output. */
  extra_body?:
    | {
        image_config?: { aspect_ratio?: string | undefined; [field: string]: unknown } | undefined;
        [field: string]: unknown;
      }
    | undefined;
  /** Upper limit of the answer, tokens, reasoning included. */
  max_completion_tokens?: number | null | undefined;
  /** Upper limit of the answer, tokens (older name). */
  max_tokens?: number | null | undefined;
  /** Randomness, 0 to 2. */
  temperature?: number | null | undefined;
  /** Nucleus sampling, 0 to 1. */
  top_p?: number | null | undefined;
  /** How many answers to give. */
  n?: number | null | undefined;
  /** Texts at which the answer stops. */
  stop?: string | string[] | null | undefined;
  /** Same seed, same answer, as far as the model can. */
  seed?: number | null | undefined;
  presence_penalty?: number | null | undefined;
  frequency_penalty?: number | null | undefined;
  logit_bias?: Record<string, number> | null | undefined;
  logprobs?: boolean | null | undefined;
  top_logprobs?: number | null | undefined;
  /** How hard to think. */
  reasoning_effort?: Open<'none' | 'minimal' | 'low' | 'medium' | 'high'> | null | undefined;
  tool_choice?: ToolChoice | undefined;
  parallel_tool_calls?: boolean | undefined;
  /** Kinds of output wanted, such as `['text', 'image']`. */
  modalities?: Open<'text' | 'image' | 'audio'>[] | null | undefined;
  /** An id of your end user. */
  user?: string | undefined;
  /** Any other field is passed through to the model. */
  [field: string]: unknown;
}

/**
 * A chat request. The service documents `model`, `messages`, `stream` and `extra_body`; the rest are the fields that
 * OpenAI-compatible models know, and any other field is sent as it is. Specification: Chat; assumption A8.
 */
export interface ChatParams extends ChatFields {
  /** The form that the answer must have. */
  response_format?: ResponseFormat | undefined;
  /** Functions that the model may call. */
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
