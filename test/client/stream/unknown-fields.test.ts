import { describe, expect, test } from 'vitest';

import { completionsOf, messagesOf } from '../../support/all-ways.ts';
import {
  chunk,
  deltaEvent,
  doneEvent,
  event,
  finishEvent,
  streamOf,
  textEvent,
} from '../../support/event-stream.ts';

/** An event with a chunk whose only choice has these fields. */
const choice = (fields: object) =>
  event(chunk([{ index: 0, delta: {}, finish_reason: null, ...fields }]));

/** Values of one field in the deltas of a stream, and what the message has. */
type Case = readonly [name: string, field: string, deltas: readonly unknown[], expected: unknown];

const thinking = (text: string, rest: object = {}) => ({
  type: 'thinking',
  thinking: text,
  ...rest,
});
const detail = (text: string, rest: object = {}) => ({
  type: 'reasoning.text',
  text,
  format: 'f-v1',
  index: 0,
  ...rest,
});
const citation = (url: string) => ({ type: 'url_citation', url_citation: { url, title: 't' } });

const lists: readonly Case[] = [
  [
    'items with an index, whose text grows while the rest stays once',
    'reasoning_details',
    [[detail('Let')], [detail(' me')], [detail('', { signature: 'c2ln' })]],
    [detail('Let me', { signature: 'c2ln' })],
  ],
  [
    'items with several indexes, in any order',
    'reasoning_details',
    [[detail('a')], [detail('x', { index: 1 })], [detail('b')], [detail('y', { index: 1 })]],
    [detail('ab'), detail('xy', { index: 1 })],
  ],
  [
    'items with one index and different types',
    'reasoning_details',
    [[detail('a')], [{ type: 'reasoning.encrypted', data: 'AA', id: 'rs_1', index: 0 }]],
    [detail('a'), { type: 'reasoning.encrypted', data: 'AA', id: 'rs_1', index: 0 }],
  ],
  [
    'items with one index and different ids',
    'reasoning_details',
    [
      [{ type: 'reasoning.encrypted', data: 'AA', id: 'tool_1', index: 0 }],
      [{ type: 'reasoning.encrypted', data: 'BB', id: 'tool_2', index: 0 }],
    ],
    [
      { type: 'reasoning.encrypted', data: 'AA', id: 'tool_1', index: 0 },
      { type: 'reasoning.encrypted', data: 'BB', id: 'tool_2', index: 0 },
    ],
  ],
  [
    'equal fragments of a text in an item with an index',
    'reasoning_details',
    [[detail('ha')], [detail('ha')], [detail('!')]],
    [detail('haha!')],
  ],
  [
    'thinking blocks without an index, up to their signature',
    'thinking_blocks',
    [
      [thinking('Hm')],
      [thinking('Hm')],
      [thinking('', { signature: 's1' })],
      [thinking('B')],
      [thinking('ye', { signature: 's2' })],
    ],
    [thinking('HmHm', { signature: 's1' }), thinking('Bye', { signature: 's2' })],
  ],
  [
    'redacted blocks between thinking blocks',
    'thinking_blocks',
    [
      [thinking('a', { signature: 's' })],
      [{ type: 'redacted_thinking', data: 'AA' }],
      [{ type: 'redacted_thinking', data: 'BB' }],
    ],
    [
      thinking('a', { signature: 's' }),
      { type: 'redacted_thinking', data: 'AA' },
      { type: 'redacted_thinking', data: 'BB' },
    ],
  ],
  [
    'annotations',
    'annotations',
    [[citation('a')], [], null, [citation('b'), citation('c')]],
    [citation('a'), citation('b'), citation('c')],
  ],
  [
    'a list that every chunk repeats',
    'annotations',
    [[citation('a')], [citation('a')], [citation('a')]],
    [citation('a')],
  ],
  [
    'a list that every chunk repeats and extends',
    'citations',
    [['u1'], ['u1', 'u2'], ['u1', 'u2', 'u3']],
    ['u1', 'u2', 'u3'],
  ],
  ['numbers, which can repeat', 'token_ids', [[7], [7], [8, 7]], [7, 7, 8, 7]],
  [
    'lists in records',
    'provider_specific_fields',
    [
      { citations: [citation('a')], source: 's' },
      { citations: [citation('b')], source: 's' },
    ],
    { citations: [citation('a'), citation('b')], source: 's' },
  ],
];

