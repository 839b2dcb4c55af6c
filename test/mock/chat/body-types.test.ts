import { expect, test } from 'vitest';

import { createMockGateway } from '../../../src/mock/index.ts';
import { callerOf, chat } from '../caller.ts';

const mock = createMockGateway({ clock: 'virtual' });
const caller = callerOf(mock);
const path = '/v1/chat/completions';
const say = (content: unknown) => ({ messages: [{ role: 'user', content }] });
const messages = (...added: unknown[]) => ({ messages: [...chat.messages, ...added] });
const tool = (fields: object) => ({ tools: [{ type: 'function', function: fields }] });
const format = (json_schema: unknown) => ({
  response_format: { type: 'json_schema', json_schema },
});
const aRole = 'must be "system" or "developer" or "user" or "assistant" or "tool"';
const aPart = 'must be an object whose `type` is "text" or "image_url" or';
const aString = 'must be a string';
const aNumber = 'must be a number';
const anInteger = 'must be an integer';
const aBoolean = 'must be true or false';
const anObject = 'must be an object';
const anArray = 'must be an array';

test.each<[string, string, Record<string, unknown>]>([
  ['messages', 'must not be empty', { messages: [] }],
  ['messages', anArray, { messages: 'Hello' }],
  [
    'messages[0].role',
    'must be "system" or "developer" or "user"',
    { messages: [{ role: 'usr', content: 'x' }] },
  ],
  ['messages[1].role', aRole, messages({ role: 'User', content: 'x' })],
  ['messages[0].content', 'is required', { messages: [{ role: 'user' }] }],
  ['messages[0].content', 'must be a string or an array of parts', say({ type: 'text' })],
  ['messages[0].content[0]', aPart, say(['x'])],
  ['messages[0].content[0]', aPart, say([{ type: 'image', image: 'x' }])],
  ['messages[0].content[0].text', 'is required', say([{ type: 'text' }])],
  [
    'messages[0].content[1].text',
    aString,
    say([
      { type: 'text', text: 'x' },
      { type: 'text', text: 1 },
    ]),
  ],
  [
    'messages[0].content[0].image_url',
    anObject,
    say([{ type: 'image_url', image_url: 'https://x/y' }]),
  ],
  [
    'messages[0].content[0].image_url.url',
    'is required',
    say([{ type: 'image_url', image_url: {} }]),
  ],
  [
    'messages[0].content[0].input_audio.format',
    'is required',
    say([{ type: 'input_audio', input_audio: { data: '' } }]),
  ],
  [
    'messages[0].content[0].video_url.url',
    aString,
    say([{ type: 'video_url', video_url: { url: 1 } }]),
  ],
  ['messages[0].content[0].file', 'is required', say([{ type: 'file' }])],
  ['messages[0].name', aString, { messages: [{ role: 'user', content: 'x', name: 5 }] }],
  ['messages[1].tool_call_id', 'is required', messages({ role: 'tool', content: 'x' })],
  ['messages[1].tool_call_id', aString, messages({ role: 'tool', content: 'x', tool_call_id: 1 })],
  ['messages[1].tool_calls', anArray, messages({ role: 'assistant', tool_calls: {} })],
  [
    'messages[1].tool_calls[0].id',
    'is required',
    messages({ role: 'assistant', tool_calls: [{}] }),
  ],
  [
    'messages[1].tool_calls[0].function.arguments',
    aString,
    messages({
      role: 'assistant',
      tool_calls: [{ id: 'a', type: 'function', function: { name: 'f', arguments: {} } }],
    }),
  ],
  [
    'messages[1].reasoning_content',
    aString,
    messages({ role: 'assistant', content: 'x', reasoning_content: ['x'] }),
  ],
  ['messages[1].reasoning', aString, messages({ role: 'assistant', content: 'x', reasoning: {} })],
  ['messages[1].audio.id', 'is required', messages({ role: 'assistant', audio: {} })],
  [
    'messages[1].images[0].image_url',
    anObject,
    messages({ role: 'assistant', content: 'x', images: [{ image_url: 'https://x/y' }] }),
  ],
  [
    'messages[0].content[0].image_url.detail',
    aString,
    say([{ type: 'image_url', image_url: { url: 'https://x/y', detail: 1 } }]),
  ],
  ['temperature', aNumber, { temperature: 'hot' }],
  ['top_p', aNumber, { top_p: '1' }],
  ['presence_penalty', aNumber, { presence_penalty: true }],
  ['frequency_penalty', aNumber, { frequency_penalty: [] }],
  ['max_tokens', anInteger, { max_tokens: '9' }],
  ['max_completion_tokens', anInteger, { max_completion_tokens: 1.5 }],
  ['n', aNumber, { n: '1' }],
  ['seed', anInteger, { seed: 0.5 }],
  ['top_logprobs', aNumber, { logprobs: true, top_logprobs: 'all' }],
  ['logprobs', aBoolean, { logprobs: 1 }],
  ['logit_bias.50256', aNumber, { logit_bias: { 50256: '-100' } }],
  ['stop', 'must be a string or an array of strings', { stop: [1] }],
  ['stream', aBoolean, { stream: 'true' }],
  ['stream_options', anObject, { stream: true, stream_options: true }],
  ['stream_options.include_usage', aBoolean, { stream_options: { include_usage: 'yes' } }],
  ['tools', anArray, { tools: {} }],
  ['tools[0]', anObject, { tools: ['get_weather'] }],
  [
    'tools[0].type',
    'must be "function"',
    { tools: [{ type: 'functions', function: { name: 'f' } }] },
  ],
  ['tools[0].function.name', 'is required', tool({})],
  ['tools[0].function.description', aString, tool({ name: 'f', description: 1 })],
  ['tools[0].function.parameters', anObject, tool({ name: 'f', parameters: '{}' })],
  ['tools[0].function.strict', aBoolean, tool({ name: 'f', strict: 'yes' })],
  ['tool_choice', 'must be "none", "auto" or "required"', { tool_choice: 'any' }],
  [
    'tool_choice',
    'must be "none", "auto" or "required", or name a function',
    { tool_choice: { type: 'functions', function: { name: 'f' } } },
  ],
  ['parallel_tool_calls', aBoolean, { parallel_tool_calls: 'no' }],
  ['response_format', anObject, { response_format: 'json' }],
  [
    'response_format.type',
    'must be "text" or "json_object" or "json_schema"',
    { response_format: { type: 'json' } },
  ],
  ['response_format.json_schema', 'is required', { response_format: { type: 'json_schema' } }],
  ['response_format.json_schema.name', 'is required', format({ schema: {} })],
  ['response_format.json_schema.schema', anObject, format({ name: 'x', schema: 'object' })],
  ['reasoning_effort', aString, { reasoning_effort: 3 }],
  ['modalities', anArray, { modalities: 'image' }],
  ['modalities[0]', aString, { modalities: [1] }],
  ['audio.format', 'is required', { audio: { voice: 'v' } }],
  ['prediction.type', 'must be "content"', { prediction: { type: 'text', content: '' } }],
  [
    'prediction.content',
    'must be a string or an array',
    { prediction: { type: 'content', content: 5 } },
  ],
  ['prediction.content', 'is required', { prediction: { type: 'content' } }],
  ['web_search_options', anObject, { web_search_options: true }],
  [
    'web_search_options.user_location.approximate.city',
    aString,
    {
      web_search_options: { user_location: { type: 'approximate', approximate: { city: 1 } } },
    },
  ],
  ['metadata.order', aString, { metadata: { order: 17 } }],
  ['service_tier', aString, { service_tier: 1 }],
  ['user', aString, { user: 17 }],
  [
    'extra_body.image_config.aspect_ratio',
    aString,
    { extra_body: { image_config: { aspect_ratio: 1 } } },
  ],
])('rejects a body because `%s` %s', async (field, rule, fields) => {
  const { usd } = mock.wallet;
  const response = await caller.post(path, { ...chat, ...fields });
  expect(response.status).toBe(400);
  const { error } = await response.json();
  expect(error).toMatchObject({ code: 'invalid_request_parameter', type: 'invalid_request_error' });
  expect(error.message).toContain(`\`${field}\` ${rule}`);
  expect(mock.wallet.usd).toBe(usd);
});

