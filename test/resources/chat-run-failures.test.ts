import { getEventListeners } from 'node:events';

import { describe, expect, test } from 'vitest';

import {
  AbortedError,
  BadRequestError,
  ConfigurationError,
  ToolRoundsError,
} from '../../src/index.ts';
import type { RunOptions, RunParams, ToolCall } from '../../src/index.ts';
import { onMock } from '../core/support.ts';
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

describe('what goes wrong in a tool', () => {
  const broken = tool('broken', () => {
    throw new Error('No such city');
  });
  const cases: [string, ToolCall, RegExp][] = [
    ['a thrown error', toolCall('1', 'broken', parisArgs), /^\{"error":"No such city"\}$/],
    ['arguments that do not fit', toolCall('1', 'weather', '{"city":7}'), /city: .*string/],
    ['arguments that are no JSON', toolCall('1', 'weather', '{"city":'), /not valid JSON/],
    ['a tool that is not there', toolCall('1', 'nobody', '{}'), /no tool nobody/],
    ['a result that is no JSON', toolCall('1', 'circular', parisArgs), /circular|BigInt/i],
  ];

  test.each(cases)('is told to the model: %s', async (_, made, words) => {
    const { requests, run } = scriptedModel(callTools(made), finalMessage);
    const weather = tool('weather');
    const { completion } = await run([broken, weather, tool('circular', () => 1n)]);
    expect(completion.choices[0]?.message.content).toBe('It is sunny.');
    expect(toolResults(requests)).toEqual([expect.stringMatching(words)]);
    expect(weather.calls).toEqual([]);
  });

  test('is told in the words of onToolError', async () => {
    const { requests, run } = scriptedModel(
      callTools(toolCall('1', 'broken', parisArgs)),
      finalMessage,
    );
    await run([broken], { onToolError: (error, { id }) => `${String(error)} in ${id}` });
    expect(toolResults(requests)).toEqual(['Error: No such city in 1']);
  });

  test('ends the run when onToolError throws, and the other tools are told', async () => {
    let stopped: AbortSignal | undefined;
    const slow = tool('slow', (_, { signal }) => {
      stopped = signal;
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
    expect(stopped?.aborted).toBe(true);
    expect(requests).toHaveLength(1);
  });
});

describe('a run ends', () => {
  const again = callTools(toolCall('1', 'weather', parisArgs));

  test('with a ToolRoundsError when the model calls on and on', async () => {
    const { requests, run } = scriptedModel(again, again, again, again);
    const weather = tool('weather');
    const error = await rejection(ToolRoundsError, run([weather], { maxRounds: 3 }));
    expect(error.message).toContain('maxRounds (3)');
    expect(requests).toHaveLength(3);
    expect(weather.calls).toHaveLength(2);
    expect(error.run).toMatchObject({ chargeUsd: 0.3, rounds: [{}, {}, {}] });
    expect(error.run?.messages.at(-1)).toMatchObject(again);
  });

  test('after ten rounds by default', async () => {
    const { requests, run } = scriptedModel(...Array.from({ length: 12 }, () => again));
    await rejection(ToolRoundsError, run([tool('weather')]));
    expect(requests).toHaveLength(10);
  });

  test('with the error of a request, which tells what was done and paid before', async () => {
    const { requests, run } = scriptedModel(again);
    const error = await rejection(BadRequestError, run([tool('weather')]));
    expect(requests).toHaveLength(2);
    expect(error.run).toMatchObject({ chargeUsd: 0.1, rounds: [{ meta: { requestId: 'req-1' } }] });
    expect(error.run?.messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'tool']);
    expect(Object.keys(error)).not.toContain('run');
  });

  test('with an AbortedError when the caller aborts, at once although a tool does not listen', async () => {
    const stop = new AbortController();
    const reason = new Error('the user left');
    let told: unknown;
    const deaf = tool('weather', (_, { signal }) => {
      signal.addEventListener('abort', () => {
        told = signal.reason;
      });
      setImmediate(() => stop.abort(reason));
      return new Promise(() => {});
    });
    const { requests, run } = scriptedModel(again, finalMessage);
    const error = await rejection(AbortedError, run([deaf], { signal: stop.signal }));
    expect(error).toMatchObject({ cause: reason, outcome: 'not-sent', run: { chargeUsd: 0.1 } });
    expect(told).toBe(reason);
    expect(requests).toHaveLength(1);
    expect(getEventListeners(stop.signal, 'abort')).toEqual([]);
  });

  test('with an AbortedError when the caller aborts during a request', async () => {
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

  test('before it begins when its params cannot be right', async () => {
    const { requests, gateway } = scriptedModel(finalMessage);
    const wrong: unknown[][] = [
      [undefined],
      [{ ...chatParams }],
      [{ ...chatParams, tools: 'all' }],
      [{ model: 'm', tools: [] }],
      [{ ...chatParams, tools: [{ ...tool('a'), parameters: {} }] }],
      [{ ...chatParams, tools: [] }, { maxRounds: -1 }],
      [{ ...chatParams, tools: [] }, { idempotencyKey: 'one-key' }],
    ];
    for (const [params, options] of wrong) {
      // What a caller without types may pass.
      const run = gateway.chat.completions.run(params as RunParams, options as RunOptions);
      await expect(run).rejects.toBeInstanceOf(ConfigurationError);
    }
    expect(requests).toEqual([]);
  });
});
