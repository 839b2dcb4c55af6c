import { describe, expect, test } from 'vitest';

import type { ChatCompletion } from '../../../src/index.ts';
import { adds, chunk, done, event, says, stops, streamOf } from '../../support/event-stream.ts';
import { collect } from '../../support/rejection.ts';

/** What final() makes of these events. */
async function final(...events: string[]): Promise<ChatCompletion> {
  return streamOf([...events, done]).final();
}

/** The first message that final() makes of these deltas. */
async function message(...deltas: object[]) {
  const completion = await final(...deltas.map((delta) => adds(delta)), stops());
  return completion.choices[0]?.message;
}

/** An event whose one choice has these fields. */
function choice(fields: object): string {
  return event(chunk([{ index: 0, delta: {}, finish_reason: null, ...fields }]));
}

/** A piece of a tool call. */
function call(index: number, fields: object): object {
  return { tool_calls: [{ index, ...fields }] };
}

describe('final() puts together', () => {
  test('the words and what stands around them', async () => {
    const completion = await final(
      adds({ role: 'assistant', content: '' }),
      says('Hel'),
      says('lo'),
      stops('length'),
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

  test('an answer without words, whose content is null', async () => {
    expect(await message({ role: 'assistant' })).toMatchObject({ content: null });
    expect(await message({ role: 'assistant', content: null })).toMatchObject({ content: null });
    expect(await message({ role: 'assistant', content: '' })).toMatchObject({ content: '' });
  });

  test.each(['refusal', 'reasoning_content', 'reasoning'])('the pieces of %s', async (field) => {
    const deltas = [{ [field]: 'I can' }, { content: 'x' }, { [field]: 'not' }, { [field]: null }];
    expect(await message(...deltas)).toEqual({
      role: 'assistant',
      content: 'x',
      [field]: 'I cannot',
    });
  });

  test('a long answer, in every piece of it and as a whole', async () => {
    const words = Array.from({ length: 9_000 }, (_, index) => `${index} 漢\u{1f680} `);
    // Some services cut between the halves of a surrogate pair.
    const pieces = words.flatMap((word) => [word.slice(0, -2), word.slice(-2)]);
    const stream = streamOf([...pieces.map((piece) => says(piece)), stops(), done]);
    let said = '';
    for await (const { choices } of stream) {
      said += choices[0]?.delta.content ?? '';
      if (said.length % 501 === 0) expect(stream.partial?.choices[0]?.message.content).toBe(said);
    }
    expect(said).toBe(words.join(''));
    expect((await stream.final()).choices[0]?.message.content).toBe(said);
  });

  test('several choices, in the order of their index', async () => {
    const { choices } = await final(
      says('b', 1),
      says('c', 2),
      says('a'),
      stops('length', 1),
      says('B', 1),
      stops('content_filter', 2),
      stops(),
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

  test('tool calls by their index, in pieces and in any order', async () => {
    const answer = await message(
      call(2, { id: 'c', type: 'function', function: { name: 'three', arguments: '' } }),
      call(0, { id: 'a', type: 'function', function: { name: 'one', arguments: '{"x"' } }),
      call(2, { function: { arguments: '{}' } }),
      {
        tool_calls: [
          { index: 0, function: { arguments: ':1' } },
          { index: 1, id: 'b', type: 'function', function: { name: 'two' } },
        ],
      },
      call(0, { id: '', function: { arguments: '}' } }),
      call(1, { id: null, function: { arguments: '[]' } }),
    );
    expect(answer).toEqual({
      role: 'assistant',
      content: null,
      tool_calls: [
        { id: 'a', type: 'function', function: { name: 'one', arguments: '{"x":1}' } },
        { id: 'b', type: 'function', function: { name: 'two', arguments: '[]' } },
        { id: 'c', type: 'function', function: { name: 'three', arguments: '{}' } },
      ],
    });
  });

  test('tool calls of each choice for itself', async () => {
    const named = (name: string) => call(0, { id: name, function: { name, arguments: '{}' } });
    const { choices } = await final(
      adds(named('one')),
      adds(named('two'), 1),
      stops('tool_calls'),
      stops('tool_calls', 1),
    );
    const calls = choices.map((each) => each.message.tool_calls?.map(({ id }) => id));
    expect(calls).toEqual([['one'], ['two']]);
  });

  test('fields of a tool call that it does not know', async () => {
    const answer = await message(
      call(0, { id: 'a', function: { name: 'f', arguments: '' }, extra_content: { mark: 'm' } }),
      call(0, { function: { arguments: '{}' } }),
    );
    expect(answer?.tool_calls?.[0]).toMatchObject({ extra_content: { mark: 'm' } });
  });

  test('the usage that comes last, in a chunk without choices', async () => {
    const usage = { prompt_tokens: 1, completion_tokens: 2, total_tokens: 3, cost: 0.1 };
    const completion = await final(
      event(chunk([{ index: 0, delta: { content: 'a' }, finish_reason: 'stop' }], { usage: null })),
      event(chunk([], { usage })),
    );
    expect(completion.usage).toEqual(usage);
    expect(completion.choices).toHaveLength(1);
  });

  test('what was told, which a later null does not take away', async () => {
    const usage = { prompt_tokens: 1, completion_tokens: 2, total_tokens: 3 };
    const completion = await final(
      event(chunk([], { usage, service_tier: 'fast' })),
      event(chunk([], { usage: null, service_tier: null })),
    );
    expect(completion).toMatchObject({ usage, service_tier: 'fast' });
  });

  test('images, in the order in which they came', async () => {
    const image = (url: string, index: number) => ({
      type: 'image_url',
      image_url: { url },
      index,
    });
    const answer = await message(
      { content: 'Two:' },
      { images: [image('data:image/png;base64,AA', 0)] },
      { images: [image('https://host.example/b.png', 1)] },
    );
    expect(answer?.images).toEqual([
      image('data:image/png;base64,AA', 0),
      image('https://host.example/b.png', 1),
    ]);
  });

  test('log probabilities, joined list by list', async () => {
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

  test('unknown fields of the chunk, of the choice and of the delta', async () => {
    const completion = await final(
      event({ ...chunk([]), system_fingerprint: 'fp', service_tier: 'fast', provider: { a: 1 } }),
      choice({ native_finish_reason: 'STOP', delta: { content: 'a', annotations: [{ b: 2 }] } }),
      stops(),
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

  test('finish reasons that it does not know', async () => {
    const { choices } = await final(says('a'), stops('out_of_ink'));
    expect(choices[0]?.finish_reason).toBe('out_of_ink');
  });
});

describe('hostile keys', () => {
  const hostile = '"__proto__":{"polluted":true},"constructor":{"prototype":{"polluted":true}}';

  test.each([
    ['the chunk', `{${hostile},"choices":[{"index":0,"delta":{"content":"a"}}]}`],
    ['the choice', `{"choices":[{"index":0,${hostile},"delta":{"content":"a"}}]}`],
    ['the delta', `{"choices":[{"index":0,"delta":{"content":"a",${hostile}}}]}`],
    [
      'a tool call',
      `{"choices":[{"index":0,"delta":{"content":"a","tool_calls":[{"index":0,${hostile}}]}}]}`,
    ],
    ['usage', `{"usage":{${hostile}},"choices":[{"index":0,"delta":{"content":"a"}}]}`],
    [
      'log probabilities',
      `{"choices":[{"index":0,"delta":{"content":"a"},"logprobs":{${hostile}}}]}`,
    ],
  ])('in %s alter no prototype', async (_, record) => {
    const completion = await final(`data: ${record}\n\n`, `data: ${record}\n\n`, stops());
    expect(Reflect.get({}, 'polluted')).toBeUndefined();
    const [first] = completion.choices;
    const { message: said, logprobs } = first ?? {};
    for (const value of [completion, first, said, said?.tool_calls?.[0], logprobs]) {
      if (typeof value !== 'object' || value === null) continue;
      expect(Object.getPrototypeOf(value)).toBe(Object.prototype);
      expect(Reflect.get(value, 'polluted')).toBeUndefined();
    }
    expect(said?.content).toBe('aa');
  });

  test('that carry lists in log probabilities alter no prototype', async () => {
    const hostileLists = '{"__proto__":[1],"constructor":[2],"content":[3]}';
    const record = `{"choices":[{"index":0,"delta":{},"logprobs":${hostileLists}}]}`;
    const completion = await final(
      choice({ logprobs: { content: [1] } }),
      `data: ${record}\n\n`,
      stops(),
    );
    const { logprobs } = completion.choices[0] ?? {};
    expect(Object.getPrototypeOf(logprobs)).toBe(Object.prototype);
  });
});

test('chunks that were yielded are not changed by what follows', async () => {
  const image = { type: 'image_url', image_url: { url: 'data:,a' } };
  const events = [
    choice({ delta: { content: 'a', images: [image] }, logprobs: { content: [1] } }),
    adds(call(0, { id: 'a', type: 'function', function: { name: 'f', arguments: '{' } })),
    choice({ delta: { content: 'b', images: [image] }, logprobs: { content: [2] } }),
    adds(call(0, { function: { arguments: '}' } })),
    stops(),
  ];
  const stream = streamOf([...events, done]);
  const chunks = await collect(stream);
  await stream.final();
  expect(chunks).toEqual(
    events.map((text) => {
      const record: unknown = JSON.parse(text.slice('data: '.length));
      return record;
    }),
  );
});
