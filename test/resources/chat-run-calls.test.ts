import { describe, expect, test } from 'vitest';
import { z } from 'zod';

import { ToolRoundsError } from '../../src/index.ts';
import type { RunOptions } from '../../src/index.ts';
import {
  chunk,
  clientOf,
  deltaEvent,
  doneEvent,
  event,
  finishEvent,
  streamHeaders,
  textEvent,
} from '../support/event-stream.ts';
import { rejection } from '../support/rejection.ts';
import { chatParams } from '../support/tools.ts';

/** A tool that deletes everything by default, and the arguments and ids that it was called with. */
function deleteFiles() {
  const calls: unknown[] = [];
  const tool = {
    name: 'delete_files',
    parameters: z.object({ pattern: z.string().default('*') }),
    execute: ({ pattern }: { pattern: string }, context: { call: { id: string } }) => {
      calls.push([pattern, context.call.id]);
      return 'deleted';
    },
  };
  return { tool, calls };
}

type Message = Record<string, any>;

/** Runs a chat whose first response is this message, streamed or not, and whose second one is a text. */
async function runOnce(
  message: Message,
  reason: string | null,
  streamed: boolean,
  messages: readonly Message[] = [],
) {
  const { tool, calls } = deleteFiles();
  const requests: { messages: Message[] }[] = [];
  const gateway = clientOf(async (input, init) => {
    requests.push(await new Request(input, init).json());
    const isFirst = requests.length === 1;
    const choice = isFirst
      ? { message: { role: 'assistant', content: null, ...message }, finish_reason: reason }
      : { message: { role: 'assistant', content: 'Done' }, finish_reason: 'stop' };
    if (!streamed) return Response.json({ id: 'c', choices: [{ index: 0, ...choice }] });
    const events = isFirst
      ? [deltaEvent(message), reason === null ? '' : finishEvent(reason), doneEvent]
      : [textEvent('Done'), finishEvent(), doneEvent];
    return new Response(events.join(''), { headers: streamHeaders });
  });
  const options: RunOptions = streamed ? { onStream: () => undefined } : {};
  const given = { ...chatParams, messages: [...chatParams.messages, ...(messages as [])] };
  const run = gateway.chat.completions.run({ ...given, tools: [tool] }, options);
  const sent = () =>
    requests[1]?.messages.slice(given.messages.length) as [Message, ...Message[]] | undefined;
  return { run, calls, requests, sent };
}

const called = (args: unknown, fields: object = { id: 'a' }) => ({
  ...fields,
  type: 'function',
  function: { name: 'delete_files', arguments: args },
});

