import type { OpenString } from '../schema.ts';
import type { ChatMessage, TextPart } from './messages.ts';

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
}

/** Controls which tool the model calls: none, any number, at least one, or a specific one. */
export type ToolChoice =
  | 'none'
  | 'auto'
  | 'required'
  | { type: 'function'; function: { name: string } };

// Compilers quote the last member if the type of `type` is `string`. It has no other field that could be missing.
/** Output format of the completion. */
export type ResponseFormat =
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
    }
  | { type: 'text' }
  | { type: 'json_object' };

/** Audio output of the model. */
export interface ChatAudioParams {
  /** Audio format. */
  format: OpenString<'wav' | 'aac' | 'mp3' | 'flac' | 'opus' | 'pcm16'>;
  /** Name of the voice. */
  voice: string;
}

/** Options of the web search of models that have one built in. */
export interface WebSearchOptions {
  /** How much of the search results the model reads. */
  search_context_size?: OpenString<'low' | 'medium' | 'high'> | undefined;
  /** Approximate location of your end user. `country` is an ISO 3166-1 code, `timezone` an IANA name. */
  user_location?:
    | {
        type: 'approximate';
        approximate: {
          city?: string | undefined;
          country?: string | undefined;
          region?: string | undefined;
          timezone?: string | undefined;
        };
      }
    | null
    | undefined;
}

/**
 * Parameters of a chat completion, sent unchanged. The service documents `model`, `messages`, `stream` and
 * `extra_body`; the other fields are those of OpenAI-compatible APIs, and each model accepts some of them.
 *
 * A field that is not listed here does not compile. Pass it in the `extraBody` option, or declare it once for your
 * project by augmenting this interface. The message and part types, such as {@link TextPart}, can be augmented too.
 *
 * Specification: Chat; assumption A8.
 *
 * @example
 * ```ts
 * await gateway.chat.completions.create(params, { extraBody: { top_k: 40 } });
 * ```
 *
 * @example
 * ```ts
 * declare module 'polygate' {
 *   interface ChatParams {
 *     top_k?: number;
 *   }
 * }
 * ```
 */
export interface ChatParams {
  /** Id of a model whose `type` in `models.list()` is `'chat'`. */
  model: string;
  /** Messages of the conversation so far. */
  messages: readonly ChatMessage[];
  /** Whether to stream the completion as server-sent events. */
  stream?: boolean | null | undefined;
  /** Options of a streamed completion. */
  stream_options?:
    | {
        /** Whether to send a last chunk with the token usage. */
        include_usage?: boolean | undefined;
        /** Whether to pad chunks with random characters, so that their size reveals nothing about their content. */
        include_obfuscation?: boolean | undefined;
      }
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
  /** Number of choices to generate. The tokens of every choice are charged. */
  n?: number | null | undefined;
  /** Sequences at which the model stops generating. They are not part of the output. */
  stop?: string | readonly string[] | null | undefined;
  /** Seed that makes sampling as deterministic as the model allows. */
  seed?: number | null | undefined;
  /** Penalty for tokens that already appear in the text, -2 to 2. */
  presence_penalty?: number | null | undefined;
  /** Penalty for tokens by how often they already appear in the text, -2 to 2. */
  frequency_penalty?: number | null | undefined;
  /** Bias added to the logits of tokens, -100 to 100, keyed by token id. */
  logit_bias?: Record<string, number> | null | undefined;
  /** Whether to return log probabilities of the output tokens. */
  logprobs?: boolean | null | undefined;
  /** Number of most likely tokens to return at each position, 0 to 20. Requires `logprobs`. */
  top_logprobs?: number | null | undefined;
  /** Functions that the model can call. */
  tools?: readonly ToolDefinition[] | undefined;
  /** Controls which tool the model calls, if any. */
  tool_choice?: ToolChoice | undefined;
  /** Whether the model can call several tools in one response. */
  parallel_tool_calls?: boolean | undefined;
  /** Output format of the completion. */
  response_format?: ResponseFormat | undefined;
  /** How many tokens the model spends on reasoning. Each model accepts some of the values. */
  reasoning_effort?:
    | OpenString<'none' | 'minimal' | 'low' | 'medium' | 'high' | 'xhigh' | 'max'>
    | null
    | undefined;
  /** How detailed the completion is. */
  verbosity?: OpenString<'low' | 'medium' | 'high'> | null | undefined;
  /** Output modalities to request, such as `['text', 'image']`. */
  modalities?: readonly OpenString<'text' | 'image' | 'audio'>[] | null | undefined;
  /** Audio output. Requires `modalities` with `'audio'`. */
  audio?: ChatAudioParams | null | undefined;
  /** Expected content of the completion, such as the file that the model edits. Matching parts are generated faster. */
  prediction?: { type: 'content'; content: string | readonly TextPart[] } | null | undefined;
  /** Web search, for models that have it built in. */
  web_search_options?: WebSearchOptions | undefined;
  /** Whether to store the completion for later retrieval. */
  store?: boolean | null | undefined;
  /** Custom data to store with the completion: up to 16 pairs of strings. */
  metadata?: Record<string, string> | null | undefined;
  /** Processing tier, which determines price and latency. */
  service_tier?:
    | OpenString<'auto' | 'default' | 'flex' | 'scale' | 'priority' | 'fast'>
    | null
    | undefined;
  /** Key that routes requests with the same beginning to the same prompt cache. */
  prompt_cache_key?: string | null | undefined;
  /** How long the prompt stays cached. */
  prompt_cache_retention?: OpenString<'in_memory' | '24h'> | null | undefined;
  /** Stable, anonymous identifier of your end user, for abuse detection. */
  safety_identifier?: string | null | undefined;
  /** Identifier of your end user. Older name of `safety_identifier` and `prompt_cache_key`. */
  user?: string | undefined;
}

/** The fields of a request body that the service documents, as it accepts them. */
export type ChatBody = Pick<ChatParams, 'model' | 'stream' | 'extra_body' | 'n'> & {
  messages: { role: string; content?: unknown }[];
  stream_options?: { include_usage?: boolean | undefined } | null | undefined;
};
