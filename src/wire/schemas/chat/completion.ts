import type { ChatCompletion, ChatCompletionChunk } from 'polygate';
import * as z from 'zod/mini';

import * as docs from '../docs/chat.ts';
import { openString, recordSchema } from '../record-schema.ts';

const optionalText = z.nullish(z.string());
const finishReason = z.nullable(openString('stop', 'length', 'tool_calls', 'content_filter'));

const image = recordSchema(docs.chatImage, {
  type: z.optional(z.literal('image_url')),
  image_url: recordSchema(docs.chatImageImageUrl, { url: z.string() }),
  index: z.optional(z.number()),
});

const toolCall = recordSchema(docs.toolCall, {
  id: z.string(),
  type: z.literal('function'),
  function: recordSchema(docs.toolCallFunction, { name: z.string(), arguments: z.string() }),
});

const toolCallDelta = recordSchema(docs.toolCallDelta, {
  index: z.number(),
  id: z.optional(z.string()),
  type: z.optional(z.literal('function')),
  function: z.optional(
    recordSchema(docs.toolCallDeltaFunction, {
      name: z.optional(z.string()),
      arguments: z.optional(z.string()),
    }),
  ),
});

export const usage = recordSchema(docs.chatUsage, {
  prompt_tokens: z.number(),
  completion_tokens: z.number(),
  total_tokens: z.number(),
  prompt_tokens_details: z.nullish(
    recordSchema(docs.chatUsagePromptTokensDetails, { cached_tokens: z.optional(z.number()) }),
  ),
  completion_tokens_details: z.nullish(
    recordSchema(docs.chatUsageCompletionTokensDetails, {
      reasoning_tokens: z.optional(z.number()),
    }),
  ),
});

const messageFields = {
  refusal: optionalText,
  reasoning_content: optionalText,
  reasoning: optionalText,
  images: z.optional(z.array(image)),
};

const completionFields = {
  id: z.string(),
  created: z.number(),
  model: z.string(),
  usage: z.nullish(usage),
  system_fingerprint: optionalText,
};

/** A chat completion. */
export const chatCompletion: z.ZodMiniType<ChatCompletion, ChatCompletion> = recordSchema(
  docs.chatCompletion,
  {
    ...completionFields,
    object: z.literal('chat.completion'),
    choices: z.array(
      recordSchema(docs.chatCompletionChoice, {
        index: z.number(),
        finish_reason: finishReason,
        logprobs: z.optional(z.unknown()),
        message: recordSchema(docs.chatCompletionMessage, {
          ...messageFields,
          role: z.literal('assistant'),
          content: z.nullable(z.string()),
          tool_calls: z.optional(z.array(toolCall)),
        }),
      }),
    ),
  },
);

/** One chunk of a streamed chat completion. */
export const chatCompletionChunk: z.ZodMiniType<ChatCompletionChunk, ChatCompletionChunk> =
  recordSchema(docs.chatCompletionChunk, {
    ...completionFields,
    object: z.literal('chat.completion.chunk'),
    choices: z.array(
      recordSchema(docs.chatCompletionChunkChoice, {
        index: z.number(),
        finish_reason: finishReason,
        logprobs: z.optional(z.unknown()),
        delta: recordSchema(docs.chatCompletionDelta, {
          ...messageFields,
          role: z.optional(openString('assistant')),
          content: optionalText,
          tool_calls: z.optional(z.array(toolCallDelta)),
        }),
      }),
    ),
  });
