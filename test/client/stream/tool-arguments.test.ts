import { describe, expect, test } from 'vitest';

import { completionsOf, messagesOf } from '../../support/all-ways.ts';
import {
  clientOf,
  deltaEvent,
  finishEvent,
  params,
  streamOf,
  doneEvent,
} from '../../support/event-stream.ts';

/** Fragments of a call, one chunk each, and the calls of the message. */
type Case = readonly [
  name: string,
  chunks: readonly (readonly object[])[],
  expected: readonly object[],
];

const part = (fields: object, name: string | undefined, args: unknown) => [
  { ...fields, function: { ...(name !== undefined && { name }), arguments: args } },
];
const call = (id: string, name: string, args: string) => ({
  id,
  type: 'function',
  function: { name, arguments: args },
});
const zero = { index: 0 };
const first = { index: 0, id: 'a' };

const placeholders: readonly Case[] = (
  [
    ['{}', '{}'],
    ['an object', {}],
    ['null', 'null'],
    ['an empty list', '[]'],
    ['empty braces with white space', ' { }\n'],
  ] as const
).flatMap(([name, placeholder]): Case[] => [
  [
    `${name}, then fragments`,
    [part(first, 'find', placeholder), part(zero, undefined, '{"a"'), part(zero, undefined, ':1}')],
    [call('a', 'find', '{"a":1}')],
  ],
  [
    `${name}, then all arguments with the name`,
    [part(first, 'find', placeholder), part(first, 'find', '{"a":1}')],
    [call('a', 'find', '{"a":1}')],
  ],
]);

const repetitions: readonly Case[] = [
  ...(['{}', {}, 'null', '[]', []] as const).map((last): Case => [
    `and then ${JSON.stringify(last)}`,
    [part(first, 'find', '{"a"'), part(zero, undefined, ':1}'), part(zero, undefined, last)],
    [call('a', 'find', '{"a":1}')],
  ]),
  [
    'and then [] twice',
    [part(first, 'find', '{"a":1}'), part(zero, undefined, []), part(zero, undefined, [])],
    [call('a', 'find', '{"a":1}')],
  ],
  [
    'in a text that contains what looks like one',
    [part(first, 'find', '{"a":"}'), part(zero, undefined, '{}'), part(zero, undefined, '"}')],
    [call('a', 'find', '{"a":"}{}"}')],
  ],
  [
    'after fragments',
    [part(first, 'find', '{"a"'), part(zero, undefined, ':1}'), part(zero, undefined, '{"a":1}')],
    [call('a', 'find', '{"a":1}')],
  ],
  [
    'with the name and the id',
    [
      part(first, 'find', '{"a":"}{"'),
      part(zero, undefined, '}'),
      part(first, 'find', '{"a":"}{"}'),
    ],
    [call('a', 'find', '{"a":"}{"}')],
  ],
  [
    'with other white space',
    [part(first, 'find', '{"a":1}'), part(zero, 'find', '{ "a": 1 }')],
    [call('a', 'find', '{"a":1}')],
  ],
  [
    'as an object',
    [part(first, 'find', '{"a":'), part(zero, undefined, '1}'), part(zero, 'find', { a: 1 })],
    [call('a', 'find', '{"a":1}')],
  ],
  [
    'without an id or an index, after fragments',
    [part({}, 'find', '{"a":'), part({}, undefined, '1}'), part({}, 'find', '{"a":1}')],
    [call('', 'find', '{"a":1}')],
  ],
  [
    'with more fields, which are then complete',
    [part(first, 'find', '{"a":1}'), part(zero, undefined, '{"a":1,"b":2}')],
    [call('a', 'find', '{"a":1,"b":2}')],
  ],
];

const unnumbered: readonly Case[] = [
  [
    'for the same function',
    [part({}, 'find', '{"a":1}'), part({}, 'find', '{"a":2}'), part({}, 'find', '{"a":3}')],
    [call('', 'find', '{"a":1}'), call('', 'find', '{"a":2}'), call('', 'find', '{"a":3}')],
  ],
  [
    'with equal arguments',
    [part({}, 'roll', '{}'), part({}, 'roll', '{}')],
    [call('', 'roll', '{}'), call('', 'roll', '{}')],
  ],
  [
    'with arguments as objects',
    [part({}, 'find', { a: 1 }), part({}, 'find', { a: 2 })],
    [call('', 'find', '{"a":1}'), call('', 'find', '{"a":2}')],
  ],
  [
    'in fragments',
    [
      part({}, 'find', '{"a"'),
      part({}, undefined, ':1}'),
      part({}, 'find', '{"a":'),
      part({}, undefined, '2}'),
    ],
    [call('', 'find', '{"a":1}'), call('', 'find', '{"a":2}')],
  ],
  [
    'with an empty id and a null index',
    [
      part({ id: '', index: null }, 'find', '{"a":1}'),
      part({ id: '', index: null }, 'find', '{"a":2}'),
    ],
    [call('', 'find', '{"a":1}'), call('', 'find', '{"a":2}')],
  ],
  [
    'two per chunk',
    [
      [...part({}, 'find', '{"a":1}'), ...part({}, 'find', '{"a":2}')],
      [...part({}, 'find', '{"a":3}'), ...part({}, 'find', '{"a":4}')],
    ],
    ['1', '2', '3', '4'].map((value) => call('', 'find', `{"a":${value}}`)),
  ],
  [
    'all with the index 0',
    [part(zero, 'find', '{"a":1}'), part(zero, 'find', '{"a":'), part(zero, undefined, '2}')],
    [call('', 'find', '{"a":1}'), call('', 'find', '{"a":2}')],
  ],
  [
    'all with the same id and the index 0',
    [part(first, 'find', '{"a":1}'), part(first, 'find', '{"a":2}'), part(first, 'look', '{}')],
    [call('a', 'find', '{"a":1}'), call('a', 'find', '{"a":2}'), call('a', 'look', '{}')],
  ],
  [
    'all with the same id',
    [part({ id: 'a' }, 'find', '{"a":1}'), part({ id: 'a' }, 'find', '{"a":2}')],
    [call('a', 'find', '{"a":1}'), call('a', 'find', '{"a":2}')],
  ],
];

