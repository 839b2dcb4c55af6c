import { describe, expect, test } from 'vitest';

import { ChatStream } from '../../../src/index.ts';
import { deltaEvent, doneEvent, finishEvent, streamOf } from '../../support/event-stream.ts';
import { collect } from '../../support/rejection.ts';

/** The tool calls of the completion that `final()` returns for chunks with these fragments. */
async function toolCalls(...chunks: readonly (readonly object[])[]) {
  const events = chunks.map((fragments) => deltaEvent({ tool_calls: fragments }));
  const { choices } = await streamOf([...events, finishEvent(), doneEvent]).final();
  return choices[0]?.message.tool_calls;
}

const call = (id: string, name: string, args: string) => ({
  id,
  type: 'function',
  function: { name, arguments: args },
});

describe('the name of a streamed tool call', () => {
  const named = (name: unknown, args = '') => [{ index: 0, function: { name, arguments: args } }];

  test('is not appended to itself when every chunk repeats it', async () => {
    const calls = await toolCalls(named('find', '{"x"'), named('find', ':1'), named('find', '}'));
    expect(calls).toMatchObject([call('', 'find', '{"x":1}')]);
  });

  test.each([
    ['whole', [named('get_weather')]],
    ['in fragments', [named('get_'), named('wea'), named('ther')]],
    ['in fragments, and then repeated', [named('get_'), named('weather'), named('get_weather')]],
    ['with empty and missing repetitions', [named('get_weather'), named(''), named(null)]],
  ])('is complete if it is sent %s', async (_, chunks) => {
    expect(await toolCalls(...chunks)).toMatchObject([call('', 'get_weather', '')]);
  });
});

describe('streamed tool calls without an index', () => {
  const first = { id: 'a', function: { name: 'one', arguments: '{"x"' } };
  const second = { id: 'b', function: { name: 'two', arguments: '[' } };

  test('are separate calls if their ids differ', async () => {
    const calls = [call('a', 'one', '{"x":1}'), call('b', 'two', '[]')];
    const rest = { function: { arguments: ']' } };
    expect(
      await toolCalls([first], [{ id: 'a', function: { arguments: ':1}' } }], [second], [rest]),
    ).toEqual(calls);
    expect(
      await toolCalls(
        [first, second],
        [{ id: 'b', ...rest }],
        [{ id: 'a', function: { arguments: ':1}' } }],
      ),
    ).toEqual(calls);
  });

  test('continue the last call if they have no id', async () => {
    const rest = { function: { arguments: ':1}' } };
    expect(await toolCalls([first], [rest])).toEqual([call('a', 'one', '{"x":1}')]);
    expect(await toolCalls([{ index: 3, ...first }], [rest])).toEqual([
      call('a', 'one', '{"x":1}'),
    ]);
    expect(await toolCalls([rest])).toEqual([call('', '', ':1}')]);
    expect(await toolCalls([first], [{ index: null, ...rest }])).toEqual([
      call('a', 'one', '{"x":1}'),
    ]);
  });

  test('are separate calls in one chunk even without ids', async () => {
    const fragments = (...args: string[]) =>
      args.map((text) => ({ id: '', function: { arguments: text } }));
    const begin = [{ function: { name: 'one' } }, { function: { name: 'two' } }];
    expect(await toolCalls(begin, fragments('{', '['), fragments('}', ']'))).toEqual([
      call('', 'one', '{}'),
      call('', 'two', '[]'),
    ]);
  });

  test('are separate calls if one names another function after the arguments have begun', async () => {
    const whole = (name: string, args: string) => [{ function: { name, arguments: args } }];
    expect(await toolCalls(whole('one', '{}'), whole('two', '[]'))).toEqual([
      call('', 'one', '{}'),
      call('', 'two', '[]'),
    ]);
  });

  test('have their index in the yielded chunks and on the other side of a relay', async () => {
    const events = [[first], [second], [{ function: { arguments: ']' } }]].map((fragments) =>
      deltaEvent({ tool_calls: fragments }),
    );
    const [one, other] = streamOf([...events, finishEvent(), doneEvent]).tee();
    const chunks = await collect(one);
    expect(chunks.map(({ choices }) => choices[0]?.delta.tool_calls?.[0]?.index)).toEqual([
      0,
      1,
      1,
      undefined,
    ]);
    const relayed = await ChatStream.fromReadableStream(other.toReadableStream()).final();
    expect(relayed).toEqual(await one.final());
  });
});

test('streamed tool calls with an index belong together even if every fragment has its own id', async () => {
  const fragment = (id: string, args: string) => [
    { index: 0, id, function: { name: 'one', arguments: args } },
  ];
  expect(await toolCalls(fragment('a', '{'), fragment('b', '}'))).toEqual([call('b', 'one', '{}')]);
});

describe('streamed tool calls that all have the index 0', () => {
  const fragment = (id: string | undefined, name: string | undefined, args: string) => [
    { index: 0, id, function: { name, arguments: args } },
  ];

  test('are separate calls if their ids and functions differ', async () => {
    const chunks = [fragment('a', 'one', '{}'), fragment('b', 'two', '[')];
    expect(await toolCalls(...chunks, fragment(undefined, undefined, ']'))).toEqual([
      call('a', 'one', '{}'),
      call('b', 'two', '[]'),
    ]);
  });

  test('are separate calls of one function if the arguments of the first are complete', async () => {
    expect(await toolCalls(fragment('a', 'one', '{}'), fragment('b', 'one', '{"x":1}'))).toEqual([
      call('a', 'one', '{}'),
      call('b', 'one', '{"x":1}'),
    ]);
  });
});

test('streamed arguments that are an object are kept as JSON', async () => {
  const args = { city: 'Paris', nested: { list: [1] } };
  expect(
    await toolCalls([{ index: 0, id: 7, function: { name: 'one', arguments: args } }]),
  ).toEqual([call('7', 'one', JSON.stringify(args))]);
});
