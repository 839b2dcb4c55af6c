import { describe, expect, test } from 'vitest';
import { z } from 'zod';

import { PolygateError } from '../../src/index.ts';
import { onMock } from '../client/support.ts';
import { rejection } from '../support/rejection.ts';
import {
  chatParams,
  callTools,
  toolCall,
  finalMessage,
  scriptedModel,
  parisArgs,
  toolResults,
  tool,
} from '../support/tools.ts';
import { turns } from '../support/turns.ts';

describe('run()', () => {
  test('executes the tools that the reference gateway calls, until it calls none', async () => {
    const { gateway, mock } = onMock();
    const weather = tool('get_weather', ({ city }) => ({ city, sky: 'clear' }));
    const time = tool('get_time', () => 'noon');
    const run = await gateway.chat.completions.run({ ...chatParams, tools: [weather, time] });
    expect(weather.calls[0]?.args).toEqual({ city: 'Paris' });
    expect(run.messages.map(({ role }) => role)).toEqual([
      'user',
      'assistant',
      'tool',
      'tool',
      'assistant',
    ]);
    expect(run.messages.slice(2, 4)).toMatchObject([
      {
        content: '{"city":"Paris","sky":"clear"}',
        tool_call_id: weather.calls[0]?.context.call.id,
      },
      { content: 'noon', tool_call_id: time.calls[0]?.context.call.id },
    ]);
    expect(run.completion.choices[0]?.message).toBe(run.messages.at(-1));
    expect(run.completion.choices[0]?.finish_reason).toBe('stop');
    expect(mock.requests).toHaveLength(2);
    expect(mock.requests[1]?.body).toMatchObject({ messages: run.messages.slice(0, 4) });
  });

  test('reports the charge of every round and their total', async () => {
    const { gateway, mock } = onMock();
    const run = await gateway.chat.completions.run({ ...chatParams, tools: [tool('get_weather')] });
    const charges = run.rounds.map(({ meta }) => meta.chargeUsd);
    expect(charges).toEqual(mock.invoice.map(({ usd }) => usd));
    expect(charges).toHaveLength(2);
    expect(run.chargeUsd).toBe(gateway.spend.totalUsd);
    expect(run.rounds.at(-1)?.completion).toBe(run.completion);
  });

  test('sends the JSON Schemas of the tools, and all other params unchanged', async () => {
    const { requests, gateway } = scriptedModel(finalMessage);
    const loose = { ...tool('loose'), description: undefined, parameters: z.looseObject({}) };
    const unknown: object = { odd: 1 };
    await gateway.chat.completions.run({
      ...chatParams,
      tools: [tool('weather'), loose],
      user: 'me',
      ...unknown,
    });
    const definition = (name: string, rest: object) => ({
      type: 'function',
      function: { name, ...rest },
    });
    expect(requests[0]).toEqual({
      ...chatParams,
      user: 'me',
      odd: 1,
      tools: [
        definition('weather', {
          description: 'Returns the weather',
          parameters: {
            type: 'object',
            properties: { city: { type: 'string' } },
            required: ['city'],
            additionalProperties: false,
          },
          strict: true,
        }),
        definition('loose', {
          parameters: { type: 'object', properties: {}, additionalProperties: {} },
          strict: false,
        }),
      ],
    });
  });

  test('executes all calls of a message concurrently, and sends the results in the order of the calls', async () => {
    const { requests, run } = scriptedModel(
      callTools(toolCall('1', 'slow', parisArgs), toolCall('2', 'fast', parisArgs)),
      finalMessage,
    );
    const log: string[] = [];
    const slow = tool('slow', async () => {
      log.push('slow begins');
      await turns();
      log.push('slow ends');
      return 'slow';
    });
    const fast = tool('fast', () => log.push('fast') && 'fast');
    await run([slow, fast]);
    expect(log).toEqual(['slow begins', 'fast', 'slow ends']);
    expect(requests[1].messages.slice(2)).toEqual([
      { role: 'tool', tool_call_id: '1', content: 'slow' },
      { role: 'tool', tool_call_id: '2', content: 'fast' },
    ]);
  });

  test.each([
    ['a string', 'unchanged', 'unchanged'],
    ['an object', { a: [1] }, '{"a":[1]}'],
    ['a number', 7, '7'],
    ['null', null, 'null'],
    ['nothing', undefined, ''],
  ])('sends the results of tools to the model: %s', async (_, result, content) => {
    const { requests, run } = scriptedModel(
      callTools(toolCall('1', 'weather', parisArgs)),
      finalMessage,
    );
    await run([tool('weather', async () => result)]);
    expect(toolResults(requests)).toEqual([content]);
  });

  test('passes the parsed arguments, and an empty object if there are none', async () => {
    const received: unknown[] = [];
    const { run } = scriptedModel(
      callTools(toolCall('1', 'ping', ''), toolCall('2', 'ping', '{"n":"3"}')),
      finalMessage,
    );
    const n = z.object({ n: z.coerce.number().default(1) });
    await run([
      { name: 'ping', parameters: n, execute: (args: { n: number }) => received.push(args.n) },
    ]);
    expect(received).toEqual([1, 3]);
  });

  test('does not modify the messages of the caller', async () => {
    const messages = Object.freeze([...chatParams.messages]);
    const { gateway } = scriptedModel(callTools(toolCall('1', 'weather', parisArgs)), finalMessage);
    const params = { model: 'm', messages: [...messages], tools: [tool('weather')] };
    const run = await gateway.chat.completions.run(params);
    expect(params.messages).toEqual(messages);
    expect(run.messages).toHaveLength(4);
  });
});

test('each round is paid once: a request that may have been charged is never retried', async () => {
  const { gateway, mock } = onMock({}, { maxRetries: 3 });
  mock.fail({ route: 'POST /v1/chat/completions', reset: 'after', times: 1 });
  const run = gateway.chat.completions.run({ ...chatParams, tools: [tool('get_weather')] });
  const error = await rejection(PolygateError, mock.clock.settle(run));
  expect(error).toMatchObject({ outcome: 'unknown', run: { chargeUsd: 0, rounds: [] } });
  expect(mock.requests).toHaveLength(1);
});
