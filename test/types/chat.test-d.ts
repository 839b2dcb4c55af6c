import { describe, expectTypeOf, test } from 'vitest';

import type {
  ChatCompletion,
  ChatCompletionChunk,
  ChatCompletionMessage,
  ChatMessage,
  ChatParams,
  ChatStream,
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

  test('accept undocumented fields, roles, parts and values', () => {
    expectTypeOf({
      model: 'm',
      messages: [
        { role: 'developer', content: 'Be brief' },
        { role: 'critic', content: 'Hm', score: 3 },
        {
          role: 'user',
          content: [
            { type: 'text', text: 'a' },
            { type: 'mystery', weight: 7 },
          ],
        },
        { role: 'tool', content: 'sunny', tool_call_id: 'call_1' },
      ],
      reasoning_effort: 'heroic',
      modalities: ['text', 'smell'],
      tool_choice: 'sometimes',
      extra_body: { image_config: { aspect_ratio: '16:9', more: 1 }, any: [true] },
      made_up: { deep: [1] },
    }).toExtend<ChatParams>();
    expectTypeOf<'stop'>().toExtend<FinishReason>();
    expectTypeOf<string>().toExtend<FinishReason>();
  });

  test('accept the message of a completion', () => {
    expectTypeOf<ChatCompletionMessage>().toExtend<ChatMessage>();
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
