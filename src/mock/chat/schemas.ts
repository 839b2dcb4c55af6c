import * as z from 'zod/mini';

import * as shapes from '../../wire/generated/index.ts';
import { accepted } from '../../wire/schemas/params.ts';
/** The roles of messages. */
const messageRoles = ['system', 'developer', 'user', 'assistant', 'tool'] as const;

/** The only documented type of a tool. Clients for older APIs omit it. */
const functionType = z.optional(z.literal('function'));

const toolFunction = z.looseObject({
  name: z.string(),
  description: z.nullish(z.string()),
  parameters: z.nullish(z.looseObject({})),
  strict: z.nullish(z.boolean()),
});

const jsonSchema = z.looseObject({
  name: z.string(),
  description: z.nullish(z.string()),
  schema: z.nullish(z.looseObject({})),
  strict: z.nullish(z.boolean()),
});

const toolCall = z.looseObject({
  id: z.string(),
  type: functionType,
  function: z.looseObject({ name: z.string(), arguments: z.string() }),
});

const url = z.looseObject({ url: z.string() });

const message = z.looseObject({
  role: z.enum(messageRoles),
  name: z.nullish(z.string()),
  tool_call_id: z.nullish(z.string()),
});

/** The fields that only messages from the model have. In other messages, they are unknown fields. */
export const assistantFields = z.looseObject({
  refusal: z.nullish(z.string()),
  reasoning: z.nullish(z.string()),
  reasoning_content: z.nullish(z.string()),
  audio: z.nullish(z.looseObject({ id: z.string() })),
  images: z.nullish(z.array(z.looseObject({ image_url: url }))),
  tool_calls: z.nullish(z.array(toolCall)),
});

const textPart = z.looseObject({ text: z.string() });

const placeSchema = z.looseObject({
  city: z.nullish(z.string()),
  country: z.nullish(z.string()),
  region: z.nullish(z.string()),
  timezone: z.nullish(z.string()),
});

/**
 * The types of all documented fields of a chat request, except for those that can have several types. Ranges are not
 * documented. A field can be null, which some clients send instead of omitting it. Specification: Chat; assumption A8.
 */
export const chatFields = z.looseObject({
  messages: z.array(message),
  stream_options: z.nullish(z.looseObject({ include_obfuscation: z.nullish(z.boolean()) })),
  temperature: z.nullish(z.number()),
  top_p: z.nullish(z.number()),
  seed: z.nullish(z.int()),
  presence_penalty: z.nullish(z.number()),
  frequency_penalty: z.nullish(z.number()),
  logit_bias: z.nullish(z.record(z.string(), z.number())),
  logprobs: z.nullish(z.boolean()),
  top_logprobs: z.nullish(z.int()),
  tools: z.nullish(z.array(z.looseObject({ function: toolFunction, type: functionType }))),
  parallel_tool_calls: z.nullish(z.boolean()),
  response_format: z.nullish(
    z.looseObject({
      type: z.enum(['text', 'json_object', 'json_schema']),
      json_schema: z.nullish(jsonSchema),
    }),
  ),
  reasoning_effort: z.nullish(z.string()),
  verbosity: z.nullish(z.string()),
  modalities: z.nullish(z.array(z.string())),
  audio: z.nullish(z.looseObject({ format: z.string(), voice: z.string() })),
  prediction: z.nullish(
    z.looseObject({
      type: z.literal('content'),
      content: z.union([z.string(), z.array(textPart)]),
    }),
  ),
  web_search_options: z.nullish(
    z.looseObject({
      search_context_size: z.nullish(z.string()),
      user_location: z.nullish(
        z.looseObject({ type: z.literal('approximate'), approximate: placeSchema }),
      ),
    }),
  ),
  store: z.nullish(z.boolean()),
  metadata: z.nullish(z.record(z.string(), z.string())),
  service_tier: z.nullish(z.string()),
  prompt_cache_key: z.nullish(z.string()),
  prompt_cache_retention: z.nullish(z.string()),
  safety_identifier: z.nullish(z.string()),
  user: z.nullish(z.string()),
});

/** The content parts of messages, by type. */
export const contentParts = new Map<unknown, z.ZodMiniType>(
  Object.entries({
    text: textPart,
    image_url: z.looseObject({
      image_url: z.looseObject({ url: z.string(), detail: z.nullish(z.string()) }),
    }),
    input_audio: z.looseObject({
      input_audio: z.looseObject({ data: z.string(), format: z.string() }),
    }),
    video_url: z.looseObject({ video_url: url }),
    file: z.looseObject({
      file: z.looseObject({
        file_data: z.nullish(z.string()),
        file_id: z.nullish(z.string()),
        filename: z.nullish(z.string()),
      }),
    }),
    refusal: z.looseObject({ refusal: z.string() }),
  }),
);

/** The fields that this gateway always sends, and one whose type the interface leaves open. */
const changes = {
  system_fingerprint: z.nullable(z.string()),
  logprobs: z.nullish(z.looseObject({})),
};

/** A completion as this gateway sends it: with usage. Assumption A8. */
export const chatCompletionRecord = accepted(shapes.chatCompletion, {
  ...changes,
  usage: shapes.chatUsage,
});

/** One chunk of a streamed completion. Assumption A8. */
export const chatCompletionChunkRecord = accepted(shapes.chatCompletionChunk, changes);