describe.each([
  ['unstreamed', false],
  ['with onStream', true],
])('a run %s', (_, streamed) => {
  const cutOffs = ['length', 'content_filter', 'MAX_TOKENS', 'SAFETY', 'max_output_tokens'];
  const failed = ['error', 'network_error', 'ERROR', 'failed'];
  const cutCases = [...cutOffs, ...failed].flatMap((reason) =>
    ['', '{}', '{"pattern":"a"}', '{"pattern":"a'].map((args) => [reason, args] as const),
  );
  const unknown = [null, 'none', 'odd', 'pause_turn'];

  test.each(
    unknown.flatMap((reason) => ['', ' ', 'null', '[]'].map((args) => [reason, args] as const)),
  )(
    'executes no tool if finish_reason %j does not prove that the arguments %j are complete',
    async (reason, args) => {
      const message = {
        tool_calls: [called('{"pattern":"b"}'), called(args, { id: 'b', index: 1 })],
      };
      const { run, calls, requests } = await runOnce(message, reason, streamed);
      const error = await rejection(ToolRoundsError, run);
      expect(error.message).toContain(`finish_reason: ${reason}`);
      expect(error.message).toContain('none of them was executed');
      expect(calls).toEqual([]);
      expect(requests).toHaveLength(1);
    },
  );

  test.each(
    unknown.flatMap((reason) => ['{}', '{"pattern":"a"}'].map((args) => [reason, args] as const)),
  )(
    'executes a call after finish_reason %j with the complete arguments %j',
    async (reason, args) => {
      const { run, calls } = await runOnce({ tool_calls: [called(args)] }, reason, streamed);
      await run;
      expect(calls).toEqual([[args === '{}' ? '*' : 'a', 'a']]);
    },
  );

  test.each(cutCases)(
    'executes no tool after finish_reason %j with the arguments %j, and says so',
    async (reason, args) => {
      const { run, calls, requests } = await runOnce(
        { tool_calls: [called(args)] },
        reason,
        streamed,
      );
      const error = await rejection(ToolRoundsError, run);
      expect(error.message).toContain(`finish_reason: ${reason}`);
      expect(error.message).toContain('none of them was executed');
      expect(error.run).toMatchObject({
        rounds: [{ completion: { choices: [{ finish_reason: reason }] } }],
        messages: [{ role: 'user' }, { role: 'assistant', tool_calls: [{ id: 'a' }] }],
      });
      expect(calls).toEqual([]);
      expect(requests).toHaveLength(1);
    },
  );

  test.each(cutOffs)('returns a text that was cut off with %s', async (reason) => {
    const { run } = await runOnce({ content: 'Half' }, reason, streamed);
    const { completion } = await run;
    expect(completion.choices[0]).toMatchObject({
      message: { content: 'Half' },
      finish_reason: reason,
    });
  });

  test.each(['tool_calls', 'stop', 'tool_use', 'STOP', 'function_call', 'end_turn'])(
    'executes a call after finish_reason %s',
    async (reason) => {
      const { run, calls } = await runOnce({ tool_calls: [called('')] }, reason, streamed);
      await run;
      expect(calls).toEqual([['*', 'a']]);
    },
  );

  test.each(['', ' ', '\n', 'null', ' null ', '[]', '[ ]', '""', '{}', null, {}])(
    'takes the arguments %j for none, and sends an empty object back',
    async (args) => {
      const { run, calls, sent } = await runOnce(
        { tool_calls: [called(args)] },
        'tool_calls',
        streamed,
      );
      await run;
      expect(calls).toEqual([['*', 'a']]);
      expect(sent()?.[0].tool_calls).toEqual([called('{}')]);
    },
  );

  test.each([
    ['an object', { pattern: 'x' }],
    ['text', '{"pattern":"x"}'],
    ['a placeholder before them', '{}{"pattern":"x"}'],
    ['a repetition', '{"pattern":"x"}{"pattern":"x"}'],
    ['a repetition with other white space', '{"pattern":"x"}\n{ "pattern": "x" }'],
  ])('sends arguments back as they were executed: %s', async (_name, args) => {
    const { run, calls, sent } = await runOnce(
      { tool_calls: [called(args)] },
      'tool_calls',
      streamed,
    );
    await run;
    expect(calls).toEqual([['x', 'a']]);
    const text: string = sent()?.[0].tool_calls[0].function.arguments;
    expect(JSON.parse(text)).toEqual({ pattern: 'x' });
  });

  test('does not take broken arguments for none', async () => {
    for (const args of ['{"pattern":', 'nul', '[1]', '7']) {
      const { run, calls, sent } = await runOnce(
        { tool_calls: [called(args)] },
        'tool_calls',
        streamed,
      );
      await run;
      expect(calls).toEqual([]);
      expect(sent()?.[1]?.content).toContain('error');
    }
  });

  const ids: [string, readonly object[], readonly string[]][] = [
    ['missing', [{}, {}], ['call00001', 'call00002']],
    ['empty', [{ id: '' }, { id: '' }], ['call00001', 'call00002']],
    ['null', [{ id: null }, { id: 'b' }], ['call00001', 'b']],
    ['equal', [{ id: 'a' }, { id: 'a' }], ['a', 'call00001']],
    ['like generated ones', [{ id: 'call00001' }, {}], ['call00001', 'call00002']],
    ['numbers', [{ id: 7 }, { id: 8 }], ['7', '8']],
  ];

  test.each(ids)(
    'sends unique ids back, with the results of the same calls, if they are %s',
    async (_name, fields, expected) => {
      const tool_calls = fields.map((each, index) =>
        called(`{"pattern":"${index}"}`, streamed ? { index, ...each } : each),
      );
      const { run, calls, sent } = await runOnce({ tool_calls }, 'tool_calls', streamed);
      const { messages } = await run;
      const [message, ...results] = sent() ?? [{}];
      expect(message.tool_calls.map(({ id }: Message) => id)).toEqual(expected);
      expect(results.map(({ tool_call_id: id }) => id)).toEqual(expected);
      expect(calls).toEqual(expected.map((id, index) => [`${index}`, id]));
      expect(messages.slice(1, -1)).toEqual([message, ...results]);
    },
  );

  test('creates no id that an earlier message has', async () => {
    const earlier = [
      { role: 'assistant', content: null, tool_calls: [called('{}', { id: 'call00001' })] },
      { role: 'tool', tool_call_id: 'call00001', content: 'deleted' },
    ];
    const { run, sent } = await runOnce(
      { tool_calls: [called('{}', {})] },
      'tool_calls',
      streamed,
      earlier,
    );
    await run;
    expect(sent()?.[0].tool_calls[0].id).toBe('call00002');
  });

  test('creates another id for a call with that of an earlier one', async () => {
    const earlier = [
      { role: 'assistant', content: null, tool_calls: [called('{}', { id: 'a' })] },
      { role: 'tool', tool_call_id: 'a', content: 'deleted' },
    ];
    const message = { tool_calls: [called('{}')] };
    const { run, calls, sent } = await runOnce(message, 'tool_calls', streamed, earlier);
    await run;
    expect(calls).toEqual([['*', 'call00001']]);
    expect(sent()).toMatchObject([
      { tool_calls: [{ id: 'call00001' }] },
      { tool_call_id: 'call00001' },
    ]);
  });

  test('adds the type of a call that has none', async () => {
    const { type: _type, ...untyped } = called('{}');
    const { run, sent } = await runOnce({ tool_calls: [untyped] }, 'tool_calls', streamed);
    await run;
    expect(sent()?.[0].tool_calls).toEqual([called('{}')]);
  });
});

