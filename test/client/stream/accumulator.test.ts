import { describe, expect, test } from 'vitest';

import type { ChatCompletion } from '../../../src/index.ts';
import {
  deltaEvent,
  chunk,
  doneEvent,
  event,
  textEvent,
  finishEvent,
  streamOf,
} from '../../support/event-stream.ts';

/** The completion that `final()` returns for these events. */
async function final(...events: string[]): Promise<ChatCompletion> {
  return streamOf([...events, doneEvent]).final();
}

/** The first message of the completion that `final()` returns for these deltas. */
async function message(...deltas: object[]) {
  const completion = await final(...deltas.map((delta) => deltaEvent(delta)), finishEvent());
  return completion.choices[0]?.message;
}

/** An event with a chunk whose only choice has these fields. */
function choice(fields: object): string {
  return event(chunk([{ index: 0, delta: {}, finish_reason: null, ...fields }]));
}

/** A delta with a fragment of one tool call. */
function callDelta(index: number, fields: object): object {
  return { tool_calls: [{ index, ...fields }] };
}

describe('final() accumulates', () => {
  test('the content, the role, the finish reason and the top-level fields', async () => {
    const completion = await final(
      deltaEvent({ role: 'assistant', content: '' }),
      textEvent('Hel'),
      textEvent('lo'),
      finishEvent('length'),
    );
    expect(completion).toEqual({
      id: 'c-1',
      object: 'chat.completion',
      created: 5,
      model: 'm',
      choices: [
        { index: 0, message: { role: 'assistant', content: 'Hello' }, finish_reason: 'length' },
      ],
    });
  });

  test('missing content as null', async () => {
    expect(await message({ role: 'assistant' })).toMatchObject({ content: null });
    expect(await message({ role: 'assistant', content: null })).toMatchObject({ content: null });
    expect(await message({ role: 'assistant', content: '' })).toMatchObject({ content: '' });
  });

  test.each(['refusal', 'reasoning_content', 'reasoning'])('the fragments of %s', async (field) => {
    const deltas = [{ [field]: 'I can' }, { content: 'x' }, { [field]: 'not' }, { [field]: null }];
    expect(await message(...deltas)).toEqual({
      role: 'assistant',
      content: 'x',
      [field]: 'I cannot',
    });
  });

  test('long content, which partial also has after every chunk', async () => {
    const words = Array.from({ length: 9_000 }, (_, index) => `${index} 漢\u{1f680} `);
    // Some services split the two halves of a surrogate pair.
    const pieces = words.flatMap((word) => [word.slice(0, -2), word.slice(-2)]);
    const stream = streamOf([...pieces.map((piece) => textEvent(piece)), finishEvent(), doneEvent]);
    let content = '';
    for await (const { choices } of stream) {
      content += choices[0]?.delta.content ?? '';
      if (content.length % 501 === 0) {
        expect(stream.partial?.choices[0]?.message.content).toBe(content);
      }
    }
    expect(content).toBe(words.join(''));
    expect((await stream.final()).choices[0]?.message.content).toBe(content);
  });

  test('several choices, sorted by index', async () => {
    const { choices } = await final(
      textEvent('b', 1),
      textEvent('c', 2),
      textEvent('a'),
      finishEvent('length', 1),
      textEvent('B', 1),
      finishEvent('content_filter', 2),
      finishEvent(),
    );
    expect(choices).toMatchObject([
      { index: 0, message: { content: 'a' }, finish_reason: 'stop' },
      { index: 1, message: { content: 'bB' }, finish_reason: 'length' },
      { index: 2, message: { content: 'c' }, finish_reason: 'content_filter' },
    ]);
  });

  test('several choices in one chunk', async () => {
    const both = [0, 1].map((index) => ({
      index,
      delta: { content: `${index}` },
      finish_reason: 'stop',
    }));
    const { choices } = await final(event(chunk(both)));
    expect(choices.map(({ message: { content } }) => content)).toEqual(['0', '1']);
  });

  test('tool calls by index, in fragments and in any order', async () => {
    const accumulated = await message(
      callDelta(2, { id: 'c', type: 'function', function: { name: 'three', arguments: '' } }),
      callDelta(0, { id: 'a', type: 'function', function: { name: 'one', arguments: '{"x"' } }),
      callDelta(2, { function: { arguments: '{}' } }),
      {
        tool_calls: [
          { index: 0, function: { arguments: ':1' } },
          { index: 1, id: 'b', type: 'function', function: { name: 'two' } },
        ],
      },
      callDelta(0, { id: '', function: { arguments: '}' } }),
      callDelta(1, { id: null, function: { arguments: '[]' } }),
    );
    expect(accumulated).toEqual({
      role: 'assistant',
      content: null,
      tool_calls: [
        { id: 'a', type: 'function', function: { name: 'one', arguments: '{"x":1}' } },
        { id: 'b', type: 'function', function: { name: 'two', arguments: '[]' } },
        { id: 'c', type: 'function', function: { name: 'three', arguments: '{}' } },
      ],
    });
  });

  test('the tool calls of each choice separately', async () => {
    const named = (name: string) => callDelta(0, { id: name, function: { name, arguments: '{}' } });
    const { choices } = await final(
      deltaEvent(named('one')),
      deltaEvent(named('two'), 1),
      finishEvent('tool_calls'),
      finishEvent('tool_calls', 1),
    );
    const calls = choices.map((each) => each.message.tool_calls?.map(({ id }) => id));
    expect(calls).toEqual([['one'], ['two']]);
  });

  test('unknown fields of a tool call', async () => {
    const accumulated = await message(
      callDelta(0, {
        id: 'a',
        function: { name: 'f', arguments: '' },
        extra_content: { mark: 'm' },
      }),
      callDelta(0, { function: { arguments: '{}' } }),
    );
    expect(accumulated?.tool_calls?.[0]).toMatchObject({ extra_content: { mark: 'm' } });
  });

  test('the usage from a last chunk without choices', async () => {
    const usage = { prompt_tokens: 1, completion_tokens: 2, total_tokens: 3, cost: 0.1 };
    const completion = await final(
      event(chunk([{ index: 0, delta: { content: 'a' }, finish_reason: 'stop' }], { usage: null })),
      event(chunk([], { usage })),
    );
    expect(completion.usage).toEqual(usage);
    expect(completion.choices).toHaveLength(1);
  });

  test('fields, which a later null does not remove', async () => {
    const usage = { prompt_tokens: 1, completion_tokens: 2, total_tokens: 3 };
    const completion = await final(
      event(chunk([], { usage, service_tier: 'fast' })),
      event(chunk([], { usage: null, service_tier: null })),
    );
    expect(completion).toMatchObject({ usage, service_tier: 'fast' });
  });

  test('defaults for fields that are null', async () => {
    const empty = { id: null, object: null, created: null, model: null, usage: null };
    const completion = await final(
      event({ ...empty, choices: [{ index: 0, message: null, delta: { content: 'a' } }] }),
    );
    expect(completion).toEqual({
      id: '',
      object: 'chat.completion',
      created: 0,
      model: '',
      usage: null,
      choices: [{ index: 0, message: { role: 'assistant', content: 'a' }, finish_reason: null }],
    });
  });

  test('fragments that equal the previous one', async () => {
    const delta = {
      content: 'ha',
      refusal: 'no',
      tool_calls: [{ index: 0, function: { arguments: '1' } }],
      images: [{ image_url: { url: 'data:,a' } }],
      audio: { data: 'AAAA', transcript: 'ha' },
    };
    const fragment = choice({ delta, logprobs: { content: [1] } });
    const { choices } = await final(fragment, fragment, finishEvent());
    expect(choices[0]).toMatchObject({
      message: {
        content: 'haha',
        refusal: 'nono',
        tool_calls: [{ function: { arguments: '11' } }],
        images: [...delta.images, ...delta.images],
        audio: { data: 'AAAAAAAA', transcript: 'haha' },
      },
      logprobs: { content: [1, 1] },
    });
  });

  test('no tool calls if every list of them is empty', async () => {
    const accumulated = await message({ tool_calls: [] }, { tool_calls: null }, { content: 'a' });
    expect(accumulated).toEqual({ role: 'assistant', content: 'a' });
  });

  test('images in the order of their arrival', async () => {
    const image = (url: string, index: number) => ({
      type: 'image_url',
      image_url: { url },
      index,
    });
    const accumulated = await message(
      { content: 'Two:' },
      { images: [image('data:image/png;base64,AA', 0)] },
      { images: [image('https://host.example/b.png', 1)] },
    );
    expect(accumulated?.images).toEqual([
      image('data:image/png;base64,AA', 0),
      image('https://host.example/b.png', 1),
    ]);
  });

  test('log probabilities, concatenated list by list', async () => {
    const token = (text: string) => ({ token: text, logprob: -1, bytes: null, top_logprobs: [] });
    const { choices } = await final(
      choice({ logprobs: null }),
      choice({ delta: { content: 'a' }, logprobs: { content: [token('a')], refusal: null } }),
      choice({ delta: { content: 'b' }, logprobs: { content: [token('b'), token('c')] } }),
      choice({ finish_reason: 'stop', logprobs: null }),
    );
    expect(choices[0]?.logprobs).toEqual({
      content: [token('a'), token('b'), token('c')],
      refusal: null,
    });
  });

  test('unknown fields of chunks, choices and deltas', async () => {
    const completion = await final(
      event({ ...chunk([]), system_fingerprint: 'fp', service_tier: 'fast', provider: { a: 1 } }),
      choice({ native_finish_reason: 'STOP', delta: { content: 'a', annotations: [{ b: 2 }] } }),
      finishEvent(),
    );
    expect(completion).toMatchObject({
      system_fingerprint: 'fp',
      service_tier: 'fast',
      provider: { a: 1 },
      choices: [
        { native_finish_reason: 'STOP', message: { content: 'a', annotations: [{ b: 2 }] } },
      ],
    });
  });

  test('unknown finish reasons', async () => {
    const { choices } = await final(textEvent('a'), finishEvent('out_of_ink'));
    expect(choices[0]?.finish_reason).toBe('out_of_ink');
  });
});