test.each<[string, Record<string, unknown>]>([
  ['unknown fields', { top_k: 40, thinking: { type: 'enabled' }, extra_body: { any: [1] } }],
  [
    'null for optional fields',
    { temperature: null, tools: null, response_format: null, stop: null },
  ],
  [
    'values whose range is not documented',
    { temperature: 9, top_p: -1, seed: -5, top_logprobs: 99 },
  ],
  ['unknown names of tiers and efforts', { service_tier: 'night', reasoning_effort: 'ultra' }],
  [
    'messages of every role',
    messages(
      {
        role: 'developer',
        content: [{ type: 'text', text: 'x', cache_control: { type: 'ephemeral' } }],
      },
      {
        role: 'assistant',
        content: null,
        tool_calls: [{ id: 'a', type: 'function', function: { name: 'f', arguments: '' } }],
      },
      { role: 'tool', content: 'x', tool_call_id: 'a' },
    ),
  ],
  [
    'every type of content part',
    say([
      { type: 'text', text: 'x' },
      { type: 'image_url', image_url: { url: 'https://x/y', detail: 'low' } },
      { type: 'input_audio', input_audio: { data: '', format: 'wav' } },
      { type: 'video_url', video_url: { url: 'https://x/y' } },
      { type: 'file', file: { file_id: 'file-1' } },
    ]),
  ],
  [
    'fields that only messages from the model have, in other messages',
    messages({ role: 'user', content: 'x', images: ['x'], reasoning: {}, tool_calls: 1 }),
  ],
  [
    'the message of a completion as it was received',
    messages({
      role: 'assistant',
      content: [{ type: 'text', text: 'x' }],
      refusal: null,
      reasoning: null,
      reasoning_content: 'x',
      reasoning_details: [{}],
      annotations: [],
      function_call: null,
      audio: { id: 'a', data: '', transcript: '' },
      images: [{ type: 'image_url', image_url: { url: 'https://x/y' }, index: 0 }],
      tool_calls: null,
    }),
  ],
  [
    'audio output, a prediction and a web search',
    {
      modalities: ['text', 'audio'],
      audio: { format: 'wav', voice: 'v' },
      prediction: { type: 'content', content: [{ type: 'text', text: 'x' }] },
      web_search_options: {
        search_context_size: 'low',
        user_location: { type: 'approximate', approximate: { city: 'Oslo', country: null } },
      },
    },
  ],
  [
    'every form of `tool_choice` and of tools',
    {
      tools: [{ type: 'function', function: { name: 'f', parameters: null } }],
      tool_choice: { type: 'function', function: { name: 'f' } },
    },
  ],
  ['tools without a type', { tools: [{ function: { name: 'f' } }] }],
  ['a choice without a type', { tool_choice: { function: { name: 'f' } } }],
  ['plain text as its format', { response_format: { type: 'text' } }],
  ['a JSON object as its format', { response_format: { type: 'json_object' } }],
  ['a schema as its format', format({ name: 'x', schema: {}, strict: null, description: null })],
  ['options of a stream', { stream: true, stream_options: { include_usage: true } }],
  ['null options of a stream', { stream: null, stream_options: null, n: null }],
  ['no content with a refusal', messages({ role: 'assistant', refusal: 'x' })],
])('accepts %s', async (_, fields) => {
  expect((await caller.post(path, { ...chat, ...fields })).status).toBe(200);
});
