// Generated from the doc comments of the interfaces by `npm run schema-docs`.
import type {
  ChatCompletion,
  ChatCompletionChoice,
  ChatCompletionChunk,
  ChatCompletionChunkChoice,
  ChatCompletionDelta,
  ChatCompletionMessage,
  ChatImage,
  ChatUsage,
  ToolCallDelta,
} from '../../../types/chat/completion.ts';
import type { Docs } from '../../record-schema.ts';

export const chatImageImageUrl: Docs<NonNullable<ChatImage['image_url']>> = {
  fields: {
    url: 'URL or data URL.',
  },
};

export const chatImage: Docs<ChatImage> = {
  fields: {
    type: 'Type of image reference.',
    image_url: 'URL or data URL of the image.',
    index: 'Position among the images of the message.',
  },
};

export const chatCompletionMessage: Docs<ChatCompletionMessage> = {
  fields: {
    role: 'Role of the author.',
    content:
      'Text of the message. Null if it contains only tool calls or a refusal. Some models return an array of content parts instead, which is kept as received: check with `Array.isArray`.',
    refusal: 'Refusal message, if the model refused the request.',
    reasoning_content: 'Reasoning text of the model.',
    reasoning: 'Reasoning text, under the name that some models use.',
    tool_calls: 'Function calls requested by the model.',
    images: 'Generated images; see `extractImages`.',
  },
};

export const chatCompletionChoice: Docs<ChatCompletionChoice> = {
  fields: {
    index: 'Position among the choices.',
    message: 'The generated message.',
    finish_reason: 'Reason why the model stopped generating.',
    logprobs: 'Log probabilities of the output tokens, if requested.',
  },
};

export const chatUsagePromptTokensDetails: Docs<NonNullable<ChatUsage['prompt_tokens_details']>> = {
  fields: {
    cached_tokens: 'Input tokens that were read from a cache.',
  },
};

export const chatUsageCompletionTokensDetails: Docs<
  NonNullable<ChatUsage['completion_tokens_details']>
> = {
  fields: {
    reasoning_tokens: 'Output tokens that the model spent on reasoning.',
  },
};

export const chatUsage: Docs<ChatUsage> = {
  fields: {
    prompt_tokens: 'Number of input tokens.',
    completion_tokens: 'Number of output tokens, including reasoning tokens.',
    total_tokens: 'Sum of input and output tokens.',
    prompt_tokens_details: 'Breakdown of the input tokens.',
    completion_tokens_details: 'Breakdown of the output tokens.',
  },
};

export const chatCompletion: Docs<ChatCompletion> = {
  fields: {
    id: 'Completion id.',
    object: 'Record type.',
    created: 'Creation time in Unix seconds.',
    model: 'Model id.',
    choices: 'The generated choices, one unless `n` was set.',
    usage: 'Token usage, if the service reports it.',
    system_fingerprint: 'Identifier of the backend configuration that generated the completion.',
  },
};

export const toolCallDeltaFunction: Docs<NonNullable<ToolCallDelta['function']>> = {
  fields: {
    name: 'Name of the function.',
    arguments: 'Text to append to the arguments.',
  },
};

export const toolCallDelta: Docs<ToolCallDelta> = {
  fields: {
    index:
      'Position of the call among the tool calls of the message. Filled in if the service omits it.',
    id: 'Tool call id. Usually only in the first fragment.',
    type: 'Type of tool.',
    function: 'Function name, and a fragment of its arguments.',
  },
};

export const chatCompletionDelta: Docs<ChatCompletionDelta> = {
  fields: {
    role: 'Role of the author. Usually only in the first chunk.',
    content:
      'Text to append to the content. Some models send an array of content parts instead; `text()` yields their text.',
    refusal: 'Text to append to the refusal message.',
    reasoning_content: 'Text to append to the reasoning.',
    reasoning: 'Text to append to the reasoning, under the name that some models use.',
    tool_calls: 'Fragments of tool calls.',
    images: 'Generated images; see `extractImages`.',
  },
};

export const chatCompletionChunkChoice: Docs<ChatCompletionChunkChoice> = {
  fields: {
    index: 'Position of the extended choice.',
    delta: 'The added content.',
    finish_reason: 'Reason why the model stopped generating; null until then.',
    logprobs: 'Log probabilities of the added tokens, if requested.',
  },
};

export const chatCompletionChunk: Docs<ChatCompletionChunk> = {
  fields: {
    id: 'Completion id, the same in all chunks.',
    object: 'Record type.',
    created: 'Creation time in Unix seconds.',
    model: 'Model id.',
    choices: 'Choices that this chunk extends. Empty in a chunk that carries only `usage`.',
    usage: 'Token usage. Usually only in the last chunk, if at all.',
    system_fingerprint: 'Identifier of the backend configuration that generated the completion.',
  },
};