const texts: readonly Case[] = [
  ['fragments', 'thinking', ['Let', ' me', '', ' see'], 'Let me see'],
  ['equal fragments', 'reasoning_text', ['ha', 'ha'], 'haha'],
  ['fragments of any other name', 'plan', ['step 1', ', step 2', null], 'step 1, step 2'],
  ['fragments that begin with two equal ones', 'plan', ['ha', 'ha', '!'], 'haha!'],
  ['a value that every chunk repeats', 'channel', ['final', 'final', 'final'], 'final'],
  [
    'a value that many chunks repeat before it changes',
    'phase',
    [...Array.from({ length: 20 }, () => 'think'), 'write', 'write'],
    'write',
  ],
  ['an id, a type and a status, which are replaced', 'status', ['running', 'done'], 'done'],
  [
    'texts in records',
    'thought',
    [{ text: 'a', id: 'x' }, { text: 'b', id: 'x' }, null],
    { text: 'ab', id: 'x' },
  ],
  ['numbers and flags', 'score', [1, 2, null], 2],
];

const functionCalls: readonly Case[] = [
  [
    'in fragments',
    'function_call',
    [{ name: 'find', arguments: '' }, { arguments: '{"a"' }, { arguments: ':1}' }],
    { name: 'find', arguments: '{"a":1}' },
  ],
  [
    'with a repeated name',
    'function_call',
    [
      { name: 'find', arguments: '{"a"' },
      { name: 'find', arguments: ':1}' },
    ],
    { name: 'find', arguments: '{"a":1}' },
  ],
  [
    'with an object',
    'function_call',
    [{ name: 'find', arguments: { a: 1 } }],
    { name: 'find', arguments: '{"a":1}' },
  ],
  [
    'after a placeholder',
    'function_call',
    [{ name: 'find', arguments: '{}' }, { arguments: '{"a":1}' }],
    { name: 'find', arguments: '{"a":1}' },
  ],
  [
    'with other fields',
    'function_call',
    [{ name: 'find', arguments: '{}', mark: 'm' }, null],
    { name: 'find', arguments: '{}', mark: 'm' },
  ],
];

describe.each([
  ['lists', lists],
  ['texts', texts],
  ['function_call', functionCalls],
])('a streamed message has %s as without streaming, no matter how it is read', (_, cases) => {
  test.each(cases)('%s: %s', async (_name, field, deltas, expected) => {
    const events = [
      ...deltas.map((value) => deltaEvent({ content: 'x', [field]: value })),
      finishEvent(),
    ];
    const ways = await messagesOf(events);
    expect(Object.keys(ways)).toHaveLength(9);
    for (const [way, message] of Object.entries(ways)) {
      expect([way, message?.[field]]).toEqual([way, expected]);
    }
  });
});

describe('unknown fields of chunks and choices', () => {
  test('are merged, and their texts are replaced', async () => {
    const filter = (severity: string) => ({ hate: { filtered: false, severity } });
    const completions = await completionsOf([
      event(chunk([], { x_meta: { id: 'a' }, citations: ['u1'], noise: 'abc' })),
      choice({ content_filter_results: filter('safe'), token_ids: [1], delta: { content: 'a' } }),
      choice({ content_filter_results: {}, token_ids: [1] }),
      event(chunk([], { x_meta: { total: 3 }, citations: ['u1'], noise: 'def' })),
      finishEvent(),
    ]);
    for (const [way, completion] of Object.entries(completions)) {
      expect({ way, ...completion }).toMatchObject({
        way,
        x_meta: { id: 'a', total: 3 },
        citations: ['u1'],
        noise: 'def',
        choices: [{ content_filter_results: filter('safe'), token_ids: [1, 1] }],
      });
    }
  });

  test('do not include the usage, of which the last one counts', async () => {
    const { usage } = await streamOf([
      event(chunk([], { usage: { prompt_tokens: 1, early: true } })),
      event(chunk([], { usage: { prompt_tokens: 2 } })),
      finishEvent(),
      doneEvent,
    ]).final();
    expect(usage).toEqual({ prompt_tokens: 2 });
  });
});

test('an unknown field can be nested more deeply than a stack has room for', async () => {
  const depth = 20_000;
  const nested = `${'['.repeat(depth)}${']'.repeat(depth)}`;
  const record = `data: {"choices":[{"index":0,"delta":{"content":"a","odd":${nested}}}]}\n\n`;
  const { choices } = await streamOf([record, record, finishEvent(), doneEvent]).final();
  expect(choices[0]?.message.content).toBe('aa');
});

test('what partial has of an unknown field does not change when later chunks arrive', async () => {
  const stream = streamOf([
    deltaEvent({ notes: [detail('a')], plan: 'a' }),
    deltaEvent({ notes: [detail('b')], plan: 'b' }),
    textEvent('x'),
    finishEvent(),
    doneEvent,
  ]);
  const notes: unknown[] = [];
  for await (const _ of stream) {
    const message = stream.partial?.choices[0]?.message;
    notes.push([message?.notes, message?.plan]);
  }
  expect(notes.slice(0, 2)).toEqual([
    [[detail('a')], 'a'],
    [[detail('ab')], 'ab'],
  ]);
});
