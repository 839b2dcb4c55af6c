import { describe, expectTypeOf, test } from 'vitest';

import type {
  ChatCompletion,
  ChatCompletionChunk,
  ChatCompletionMessage,
  ChatMessage,
  ChatCompletionParams,
  ChatParams,
  ChatStreamParams,
  ChatStream,
  ContentPart,
  FinishReason,
  Polygate,
  RequestPromise,
  ResponseMeta,
  Stream,
} from '../../src/index.ts';

declare const gateway: Polygate;
declare const params: ChatParams;
declare const completion: ChatCompletion;
declare const chunk: ChatCompletionChunk;
const { completions } = gateway.chat;
const request = { model: 'm', messages: [{ role: 'user' as const, content: 'Hi' }] };

describe('create()', () => {
  test('resolves to a completion, unless stream is literally true', () => {
    expectTypeOf(completions.create(request)).toEqualTypeOf<RequestPromise<ChatCompletion>>();
    for (const promise of [
      completions.create({ ...request, stream: false }),
      completions.create({ ...request, stream: null }),
      completions.create({ ...request, stream: undefined }),
      completions.create({ model: 'm', messages: [{ role: 'user', content: 'Hi' }] }),
    ]) {
      expectTypeOf(promise).resolves.toEqualTypeOf<ChatCompletion>();
    }
  });

  test('resolves to a stream of chunks with stream: true', () => {
    const streamed = completions.create({ ...request, stream: true });
    expectTypeOf(streamed).toEqualTypeOf<RequestPromise<Stream<ChatCompletionChunk>>>();
  });

  test('resolves to either if stream is known only at run time', () => {
    expectTypeOf(completions.create(params)).resolves.toEqualTypeOf<
      ChatCompletion | Stream<ChatCompletionChunk>
    >();
    const stream = Boolean(request.model);
    expectTypeOf(completions.create({ ...request, stream })).resolves.toEqualTypeOf<
      ChatCompletion | Stream<ChatCompletionChunk>
    >();
  });

  test('resolves to one of the two for params in a variable that says which', () => {
    const whole: ChatCompletionParams = request;
    const streamed: ChatStreamParams = { ...request, stream: true };
    expectTypeOf(completions.create(whole)).toEqualTypeOf<RequestPromise<ChatCompletion>>();
    expectTypeOf(completions.create({ ...whole, temperature: 0 })).toEqualTypeOf<
      RequestPromise<ChatCompletion>
    >();
    expectTypeOf(completions.create(streamed)).toEqualTypeOf<
      RequestPromise<Stream<ChatCompletionChunk>>
    >();
    expectTypeOf(completions.stream(streamed)).toEqualTypeOf<ChatStream>();
    expectTypeOf(completions.stream(whole)).toEqualTypeOf<ChatStream>();
    expectTypeOf(whole).toExtend<ChatParams>();
    expectTypeOf(streamed).toExtend<ChatParams>();
    expectTypeOf(params).not.toExtend<ChatCompletionParams>();
    expectTypeOf(params).not.toExtend<ChatStreamParams>();
    // @ts-expect-error stream is missing
    expectTypeOf(request).toExtend<ChatStreamParams>();
    // @ts-expect-error the field is named temperature
    const misspelled: ChatCompletionParams = { ...request, temprature: 1 };
    void misspelled;
  });

  test('provides the response and its metadata on request', () => {
    const promise = completions.create(request);
    expectTypeOf(promise.withResponse()).resolves.toEqualTypeOf<{
      data: ChatCompletion;
      response: Response;
      meta: ResponseMeta;
    }>();
    expectTypeOf(promise.asResponse()).resolves.toEqualTypeOf<Response>();
  });

  test('takes options as the last argument', () => {
    expectTypeOf({
      signal: AbortSignal.timeout(1),
      timeout: 1,
      maxRetries: 0,
      headers: { a: 'b', c: null },
      requestId: 'r',
      idempotencyKey: 'k',
    }).toExtend<NonNullable<Parameters<typeof completions.create>[1]>>();
    // @ts-expect-error there is no such option
    void completions.create(request, { retries: 3 });
  });
});

