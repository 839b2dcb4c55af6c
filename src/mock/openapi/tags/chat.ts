import { chatParamsSchema } from '../../../schemas/chat-params.ts';
import { chatCompletionChunkRecord, chatCompletionRecord } from '../../chat/record-schemas.ts';
import type { FieldDocs, TagDocs } from '../docs.ts';

/** What a completion and each of its events have in common. */
const head: Record<string, FieldDocs> = {
  id: 'Id of the completion.',
  object: 'Kind of record.',
  created: 'Unix seconds.',
  model: 'The model that answered.',
  system_fingerprint: 'The configuration that answered.',
  choices: 'The answers, one for each that was asked for.',
  'choices[].index': 'Which of the answers.',
  'choices[].finish_reason':
    'Why the model stopped: `stop`, `length`, `tool_calls`; null while it goes on.',
  'choices[].logprobs': 'How likely the tokens were, from models that tell.',
  usage: 'Tokens used.',
  'usage.prompt_tokens': 'Tokens of the conversation.',
  'usage.completion_tokens': 'Tokens of the answers, reasoning included.',
  'usage.total_tokens': 'Both together.',
  'usage.prompt_tokens_details': 'More about the conversation.',
  'usage.prompt_tokens_details.cached_tokens': 'Tokens that were read before.',
  'usage.completion_tokens_details': 'More about the answers.',
  'usage.completion_tokens_details.reasoning_tokens': 'Tokens of the reasoning.',
};

/** What a message, or the part of it that an event adds, may hold. */
function said(at: string): Record<string, FieldDocs> {
  const notes: Record<string, FieldDocs> = {
    role: 'Who speaks.',
    content: 'The words; null when there are none.',
    refusal: 'Why the model will not answer.',
    reasoning_content: 'What the model thought before it answered.',
    tool_calls: 'Functions that the model wants called.',
    'tool_calls[].id': 'Id to answer with, in a message of role `tool`.',
    'tool_calls[].type': 'Kind of tool.',
    'tool_calls[].function': 'Which function.',
    'tool_calls[].function.name': 'Name of the function.',
    'tool_calls[].function.arguments': 'Its arguments as JSON text; in a stream, a piece of it.',
    images: 'Pictures that the model drew.',
    'images[].type': 'Kind of picture.',
    'images[].image_url': 'The picture.',
    'images[].image_url.url': 'A URL or a data URL.',
    'images[].index': 'Which of the pictures.',
  };
  return Object.fromEntries(Object.entries(notes).map(([name, note]) => [`${at}.${name}`, note]));
}

const hello = [{ role: 'user', content: 'Hello' }];

/** Specification: Chat; assumption A8. */
export const chatDocs: TagDocs = {
  tag: { name: 'Chat', description: 'Conversations, answered at once or as a stream.' },
  operations: {
    'POST /v1/chat/completions': {
      id: 'createChatCompletion',
      description:
        'With `stream: true` the answer is `text/event-stream`: the `data` of each event is a `ChatCompletionChunk`, lines that begin with a colon keep the connection alive, and `data: [DONE]` is the end. An event may also hold an `Error` object; the stream then ends early. `x-idempotency-key` does not protect a chat from a second charge. The charge header comes before the output.',
      examples: {
        'A question': { model: 'aurora-chat', messages: hello },
        'A stream': {
          model: 'aurora-chat',
          messages: hello,
          stream: true,
          stream_options: { include_usage: true },
        },
        'A picture': {
          model: 'prism-image',
          messages: [{ role: 'user', content: 'A fox in the snow' }],
          extra_body: { image_config: { aspect_ratio: '16:9' } },
        },
      },
      responses: { 200: ['The completion, or the events of its stream.'] },
      eventSchemas: ['ChatCompletionChunk', 'Error'],
      errorCodes: {
        400: ['invalid_request_parameter', 'model_not_found', 'invalid_idempotency_key'],
      },
    },
  },
  schemas: {
    ChatCompletionRequest: {
      schema: chatParamsSchema,
      description:
        'A conversation to go on with. Fields that are not listed, such as `tools`, `response_format`, `temperature` and `max_completion_tokens`, are passed through to the model in the form that OpenAI-compatible services know.',
      fields: {
        model: { description: 'Id of a chat model.', example: 'aurora-chat' },
        messages: { description: 'The conversation so far.', minItems: 1 },
        'messages[].role': 'Who speaks: `system`, `user`, `assistant` or `tool`.',
        'messages[].content': 'A text, or a list of parts such as texts and pictures.',
        stream: { description: 'Answer piece by piece.', default: false },
        stream_options: 'Options of the stream.',
        'stream_options.include_usage': 'One more event before the end, with the tokens used.',
        extra_body: 'Options that are passed through to the model.',
        'extra_body.image_config': 'Asks for pictures in the answer.',
        'extra_body.image_config.aspect_ratio': {
          description: 'Their aspect ratio.',
          example: '16:9',
        },
        n: { description: 'How many answers to give.', minimum: 1, maximum: 128, default: 1 },
      },
    },
    ChatCompletion: {
      schema: chatCompletionRecord,
      description: 'A whole answer.',
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
      fields: { ...head, 'choices[].message': 'The answer.', ...said('choices[].message') },
    },
    ChatCompletionChunk: {
      schema: chatCompletionChunkRecord,
      description: 'One event of a stream. `choices` is empty in the one that carries `usage`.',
      example: {
        id: 'chatcmpl-1',
        object: 'chat.completion.chunk',
        created: 1767225600,
        model: 'aurora-chat',
        system_fingerprint: null,
        choices: [{ index: 0, delta: { content: 'Hello' }, finish_reason: null }],
      },
      fields: {
        ...head,
        'choices[].delta': 'What the event adds to the message.',
        ...said('choices[].delta'),
        'choices[].delta.tool_calls[].index': 'Which tool call the piece belongs to.',
      },
    },
  },
};
