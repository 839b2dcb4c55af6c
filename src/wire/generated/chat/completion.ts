// Generated from the interfaces in `src/wire/types` by `npm run schema-docs`.
import * as z from 'zod/mini';

import { openString, recordSchema } from '../../schemas/record-schema.ts';
import type { Schema } from '../../schemas/record-schema.ts';
import type { ChatCompletion, ChatCompletionChoice, ChatCompletionChunk, ChatCompletionChunkChoice, ChatCompletionDelta, ChatCompletionMessage, ChatImage, ChatUsage, ToolCallDelta } from '../../types/chat/completion.ts';
import { toolCall } from '../chat/params.ts';

const chatUsagePromptTokensDetails: Schema<NonNullable<ChatUsage['prompt_tokens_details']>> = recordSchema({
  cached_tokens: ["Input tokens that were read from a cache.", z.optional(z.number())],
});

const chatUsageCompletionTokensDetails: Schema<NonNullable<ChatUsage['completion_tokens_details']>> = recordSchema({
  reasoning_tokens: ["Output tokens that the model spent on reasoning.", z.optional(z.number())],
});

export const chatUsage: Schema<ChatUsage> = recordSchema({
  prompt_tokens: ["Number of input tokens.", z.number()],
  completion_tokens: ["Number of output tokens, including reasoning tokens.", z.number()],
  total_tokens: ["Sum of input and output tokens.", z.number()],
  prompt_tokens_details: ["Breakdown of the input tokens.", z.nullish(chatUsagePromptTokensDetails)],
  completion_tokens_details: ["Breakdown of the output tokens.", z.nullish(chatUsageCompletionTokensDetails)],
});

const chatImageImageUrl: Schema<ChatImage['image_url']> = recordSchema({
  url: ["URL or data URL.", z.string()],
});

const chatImage: Schema<ChatImage> = recordSchema({
  type: ["Type of image reference.", z.optional(z.literal("image_url"))],
  image_url: ["URL or data URL of the image.", chatImageImageUrl],
  index: ["Position among the images of the message.", z.optional(z.number())],
});

const chatCompletionMessage: Schema<ChatCompletionMessage> = recordSchema({
  role: ["Role of the author.", z.literal("assistant")],
  content: ["Text of the message. Null if it contains only tool calls or a refusal. Some models return an array of content parts instead, which is kept as received: check with `Array.isArray`.", z.nullable(z.string())],
  refusal: ["Refusal message, if the model refused the request.", z.nullish(z.string())],
  reasoning_content: ["Reasoning text of the model.", z.nullish(z.string())],
  reasoning: ["Reasoning text, under the name that some models use.", z.nullish(z.string())],
  tool_calls: ["Function calls requested by the model.", z.optional(z.array(toolCall))],
  images: ["Generated images; see `extractImages`.", z.optional(z.array(chatImage))],
});

const chatCompletionChoice: Schema<ChatCompletionChoice> = recordSchema({
  index: ["Position among the choices.", z.number()],
  message: ["The generated message.", chatCompletionMessage],
  finish_reason: ["Reason why the model stopped generating.", z.nullable(openString("stop", "length", "tool_calls", "content_filter"))],
  logprobs: ["Log probabilities of the output tokens, if requested.", z.optional(z.unknown())],
});

export const chatCompletion: Schema<ChatCompletion> = recordSchema({
  id: ["Completion id.", z.string()],
  object: ["Record type.", z.literal("chat.completion")],
  created: ["Creation time in Unix seconds.", z.number()],
  model: ["Model id.", z.string()],
  choices: ["The generated choices, one unless `n` was set.", z.array(chatCompletionChoice)],
  usage: ["Token usage, if the service reports it.", z.nullish(chatUsage)],
  system_fingerprint: ["Identifier of the backend configuration that generated the completion.", z.nullish(z.string())],
});

const toolCallDeltaFunction: Schema<NonNullable<ToolCallDelta['function']>> = recordSchema({
  name: ["Name of the function.", z.optional(z.string())],
  arguments: ["Text to append to the arguments.", z.optional(z.string())],
});

const toolCallDelta: Schema<ToolCallDelta> = recordSchema({
  index: ["Position of the call among the tool calls of the message. Filled in if the service omits it.", z.number()],
  id: ["Tool call id. Usually only in the first fragment.", z.optional(z.string())],
  type: ["Type of tool.", z.optional(z.literal("function"))],
  function: ["Function name, and a fragment of its arguments.", z.optional(toolCallDeltaFunction)],
});

const chatCompletionDelta: Schema<ChatCompletionDelta> = recordSchema({
  role: ["Role of the author. Usually only in the first chunk.", z.optional(openString("assistant"))],
  content: ["Text to append to the content. Some models send an array of content parts instead; `text()` yields their text.", z.nullish(z.string())],
  refusal: ["Text to append to the refusal message.", z.nullish(z.string())],
  reasoning_content: ["Text to append to the reasoning.", z.nullish(z.string())],
  reasoning: ["Text to append to the reasoning, under the name that some models use.", z.nullish(z.string())],
  tool_calls: ["Fragments of tool calls.", z.optional(z.array(toolCallDelta))],
  images: ["Generated images; see `extractImages`.", z.optional(z.array(chatImage))],
});

const chatCompletionChunkChoice: Schema<ChatCompletionChunkChoice> = recordSchema({
  index: ["Position of the extended choice.", z.number()],
  delta: ["The added content.", chatCompletionDelta],
  finish_reason: ["Reason why the model stopped generating; null until then.", z.nullable(openString("stop", "length", "tool_calls", "content_filter"))],
  logprobs: ["Log probabilities of the added tokens, if requested.", z.optional(z.unknown())],
});

export const chatCompletionChunk: Schema<ChatCompletionChunk> = recordSchema({
  id: ["Completion id, the same in all chunks.", z.string()],
  object: ["Record type.", z.literal("chat.completion.chunk")],
  created: ["Creation time in Unix seconds.", z.number()],
  model: ["Model id.", z.string()],
  choices: ["Choices that this chunk extends. Empty in a chunk that carries only `usage`.", z.array(chatCompletionChunkChoice)],
  usage: ["Token usage. Usually only in the last chunk, if at all.", z.nullish(chatUsage)],
  system_fingerprint: ["Identifier of the backend configuration that generated the completion.", z.nullish(z.string())],
});
