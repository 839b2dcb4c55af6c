import { getEventListeners } from 'node:events';

import { describe, expect, test } from 'vitest';

import {
  AbortedError,
  BadRequestError,
  ConfigurationError,
  ToolRoundsError,
} from '../../src/index.ts';
import type { RunOptions, RunParams, ToolCall } from '../../src/index.ts';
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

describe('an error in a tool', () => {
  const broken = tool('broken', () => {
    throw new Error('No such city');
  });
  const cases: [string, ToolCall, RegExp][] = [
    ['a thrown error', toolCall('1', 'broken', parisArgs), /^\{"error":"No such city"\}$/],
    [
      'arguments that do not match the schema',
      toolCall('1', 'weather', '{"city":7}'),
      /city: .*string/,
    ],
    ['arguments that are not JSON', toolCall('1', 'weather', '{"city":'), /not valid JSON/],
    ['an unknown tool', toolCall('1', 'missing', '{}'), /no tool missing/],
    ['a call without a function', { id: '1', type: 'function' } as ToolCall, /function/],
  ];

  test.each(cases)('is sent to the model: %s', async (_, call, content) => {
    const { requests, run } = scriptedModel(callTools(call), finalMessage);
    const weather = tool('weather');
    const { completion } = await run([broken, weather]);
    expect(completion.choices[0]?.message.content).toBe('It is sunny.');
    expect(toolResults(requests)).toEqual([expect.stringMatching(content)]);
    expect(weather.calls).toEqual([]);
  });

  test('is sent to the model as the result of onToolError', async () => {
    const { requests, run } = scriptedModel(
      callTools(toolCall('1', 'broken', parisArgs)),
      finalMessage,
    );
    await run([broken], { onToolError: (error, { id }) => `${String(error)} in ${id}` });
    expect(toolResults(requests)).toEqual(['Error: No such city in 1']);
  });

  test('ends the run and aborts the other tools if onToolError throws', async () => {
    let toolSignal: AbortSignal | undefined;
    const slow = tool('slow', (_, { signal }) => {
      toolSignal = signal;
      return new Promise(() => {});
    });
    const { requests, run } = scriptedModel(
      callTools(toolCall('1', 'slow', parisArgs), toolCall('2', 'broken', parisArgs)),
      finalMessage,
    );
    const rethrow = (error: unknown) => {
      throw error;
    };
    await expect(run([slow, broken], { onToolError: rethrow })).rejects.toThrow('No such city');
    expect(toolSignal?.aborted).toBe(true);
    expect(requests).toHaveLength(1);
  });
});

describe('a run ends', () => {
  const again = callTools(toolCall('1', 'weather', parisArgs));
  const last = { tool_calls: [{ function: { name: 'weather' } }] };

  test('with a ToolRoundsError if the model keeps calling tools', async () => {
    const { requests, run } = scriptedModel(again, again, again, again);
    const weather = tool('weather');
    const error = await rejection(ToolRoundsError, run([weather], { maxRounds: 3 }));
    expect(error.message).toContain('maxRounds (3)');
    expect(requests).toHaveLength(3);
    expect(weather.calls).toHaveLength(2);
    expect(error.run).toMatchObject({ chargeUsd: 0.3, rounds: [{}, {}, {}] });
    expect(error.run?.messages.at(-1)).toMatchObject(last);
  });

  test('after ten rounds by default', async () => {
    const { requests, run } = scriptedModel(...Array.from({ length: 12 }, () => again));
    await rejection(ToolRoundsError, run([tool('weather')]));
    expect(requests).toHaveLength(10);
  });

  test('with the error of a request, which has the conversation and its cost so far', async () => {
    const { requests, run } = scriptedModel(again);
    const error = await rejection(BadRequestError, run([tool('weather')]));
    expect(requests).toHaveLength(2);
    expect(error.run).toMatchObject({ chargeUsd: 0.1, rounds: [{ meta: { requestId: 'req-1' } }] });
    expect(error.run?.messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'tool']);
    expect(Object.keys(error)).not.toContain('run');
  });

  test('with an AbortedError as soon as the caller aborts, even if a tool ignores its signal', async () => {
    const stop = new AbortController();
    const reason = new Error('the user left');
    let toolReason: unknown;
    const unresponsive = tool('weather', (_, { signal }) => {
      signal.addEventListener('abort', () => {
        toolReason = signal.reason;
      });
      setImmediate(() => stop.abort(reason));
      return new Promise(() => {});
    });
    const { requests, run } = scriptedModel(again, finalMessage);
    const error = await rejection(AbortedError, run([unresponsive], { signal: stop.signal }));
    expect(error).toMatchObject({ cause: reason, outcome: 'unknown', run: { chargeUsd: 0.1 } });
    expect(toolReason).toBe(reason);
    expect(requests).toHaveLength(1);
    expect(getEventListeners(stop.signal, 'abort')).toEqual([]);
  });

  test('with an AbortedError if the caller aborts during a request', async () => {
    const { gateway, mock } = onMock({ latencyMs: 1_000 });
    const stop = new AbortController();
    const run = gateway.chat.completions.run({ ...chatParams, tools: [] }, { signal: stop.signal });
    await mock.clock.advance(500);
    stop.abort();
    expect(await rejection(AbortedError, run)).toMatchObject({
      outcome: 'unknown',
      run: { rounds: [] },
    });
  });

  test('before its first request if its params are invalid', async () => {
    const { requests, gateway } = scriptedModel(finalMessage);
    const invalid: unknown[][] = [
      [undefined],
      [{ ...chatParams }],
      [{ ...chatParams, tools: 'all' }],
      [{ model: 'm', tools: [] }],
      [{ ...chatParams, tools: [{ ...tool('a'), parameters: {} }] }],
      [{ ...chatParams, tools: [] }, { maxRounds: -1 }],
      [{ ...chatParams, tools: [] }, { maxRounds: 0 }],
      [{ ...chatParams, tools: [] }, { maxRounds: 1.5 }],
      [{ ...chatParams, tools: [] }, { signal: 'stop' }],
      [{ ...chatParams, tools: [] }, { idempotencyKey: 'one-key' }],
    ];
    for (const [params, options] of invalid) {
      // A caller without type checking can pass these.
      const run = gateway.chat.completions.run(params as RunParams, options as RunOptions);
      await expect(run).rejects.toBeInstanceOf(ConfigurationError);
    }
    expect(requests).toEqual([]);
  });
});

describe('no listener is left', () => {
  const again = callTools(toolCall('1', 'weather', parisArgs));

  test('by a run of 50 rounds, on the signal of the caller or on those of the tools', async () => {
    const { signal } = new AbortController();
    const counts: number[] = [];
    const weather = tool('weather', () => counts.push(getEventListeners(signal, 'abort').length));
    const replies = Array.from({ length: 50 }, () => again);
    const { run, requests } = scriptedModel(...replies, finalMessage);
    await run([weather], { signal, maxRounds: 51 });
    expect(requests).toHaveLength(51);
    expect(Math.max(...counts)).toBeLessThanOrEqual(1);
    expect(counts).toHaveLength(50);
    for (const each of [signal, ...weather.calls.map(({ context }) => context.signal)]) {
      expect(getEventListeners(each, 'abort')).toEqual([]);
    }
  });

  test('by a run that fails', async () => {
    const { signal } = new AbortController();
    const { run } = scriptedModel(again, again);
    await rejection(ToolRoundsError, run([tool('weather')], { signal, maxRounds: 2 }));
    await rejection(BadRequestError, run([tool('weather')], { signal }));
    expect(getEventListeners(signal, 'abort')).toEqual([]);
  });
});
