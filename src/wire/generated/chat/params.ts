// Generated from the interfaces in `src/wire/types` by `npm run schema-docs`.
import * as z from 'zod/mini';

import { either, limited, listOf, oneOf, openString, paramsSchema, recordSchema } from '../../schemas/record-schema.ts';
import type { Schema } from '../../schemas/record-schema.ts';
import type { ChatAudioParams, ChatParams, JsonObjectFormat, JsonSchemaFormat, NamedToolChoice, TextFormat, ToolCall, ToolDefinition, WebSearchOptions } from '../../types/chat/params.ts';
import { assistantMessage, systemMessage, textPart, toolMessage, userMessage } from '../chat/messages.ts';

export const chatParamsStreamOptions: Schema<NonNullable<ChatParams['stream_options']>> = paramsSchema({
  include_usage: ["Whether to send a last chunk with the token usage.", z.optional(z.boolean())],
  include_obfuscation: ["Whether to pad chunks with random characters, so that their size reveals nothing about their content.", z.optional(z.boolean())],
});

const chatParamsExtraBodyImageConfig: Schema<NonNullable<NonNullable<ChatParams['extra_body']>['image_config']>> = recordSchema({
  aspect_ratio: ["Aspect ratio of the images, such as `16:9`.", z.optional(z.string())],
});

const chatParamsExtraBody: Schema<NonNullable<ChatParams['extra_body']>> = recordSchema({
  image_config: ["Requests image output.", z.optional(chatParamsExtraBodyImageConfig)],
});

const toolDefinitionFunction: Schema<ToolDefinition['function']> = paramsSchema({
  name: ["Name of the function: letters, digits, `_` and `-`.", z.string()],
  description: ["Explains to the model what the function does and when to call it.", z.optional(z.string())],
  parameters: ["JSON schema of the arguments.", z.optional(z.record(z.string(), z.unknown()))],
  strict: ["Whether the model must produce arguments that match the schema.", z.nullish(z.boolean())],
});

const toolDefinition: Schema<ToolDefinition> = paramsSchema({
  type: ["Type of tool.", z.literal("function")],
  function: ["The function.", toolDefinitionFunction],
});

const namedToolChoiceFunction: Schema<NamedToolChoice['function']> = paramsSchema({
  name: ["Name of the function.", z.string()],
});

const namedToolChoice: Schema<NamedToolChoice> = paramsSchema({
  type: ["Type of tool.", z.literal("function")],
  function: ["The function to call.", namedToolChoiceFunction],
});

const jsonSchemaFormatJsonSchema: Schema<JsonSchemaFormat['json_schema']> = paramsSchema({
  name: ["Name of the output format: letters, digits, `_` and `-`.", z.string()],
  description: ["Explains to the model what the output is for.", z.optional(z.string())],
  schema: ["JSON schema of the output.", z.optional(z.record(z.string(), z.unknown()))],
  strict: ["Whether the model must produce output that matches the schema.", z.nullish(z.boolean())],
});

const jsonSchemaFormat: Schema<JsonSchemaFormat> = paramsSchema({
  type: ["Type of output.", z.literal("json_schema")],
  json_schema: ["The schema.", jsonSchemaFormatJsonSchema],
});

const textFormat: Schema<TextFormat> = paramsSchema({
  type: ["Type of output.", z.literal("text")],
});

const jsonObjectFormat: Schema<JsonObjectFormat> = paramsSchema({
  type: ["Type of output.", z.literal("json_object")],
});

const chatAudioParams: Schema<ChatAudioParams> = paramsSchema({
  format: ["Audio format.", openString("wav", "aac", "mp3", "flac", "opus", "pcm16")],
  voice: ["Name of the voice.", z.string()],
});

const chatParamsPrediction: Schema<NonNullable<ChatParams['prediction']>> = paramsSchema({
  type: ["Type of prediction.", z.literal("content")],
  content: ["The expected content, as text or as text parts.", either(z.string(), listOf(textPart))],
});

const webSearchOptionsUserLocationApproximate: Schema<NonNullable<WebSearchOptions['user_location']>['approximate']> = paramsSchema({
  city: ["City.", z.optional(z.string())],
  country: ["Country as an ISO 3166-1 code, such as `DE`.", z.optional(z.string())],
  region: ["Region or state.", z.optional(z.string())],
  timezone: ["Time zone as an IANA name, such as `Europe/Berlin`.", z.optional(z.string())],
});

const webSearchOptionsUserLocation: Schema<NonNullable<WebSearchOptions['user_location']>> = paramsSchema({
  type: ["How exact the location is.", z.literal("approximate")],
  approximate: ["The location.", webSearchOptionsUserLocationApproximate],
});

const webSearchOptions: Schema<WebSearchOptions> = paramsSchema({
  search_context_size: ["How much of the search results the model reads.", z.optional(openString("low", "medium", "high"))],
  user_location: ["Approximate location of your end user.", z.nullish(webSearchOptionsUserLocation)],
});