const objects: readonly Case[] = [
  ['with an index', [part(first, 'find', { a: 1 })], [call('a', 'find', '{"a":1}')]],
  [
    'after an empty text',
    [part(first, 'find', ''), part(zero, undefined, { a: 1 })],
    [call('a', 'find', '{"a":1}')],
  ],
  ['nested', [part(first, 'find', { a: { b: [1] } })], [call('a', 'find', '{"a":{"b":[1]}}')]],
  ['without an id', [part({}, 'find', { a: 1 })], [call('', 'find', '{"a":1}')]],
  ['that are empty', [part(first, 'find', {})], [call('a', 'find', '{}')]],
];

describe.each([
  ['placeholders before the arguments', placeholders],
  ['arguments that are repeated at the end', repetitions],
  ['calls without a number of their own', unnumbered],
  ['arguments that are objects', objects],
])('%s are read no matter how the stream is read', (_, cases) => {
  test.each(cases)('%s', async (_name, chunks, expected) => {
    const events = [
      ...chunks.map((tool_calls) => deltaEvent({ tool_calls })),
      finishEvent('tool_calls'),
    ];
    for (const [way, message] of Object.entries(await messagesOf(events))) {
      expect([way, message?.tool_calls]).toEqual([way, expected]);
    }
  });
});

test('calls that are corrected have their index and their arguments as text in the chunks', async () => {
  const chunks = [part({}, 'find', { a: 1 }), part({}, 'find', { a: 2 })];
  const events = chunks.map((tool_calls) => deltaEvent({ tool_calls }));
  const seen: unknown[] = [];
  for await (const { choices } of streamOf([...events, finishEvent(), doneEvent])) {
    for (const { index, function: called } of choices[0]?.delta.tool_calls ?? []) {
      seen.push([index, called?.arguments]);
    }
  }
  expect(seen).toEqual([
    [0, '{"a":1}'],
    [1, '{"a":2}'],
  ]);
});

test('what repeats a complete call is not in the chunks', async () => {
  const chunks = [
    part(first, 'find', '{"a":'),
    part(zero, 'find', '1}'),
    part(first, 'find', '{"a": 1}'),
    part(zero, undefined, ''),
  ];
  const events = chunks.map((tool_calls) => deltaEvent({ tool_calls }));
  const seen: unknown[] = [];
  for await (const { choices } of streamOf([...events, finishEvent(), doneEvent])) {
    for (const { function: called } of choices[0]?.delta.tool_calls ?? []) {
      seen.push([called?.name, called?.arguments]);
    }
  }
  expect(seen).toEqual([
    ['find', '{"a":'],
    ['find', '1}'],
    [undefined, ''],
    [undefined, ''],
  ]);
});

test('unknown fields of calls and of their functions are kept', async () => {
  const extra = (text: string) => ({ extra_content: { google: { thought_signature: text } } });
  const completions = await completionsOf([
    deltaEvent({
      tool_calls: [{ ...first, ...extra('s'), function: { name: 'f', arguments: '', mark: 'm' } }],
    }),
    deltaEvent({ tool_calls: [{ ...zero, function: { arguments: '{}' } }] }),
    finishEvent('tool_calls'),
  ]);
  for (const { choices } of Object.values(completions)) {
    expect(choices[0]?.message.tool_calls).toEqual([
      {
        ...call('a', 'f', '{}'),
        ...extra('s'),
        function: { name: 'f', arguments: '{}', mark: 'm' },
      },
    ]);
  }
});

test('the time to read arguments grows with their length, and not with its square', async () => {
  const minTime = async (count: number) => {
    const words = Array.from({ length: count }, () => part(zero, undefined, 'word}'));
    const parts = [part(first, 'find', '{"a":"'), ...words, part(zero, undefined, '"}')];
    const events = parts.map((tool_calls) => deltaEvent({ tool_calls }));
    const text = [...events, finishEvent('tool_calls'), doneEvent].join('');
    let best = Infinity;
    for (let tries = 0; tries < 3; tries += 1) {
      const stream = streamOf([text]);
      const start = performance.now();
      await stream.final();
      best = Math.min(best, performance.now() - start);
    }
    return best;
  };
  const short = await minTime(10_000);
  // It would be 64 with its square, and is 8 on a quiet machine.
  expect((await minTime(80_000)) / short).toBeLessThan(40);
}, 60_000);

describe('arguments that are objects in a completion that is not streamed', () => {
  const message = {
    role: 'assistant',
    content: null,
    tool_calls: [
      { id: 'a', type: 'function', function: { name: 'f', arguments: { a: 1 } } },
      { id: 'b', type: 'function', function: { name: 'g' } },
    ],
    function_call: { name: 'f', arguments: { a: 1 } },
  };
  const { completions } = clientOf(async () =>
    Response.json({ id: 'c', choices: [{ index: 0, message, finish_reason: 'tool_calls' }] }),
  ).chat;

  test.each([
    ['create()', () => completions.create(params)],
    ['a submission', () => completions.submission(params).send()],
  ])('are JSON text in the result of %s', async (_, read) => {
    const { choices } = await read();
    expect(choices[0]?.message).toEqual({
      ...message,
      tool_calls: [call('a', 'f', '{"a":1}'), call('b', 'g', '')],
      function_call: { name: 'f', arguments: '{"a":1}' },
    });
  });
});
