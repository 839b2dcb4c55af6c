import type { ChatParams } from 'polygate';
import * as z from 'zod/mini';

import type { ChatBody } from '../../types/chat/params.ts';
import * as docs from '../docs/chat.ts';
import { acceptedFields, count, modelId } from '../params.ts';
import { either, listOf, oneOf, openString, paramsSchema, recordSchema } from '../record-schema.ts';
import { message, texts } from './messages.ts';

const text = z.optional(z.string());
const nullableText = z.nullish(z.string());
const flag = z.nullish(z.boolean());
const number = z.nullish(z.number());
const integer = z.nullish(z.int());
const jsonSchema = z.optional(z.record(z.string(), z.unknown()));

const toolDefinition = paramsSchema(docs.toolDefinition, {
  type: z.literal('function'),
  function: paramsSchema(docs.toolDefinitionFunction, {
    name: z.string(),
    description: text,
    parameters: jsonSchema,
    strict: flag,
  }),
});

const toolChoice = either(
  z.enum(['none', 'auto', 'required']),
  paramsSchema(docs.namedToolChoice, {
    type: z.literal('function'),
    function: paramsSchema(docs.namedToolChoiceFunction, { name: z.string() }),
  }),
);

const responseFormat = oneOf('type', [
  paramsSchema(docs.jsonSchemaFormat, {
    type: z.literal('json_schema'),
    json_schema: paramsSchema(docs.jsonSchemaFormatJsonSchema, {
      name: z.string(),
      description: text,
      schema: jsonSchema,
      strict: flag,
    }),
  }),
  paramsSchema(docs.textFormat, { type: z.literal('text') }),
  paramsSchema(docs.jsonObjectFormat, { type: z.literal('json_object') }),
]);

const webSearchOptions = paramsSchema(docs.webSearchOptions, {
  search_context_size: z.optional(openString('low', 'medium', 'high')),
  user_location: z.nullish(
    paramsSchema(docs.webSearchOptionsUserLocation, {
      type: z.literal('approximate'),
      approximate: paramsSchema(docs.webSearchOptionsUserLocationApproximate, {
        city: text,
        country: text,
        region: text,
        timezone: text,
      }),
    }),
  ),
});

const extraBody = z.optional(
  recordSchema(docs.chatParamsExtraBody, {
    image_config: z.optional(
      recordSchema(docs.chatParamsExtraBodyImageConfig, { aspect_ratio: text }),
    ),
  }),
);

/** The body of a chat completion. */
export const chatParams: z.ZodMiniType<ChatParams, ChatParams> = paramsSchema(docs.chatParams, {
  model: modelId,
  messages: listOf(message),
  stream: flag,
  stream_options: z.nullish(
    paramsSchema(docs.chatParamsStreamOptions, {
      include_usage: z.optional(z.boolean()),
      include_obfuscation: z.optional(z.boolean()),
    }),
  ),
  extra_body: extraBody,
  max_completion_tokens: integer,
  max_tokens: integer,
  temperature: number,
  top_p: number,
  n: z.nullish(count),
  stop: z.nullish(either(z.string(), listOf(z.string()))),
  seed: integer,
  presence_penalty: number,
  frequency_penalty: number,
  logit_bias: z.nullish(z.record(z.string(), z.number())),
  logprobs: flag,
  top_logprobs: integer,
  tools: z.optional(listOf(toolDefinition)),
  tool_choice: z.optional(toolChoice),
  parallel_tool_calls: z.optional(z.boolean()),
  response_format: z.optional(responseFormat),
  reasoning_effort: z.nullish(
    openString('none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max'),
  ),
  verbosity: z.nullish(openString('low', 'medium', 'high')),
  modalities: z.nullish(listOf(openString('text', 'image', 'audio'))),
  audio: z.nullish(
    paramsSchema(docs.chatAudioParams, {
      format: openString('wav', 'aac', 'mp3', 'flac', 'opus', 'pcm16'),
      voice: z.string(),
    }),
  ),
  prediction: z.nullish(
    paramsSchema(docs.chatParamsPrediction, {
      type: z.literal('content'),
      content: texts,
    }),
  ),
  web_search_options: z.optional(webSearchOptions),
  store: flag,
  metadata: z.nullish(z.record(z.string(), z.string())),
  service_tier: z.nullish(openString('auto', 'default', 'flex', 'scale', 'priority', 'fast')),
  prompt_cache_key: nullableText,
  prompt_cache_retention: z.nullish(openString('in_memory', '24h')),
  safety_identifier: nullableText,
  user: text,
});

/**
 * The documented fields of a request body, as the service accepts them. The reference gateway checks the other fields
 * later, because many clients send null for those that they do not use.
 */
export const chatBody = /* @__PURE__ */ acceptedFields<ChatBody>(docs.chatParams.fields, {
  model: z.string(),
  messages: z.array(
    acceptedFields(docs.userMessage.fields, {
      role: z.string(),
      content: z.optional(z.unknown()),
    }),
  ),
  stream: flag,
  stream_options: z.nullish(
    acceptedFields(docs.chatParamsStreamOptions.fields, {
      include_usage: z.optional(z.boolean()),
    }),
  ),
  extra_body: extraBody,
  n: integer,
});