export const chatParams: Schema<ChatParams> = paramsSchema({
  model: ["Id of a model whose `type` in `models.list()` is `'chat'`.", limited(z.string(), z.minLength(1))],
  messages: ["Messages of the conversation so far.", listOf(oneOf("role", [systemMessage, userMessage, assistantMessage, toolMessage]))],
  stream: ["Whether to stream the completion as server-sent events.", z.nullish(z.boolean())],
  stream_options: ["Options of a streamed completion.", z.nullish(chatParamsStreamOptions)],
  extra_body: ["Additional options, passed through to the model in a field named `extra_body`.", z.optional(chatParamsExtraBody)],
  max_completion_tokens: ["Maximum number of tokens in the completion, including reasoning tokens.", z.nullish(z.int())],
  max_tokens: ["Maximum number of tokens in the completion. Older name of `max_completion_tokens`.", z.nullish(z.int())],
  temperature: ["Sampling temperature, 0 to 2.", z.nullish(z.number())],
  top_p: ["Nucleus sampling probability mass, 0 to 1.", z.nullish(z.number())],
  n: ["Number of choices to generate; the default is 1. The tokens of every choice are charged.", z.nullish(limited(z.int(), z.gte(1)))],
  stop: ["Sequences at which the model stops generating. They are not part of the output.", z.nullish(either(z.string(), listOf(z.string())))],
  seed: ["Seed that makes sampling as deterministic as the model allows.", z.nullish(z.int())],
  presence_penalty: ["Penalty for tokens that already appear in the text, -2 to 2.", z.nullish(z.number())],
  frequency_penalty: ["Penalty for tokens by how often they already appear in the text, -2 to 2.", z.nullish(z.number())],
  logit_bias: ["Bias added to the logits of tokens, -100 to 100, keyed by token id.", z.nullish(z.record(z.string(), z.number()))],
  logprobs: ["Whether to return log probabilities of the output tokens.", z.nullish(z.boolean())],
  top_logprobs: ["Number of most likely tokens to return at each position, 0 to 20. Requires `logprobs`.", z.nullish(z.int())],
  tools: ["Functions that the model can call.", z.optional(listOf(toolDefinition))],
  tool_choice: ["Controls which tool the model calls, if any.", z.optional(either(z.enum(["none","auto","required"]), namedToolChoice))],
  parallel_tool_calls: ["Whether the model can call several tools in one response.", z.optional(z.boolean())],
  response_format: ["Output format of the completion.", z.optional(oneOf("type", [jsonSchemaFormat, textFormat, jsonObjectFormat]))],
  reasoning_effort: ["How many tokens the model spends on reasoning. Each model accepts some of the values.", z.nullish(openString("none", "minimal", "low", "medium", "high", "xhigh", "max"))],
  verbosity: ["How detailed the completion is.", z.nullish(openString("low", "medium", "high"))],
  modalities: ["Output modalities to request, such as `['text', 'image']`.", z.nullish(listOf(openString("text", "image", "audio")))],
  audio: ["Audio output. Requires `modalities` with `'audio'`.", z.nullish(chatAudioParams)],
  prediction: ["Expected content of the completion, such as the file that the model edits. Matching parts are generated faster.", z.nullish(chatParamsPrediction)],
  web_search_options: ["Web search, for models that have it built in.", z.optional(webSearchOptions)],
  store: ["Whether to store the completion for later retrieval.", z.nullish(z.boolean())],
  metadata: ["Custom data to store with the completion: up to 16 pairs of strings.", z.nullish(z.record(z.string(), z.string()))],
  service_tier: ["Processing tier, which determines price and latency.", z.nullish(openString("auto", "default", "flex", "scale", "priority", "fast"))],
  prompt_cache_key: ["Key that routes requests with the same beginning to the same prompt cache.", z.nullish(z.string())],
  prompt_cache_retention: ["How long the prompt stays cached.", z.nullish(openString("in_memory", "24h"))],
  safety_identifier: ["Stable, anonymous identifier of your end user, for abuse detection.", z.nullish(z.string())],
  user: ["Identifier of your end user. Older name of `safety_identifier` and `prompt_cache_key`.", z.optional(z.string())],
});

export const chatParamsKeywords = {
  "model": {
    "minLength": 1
  },
  "extra_body.image_config.aspect_ratio": {
    "example": "16:9"
  },
  "n": {
    "minimum": 1
  }
} as const;

const toolCallFunction: Schema<ToolCall['function']> = recordSchema({
  name: ["Name of the function.", z.string()],
  arguments: ["Arguments as a JSON string. They are generated by the model: validate them.", z.string()],
});

export const toolCall: Schema<ToolCall> = recordSchema({
  id: ["Tool call id. Pass it as `tool_call_id` in the message with the result.", z.string()],
  type: ["Type of tool.", z.literal("function")],
  function: ["Function name, and its arguments as a JSON string.", toolCallFunction],
});
