import { chatBody } from '../../../schemas/chat/params.ts';
import { chatCompletionChunkRecord, chatCompletionRecord } from '../../chat/record-schemas.ts';
import type { FieldDocs, TagDocs } from '../docs.ts';

/** The fields that a completion shares with each of its chunks. */
const baseFields: Record<string, FieldDocs> = {
  id: 'Completion id.',
  object: 'Object type.',
  created: 'Creation time in Unix seconds.',
  model: 'Id of the model that generated the completion.',
  system_fingerprint: 'Backend configuration that generated the completion.',
  choices: 'Completion choices; `n` sets their number.',
  'choices[].index': 'Index of the choice.',
  'choices[].finish_reason':
    'Why the model stopped: `stop`, `length` or `tool_calls`; null until the choice is complete.',
  'choices[].logprobs': 'Log probabilities of the tokens, if the model reports them.',
  usage: 'Token usage.',
  'usage.prompt_tokens': 'Tokens in the prompt.',
  'usage.completion_tokens': 'Tokens in the completion, including reasoning.',
  'usage.total_tokens': 'Total number of tokens.',
  'usage.prompt_tokens_details': 'Breakdown of the prompt tokens.',
  'usage.prompt_tokens_details.cached_tokens': 'Cached prompt tokens.',
  'usage.completion_tokens_details': 'Breakdown of the completion tokens.',
  'usage.completion_tokens_details.reasoning_tokens': 'Reasoning tokens.',
};

/** Documents the fields of a message, or of the delta in a chunk. */
function messageFields(path: string): Record<string, FieldDocs> {
  const fields: Record<string, FieldDocs> = {
    role: 'Role of the author.',
    content: 'Text; null if there is none.',
    refusal: 'Refusal message, if the model declined the request.',
    reasoning_content: 'Reasoning of the model before its response.',
    tool_calls: 'Function calls that the model requests.',
    'tool_calls[].id': 'Tool call id. Return it as `tool_call_id` in the message with role `tool`.',
    'tool_calls[].type': 'Tool type.',
    'tool_calls[].function': 'Function to call.',
    'tool_calls[].function.name': 'Function name.',
    'tool_calls[].function.arguments': 'Arguments as JSON text; in a stream, part of that text.',
    images: 'Generated images.',
    'images[].type': 'Content type, `image_url`.',
    'images[].image_url': 'Image.',
    'images[].image_url.url': 'Image URL or data URL.',
    'images[].index': 'Index of the image.',
  };
  return Object.fromEntries(
    Object.entries(fields).map(([name, docs]) => [`${path}.${name}`, docs]),
  );
}

const hello = [{ role: 'user', content: 'Hello' }];

/** Specification: Chat; assumption A8. */
export const chatDocs: TagDocs = {
  tag: {
    name: 'Chat',
    description: 'Chat completions, optionally streamed as server-sent events.',
  },
  operations: {
    'POST /v1/chat/completions': {
      id: 'createChatCompletion',
      description:
        'Generates a completion for a conversation. With `stream: true`, the response is `text/event-stream`: the `data` of each event is a `ChatCompletionChunk`, lines that start with a colon are keep-alive comments, and `data: [DONE]` ends the stream. An event can also contain an `Error` object, after which the stream ends early. `x-idempotency-key` does not prevent a second charge for chat. In a stream, the charge header is sent before the output.',
      examples: {
        'Simple message': { model: 'aurora-chat', messages: hello },
        Streaming: {
          model: 'aurora-chat',
          messages: hello,
          stream: true,
          stream_options: { include_usage: true },
        },
        'Image output': {
          model: 'prism-image',
          messages: [{ role: 'user', content: 'A fox in the snow' }],
          extra_body: { image_config: { aspect_ratio: '16:9' } },
        },
      },
      responses: { 200: ['The completion, or a stream of its chunks.'] },
      eventSchemas: ['ChatCompletionChunk', 'Error'],
      errorCodes: {
        400: ['invalid_request_parameter', 'model_not_found', 'invalid_idempotency_key'],
      },
    },
  },
  schemas: {
    ChatCompletionRequest: {
      schema: chatBody,
      description:
        'Chat completion parameters. Other OpenAI-compatible fields, such as `tools`, `response_format`, `temperature` and `max_completion_tokens`, are passed through to the model. A value of the wrong type is rejected with `invalid_request_parameter`; unknown fields are accepted.',
      fields: {
        model: { description: 'Chat model id.', example: 'aurora-chat' },
        messages: { description: 'Messages of the conversation so far.', minItems: 1 },
        'messages[].role':
          'Role of the author: `system`, `developer`, `user`, `assistant` or `tool`.',
        'messages[].content':
          'Text, or a list of parts of the type `text`, `image_url`, `input_audio`, `video_url`, `file` or `refusal`.',
        stream: 'Whether to stream the completion as server-sent events. The default is false.',
        stream_options: 'Stream options.',
        'stream_options.include_usage': 'Whether the last chunk reports the token usage.',
        extra_body: 'Additional options, passed through to the model.',
        'extra_body.image_config': 'Requests image output.',
        'extra_body.image_config.aspect_ratio': {
          description: 'Aspect ratio of the images.',
          example: '16:9',
        },
        n: {
          description: 'Number of choices to generate. The default is 1.',
          minimum: 1,
          maximum: 128,
        },
      },
    },
    ChatCompletion: {
      schema: chatCompletionRecord,
      description: 'A chat completion.',
      example: {
        id: 'chatcmpl-1',
        object: 'chat.completion',
        created: 1767225600,
        model: 'aurora-chat',
        system_fingerprint: null,
        choices: [
          { index: 0, message: { role: 'assistant', content: 'Hello!' }, finish_reason: 'stop' },
        ],
        usage: { prompt_tokens: 1, completion_tokens: 2, total_tokens: 3 },
      },
      fields: {
        ...baseFields,
        'choices[].message': 'Generated message.',
        ...messageFields('choices[].message'),
      },
    },
    ChatCompletionChunk: {
      schema: chatCompletionChunkRecord,
      description:
        'One chunk of a streamed completion. `choices` is empty in the chunk that reports `usage`.',
      example: {
        id: 'chatcmpl-1',
        object: 'chat.completion.chunk',
        created: 1767225600,
        model: 'aurora-chat',
        system_fingerprint: null,
        choices: [{ index: 0, delta: { content: 'Hello' }, finish_reason: null }],
      },
      fields: {
        ...baseFields,
        'choices[].delta': 'Addition to the message.',
        ...messageFields('choices[].delta'),
        'choices[].delta.tool_calls[].index': 'Index of the tool call to which this part belongs.',
      },
    },
  },
};
