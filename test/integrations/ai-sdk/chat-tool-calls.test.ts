import { generateText, isStepCount, streamText, tool } from 'ai';
import { createPolygate } from 'polygate/ai-sdk';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';

import {
  clientOf,
  deltaEvent,
  doneEvent,
  finishEvent,
  streamHeaders,
  textEvent,
} from '../../support/event-stream.ts';

type Fragments = readonly (readonly object[])[];

/** Two steps of a model over the AI SDK, streamed or not: these tool calls, and a text. */
async function steps(streamed: boolean, fragments: Fragments, reason: string) {
  let requests = 0;
  const executed: string[] = [];
  const client = clientOf(async () => {
    requests += 1;
    const isFirst = requests === 1;
    if (!streamed) {
      const message = { role: 'assistant', content: null, tool_calls: fragments.flat() };
      const choice = isFirst
        ? { message, finish_reason: reason }
        : { message: { role: 'assistant', content: 'Done' }, finish_reason: 'stop' };
      return Response.json({ id: 'c', choices: [{ index: 0, ...choice }] });
    }
    const deltas = fragments.map((tool_calls) => deltaEvent({ tool_calls }));
    const events = isFirst
      ? [...deltas, finishEvent(reason), doneEvent]
      : [textEvent('Done'), finishEvent(), doneEvent];
    return new Response(events.join(''), { headers: streamHeaders });
  });
  const options = {
    model: createPolygate({ client })('m'),
    prompt: 'Clean up',
    tools: {
      delete_files: tool({
        inputSchema: z.object({ pattern: z.string().default('*') }),
        execute: ({ pattern }) => executed.push(pattern),
      }),
    },
    stopWhen: isStepCount(3),
  };
  if (!streamed) {
    const { finishReason, text, finalStep } = await generateText(options);
    const { providerMetadata } = finalStep;
    return { executed, requests, finishReason, text, providerMetadata };
  }
  const result = streamText(options);
  const text = await result.text;
  const finishReason = await result.finishReason;
  const { providerMetadata } = await result.finalStep;
  return { executed, requests, finishReason, text, providerMetadata };
}

const part = (args: unknown, id = 'a', index = 0) => [
  { index, id, type: 'function', function: { name: 'delete_files', arguments: args } },
];
const more = (args: unknown) => [{ index: 0, function: { arguments: args } }];

describe.each([
  ['generateText', false],
  ['streamText', true],
])('%s over the provider', (_, streamed) => {
  const cases = ['length', 'content_filter', 'MAX_TOKENS', 'max_output_tokens', 'SAFETY'].flatMap(
    (reason) => ['', '{}', '{"pattern":"a"}'].map((args) => [reason, args] as const),
  );

  test.each(cases)(
    'executes no tool after finish_reason %s with the arguments %j, and says so',
    async (reason, args) => {
      const result = await steps(streamed, [part(args)], reason);
      expect(result.executed).toEqual([]);
      expect(result.requests).toBe(1);
      expect(result.providerMetadata).toMatchObject({ polygate: { cutOffToolCalls: 1 } });
    },
  );

  test.each([
    ['error', '{"pattern":"a"}'],
    ['network_error', ''],
    ['ERROR', '{}'],
  ])('executes no tool after finish_reason %s with the arguments %j', async (reason, args) => {
    const result = await steps(streamed, [part(args)], reason);
    expect(result.executed).toEqual([]);
    expect(result.requests).toBe(1);
    expect(result.providerMetadata).toMatchObject({ polygate: { cutOffToolCalls: 1 } });
  });

  test.each(['', ' ', 'null', '[]', '{}'])('takes the arguments %j for none', async (args) => {
    const result = await steps(streamed, [part(args)], 'tool_calls');
    expect(result).toMatchObject({ executed: ['*'], requests: 2, text: 'Done' });
    expect(result.providerMetadata?.polygate).not.toHaveProperty('cutOffToolCalls');
  });

  test('executes a call whose arguments are an object', async () => {
    const result = await steps(streamed, [part({ pattern: 'a' })], 'tool_calls');
    expect(result).toMatchObject({ executed: ['a'], requests: 2, text: 'Done' });
  });

  test('executes calls whose ids are empty', async () => {
    const calls = [part('{"pattern":"a"}', ''), part('{"pattern":"b"}', '', 1)];
    const result = await steps(streamed, calls, 'tool_calls');
    expect(result).toMatchObject({ executed: ['a', 'b'], requests: 2 });
  });
});

test.each([
  ['a placeholder before the arguments', [part('{}'), more('{"pattern"'), more(':"a"}')]],
  ['a placeholder with the name', [part('{}'), part('{"pattern"'), more(':"a"}')]],
  ['an object as a placeholder', [part({}), more('{"pattern"'), more(':"a"}')]],
  ['a placeholder before complete arguments', [part('{}'), part('{"pattern":"a"}')]],
  ['a repetition with the name', [part('{"pattern"'), more(':"a"}'), part('{"pattern":"a"}')]],
  ['a repetition as an object', [part('{"pattern"'), more(':"a"}'), more({ pattern: 'a' })]],
  ['a repetition of complete arguments', [part('{"pattern":"a"}'), part('{"pattern":"a"}')]],
  ['arguments that are repeated', [part('{"pattern"'), more(':"a"}'), more('{"pattern":"a"}')]],
])('streamText executes a call once with %s', async (_, fragments) => {
  expect(await steps(true, fragments, 'tool_calls')).toMatchObject({
    executed: ['a'],
    requests: 2,
  });
});