describe('stream()', () => {
  test('returns a stream, not a promise', () => {
    const stream = completions.stream(request);
    expectTypeOf(stream).toEqualTypeOf<ChatStream>();
    expectTypeOf(stream).toExtend<AsyncIterable<ChatCompletionChunk>>();
    expectTypeOf(stream).not.toHaveProperty('then');
    expectTypeOf(stream.text()).toExtend<AsyncIterable<string>>();
    expectTypeOf(stream.final()).resolves.toEqualTypeOf<ChatCompletion>();
    expectTypeOf(stream.meta).toEqualTypeOf<ResponseMeta | undefined>();
  });
});

describe('params', () => {
  test('require a model and messages', () => {
    expectTypeOf<{ model: string }>().not.toExtend<ChatParams>();
    // @ts-expect-error the model is missing
    void completions.create({ messages: [] });
    // @ts-expect-error the messages are missing
    void completions.create({ model: 'm' });
    // @ts-expect-error the messages are missing
    completions.stream({ model: 'm' });
    // @ts-expect-error messages is an array
    void completions.create({ model: 'm', messages: 'Hi' });
    // @ts-expect-error a message has a role
    void completions.create({ model: 'm', messages: [{ content: 'Hi' }] });
    // @ts-expect-error a temperature is a number
    void completions.create({ ...request, temperature: 'warm' });
  });

  test('reject a misspelled field, at every level', () => {
    expectTypeOf<ChatParams>().not.toHaveProperty('temprature');
    // @ts-expect-error the field is named temperature
    void completions.create({ ...request, temprature: 1 });
    // @ts-expect-error the field is named max_tokens
    completions.stream({ ...request, max_token: 5 });
    // @ts-expect-error the field is named name
    const message: ChatMessage = { role: 'user', content: 'Hi', nam: 'Ada' };
    void message;
    // @ts-expect-error the option is named include_usage
    completions.stream({ ...request, stream_options: { include_usages: true } });
    void completions.create({
      ...request,
      // @ts-expect-error the field is named description
      tools: [{ type: 'function', function: { name: 'find', descripton: 'Finds' } }],
    });
  });

  test('accept arrays that are `as const` or readonly', () => {
    const messages = [
      { role: 'system', content: [{ type: 'text', text: 'Be brief.' }] },
      { role: 'user', content: 'Hi' },
      {
        role: 'assistant',
        content: [{ type: 'refusal', refusal: 'No.' }],
        tool_calls: [{ id: '1', type: 'function', function: { name: 'f', arguments: '{}' } }],
        images: [{ image_url: { url: 'https://a.example' } }],
      },
      { role: 'tool', content: [{ type: 'text', text: '3' }], tool_call_id: '1' },
    ] as const;
    const all = {
      model: 'm',
      messages,
      stop: ['a'],
      modalities: ['text'],
      prediction: { type: 'content', content: [{ type: 'text', text: 'x' }] },
    } as const;
    const tools = [{ type: 'function', function: { name: 'f', parameters: {} } }] as const;
    expectTypeOf(completions.create({ ...all, tools })).resolves.toEqualTypeOf<ChatCompletion>();
    completions.stream({ ...all, tools });
    void completions.run({ ...all, tools: [] as const });
    const list: readonly ChatMessage[] = messages;
    void completions.create({ model: 'm', messages: list });
  });

  test('reject unknown roles and content', () => {
    expectTypeOf<ChatMessage['role']>().toEqualTypeOf<
      'system' | 'developer' | 'user' | 'assistant' | 'tool'
    >();
    // @ts-expect-error the role is user
    void completions.create({ model: 'm', messages: [{ role: 'usr', content: 'Hi' }] });
    // @ts-expect-error content is text or parts
    void completions.create({ model: 'm', messages: [{ role: 'user', content: 5 }] });
    // @ts-expect-error the text is missing
    const text: ContentPart = { type: 'text' };
    // @ts-expect-error the part type is image_url
    const part: ContentPart = { type: 'image', image_url: { url: 'https://a.example' } };
    // @ts-expect-error image_url is an object
    const image: ContentPart = { type: 'image_url', image_url: 'https://a.example' };
    // @ts-expect-error the message with a tool result has the id of the call
    const result: ChatMessage = { role: 'tool', content: 'sunny' };
    // @ts-expect-error a system message has no image
    const system: ChatMessage = { role: 'system', content: [image] };
    void [text, part, result, system];
  });

  test('accept the fields of OpenAI-compatible APIs', () => {
    void completions.create({
      model: 'm',
      messages: [
        { role: 'developer', content: 'Be brief' },
        {
          role: 'user',
          content: [
            { type: 'text', text: 'a' },
            { type: 'image_url', image_url: { url: 'https://a.example', detail: 'low' } },
            { type: 'input_audio', input_audio: { data: '', format: 'mp3' } },
            { type: 'video_url', video_url: { url: 'https://a.example' } },
            { type: 'file', file: { file_id: 'file_1' } },
          ],
        },
        {
          role: 'assistant',
          content: null,
          refusal: null,
          reasoning_content: 'Hm',
          tool_calls: [{ id: 'c', type: 'function', function: { name: 'f', arguments: '{}' } }],
        },
        { role: 'tool', content: 'sunny', tool_call_id: 'c' },
      ],
      temperature: 1,
      top_p: 1,
      n: 1,
      max_tokens: 5,
      max_completion_tokens: 5,
      stop: ['.'],
      seed: 1,
      presence_penalty: 0,
      frequency_penalty: 0,
      logit_bias: { 50256: -100 },
      logprobs: true,
      top_logprobs: 3,
      tools: [{ type: 'function', function: { name: 'f', parameters: { type: 'object' } } }],
      tool_choice: { type: 'function', function: { name: 'f' } },
      parallel_tool_calls: false,
      response_format: { type: 'json_schema', json_schema: { name: 'answer', schema: {} } },
      reasoning_effort: 'minimal',
      verbosity: 'low',
      modalities: ['text', 'audio'],
      audio: { format: 'mp3', voice: 'alloy' },
      prediction: { type: 'content', content: 'a' },
      web_search_options: { search_context_size: 'low' },
      store: true,
      metadata: { team: 'reports' },
      service_tier: 'flex',
      prompt_cache_key: 'k',
      prompt_cache_retention: '24h',
      safety_identifier: 's',
      user: 'u',
      stream_options: { include_usage: true },
      extra_body: { image_config: { aspect_ratio: '16:9', more: 1 }, any: [true] },
    });
    expectTypeOf<'heroic'>().toExtend<ChatParams['reasoning_effort']>();
    expectTypeOf<'stop'>().toExtend<FinishReason>();
    expectTypeOf<string>().toExtend<FinishReason>();
  });

  test('accept the message of a completion', () => {
    expectTypeOf<ChatCompletionMessage>().toExtend<ChatMessage>();
    const messages: ChatMessage[] = [];
    const message = completion.choices[0]?.message;
    if (message) messages.push(message, { ...message, name: 'Ada' });
    void completions.create({ model: 'm', messages });
  });
});

describe('responses', () => {
  test('are typed as documented and keep additional fields', () => {
    expectTypeOf(completion.id).toEqualTypeOf<string>();
    expectTypeOf(completion.choices[0]?.message.content).toEqualTypeOf<string | null | undefined>();
    expectTypeOf(completion.usage?.total_tokens).toEqualTypeOf<number | undefined>();
    expectTypeOf(completion.choices[0]?.message.tool_calls?.[0]?.function.arguments).toEqualTypeOf<
      string | undefined
    >();
    expectTypeOf(completion.choices[0]?.message.images?.[0]?.image_url.url).toEqualTypeOf<
      string | undefined
    >();
    expectTypeOf(completion.anything_new).toEqualTypeOf<unknown>();
    expectTypeOf(chunk.object).toEqualTypeOf<'chat.completion.chunk'>();
    expectTypeOf(chunk.choices[0]?.delta.content).toEqualTypeOf<string | null | undefined>();
    expectTypeOf(chunk.choices[0]?.delta.tool_calls?.[0]?.index).toEqualTypeOf<
      number | undefined
    >();
    expectTypeOf(chunk.choices[0]?.delta.anything_new).toEqualTypeOf<unknown>();
  });
});
