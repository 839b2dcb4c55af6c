import * as shapes from '../../../wire/generated/index.ts';
import { chatBody } from '../../../wire/schemas/bodies.ts';
import { chatCompletionChunkRecord, chatCompletionRecord } from '../../chat/schemas.ts';
import type { TagDocs } from '../docs.ts';

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
      keywords: shapes.chatParamsKeywords,
      fields: {
        model: { example: 'aurora-chat' },
        messages: { minItems: 1 },
        n: { maximum: 128 },
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
    },
  },
};