test.each([{}, 'none', 0])('a run takes tool_calls: %j for no calls', async (tool_calls) => {
  const { run, requests } = await runOnce({ content: 'Hi', tool_calls }, 'stop', false);
  expect((await run).completion.choices[0]?.message.content).toBe('Hi');
  expect(requests).toHaveLength(1);
});

test('a run with onStream sends a thinking block back with its text and its signature', async () => {
  const block = (thinking: string, signature?: string) => ({
    thinking_blocks: [{ type: 'thinking', thinking, ...(signature && { signature }) }],
  });
  const detail = (text: string, rest: object = {}) => ({
    reasoning_details: [{ type: 'reasoning.text', text, index: 0, ...rest }],
  });
  const { tool } = deleteFiles();
  const requests: { messages: Message[] }[] = [];
  const gateway = clientOf(async (input, init) => {
    requests.push(await new Request(input, init).json());
    const deltas = [
      { ...block('I should'), ...detail('I should') },
      { ...block(' delete.'), ...detail(' delete.') },
      { ...block('', 'c2ln'), ...detail('', { signature: 'c2ln' }) },
      { tool_calls: [{ index: 0, ...called('{"pattern":"x"}') }] },
    ];
    const first = [...deltas.map((delta) => deltaEvent(delta)), finishEvent('tool_calls')];
    const events = requests.length === 1 ? first : [textEvent('Done'), finishEvent()];
    return new Response([...events, event(chunk([])), doneEvent].join(''), {
      headers: streamHeaders,
    });
  });
  await gateway.chat.completions.run(
    { ...chatParams, tools: [tool] },
    { onStream: () => undefined },
  );
  expect(requests[1]?.messages[1]).toEqual({
    role: 'assistant',
    content: null,
    ...block('I should delete.', 'c2ln'),
    ...detail('I should delete.', { signature: 'c2ln' }),
    tool_calls: [called('{"pattern":"x"}')],
  });
});
