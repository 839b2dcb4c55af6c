import { getEventListeners } from 'node:events';

import { describe, expect, test } from 'vitest';
import { z } from 'zod';

import {
  AbortedError,
  BadRequestError,
  ConfigurationError,
  PolygateError,
  ToolRoundsError,
} from '../../src/index.ts';
import type { RunOptions, RunParams, Tool, ToolCall, ToolContext } from '../../src/index.ts';
import { onMock } from '../core/support.ts';
import { clientOf, turns } from '../support/event-stream.ts';
import { rejection } from '../support/rejection.ts';

const question = {
  role: 'user' as const,
  content: 'What is the weather in Paris, and what the time?',
};
const ask = { model: 'aurora-chat', messages: [question] };

const place = z.object({ city: z.string() });

/** A tool that writes down with what it was called. */
function tool(
  name: string,
  execute: (args: { city: string }, context: ToolContext) => unknown = () => 'sunny',
) {
  const calls: { args: { city: string }; context: ToolContext }[] = [];
  const made = {
    name,
    description: `Tells the ${name}`,
    parameters: place,
    execute(args: { city: string }, context: ToolContext) {
      calls.push({ args, context });
      return execute(args, context);
    },
  };
  return { ...made, calls };
}

const call = (id: string, name: string, args: string): ToolCall => ({
  id,
  type: 'function',
  function: { name, arguments: args },
});

/** A client of a model that answers these messages in turn, each for a dime, and what it was asked. */
function model(...answers: readonly object[]) {
  const asked: any[] = [];
  const gateway = clientOf(async (_, init) => {
    const answer = answers[asked.length];
    asked.push(JSON.parse(String(init?.body)));
    const message = { role: 'assistant', content: null, ...answer };
    const headers = { 'x-svc-charge-usd': '0.1', 'x-request-id': `req-${asked.length}` };
    if (answer === undefined) return new Response('{}', { status: 400, headers });
    return Response.json(
      { id: `c-${asked.length}`, choices: [{ index: 0, message }] },
      { headers },
    );
  });
  const run = (tools: Tool[], options?: RunOptions) =>
    gateway.chat.completions.run({ ...ask, tools }, options);
  return { gateway, asked, run };
}

const done = { content: 'It is sunny.' };
const asks = (...tool_calls: ToolCall[]) => ({ tool_calls });
const paris = '{"city":"Paris"}';

/** What the tools of the first round answered. */
const toldTo = (asked: any[]) =>
  asked[1].messages.filter(({ role }: any) => role === 'tool').map(({ content }: any) => content);

describe('run() carries out the tools that the model calls', () => {
  test('against the reference gateway, until the model calls none', async () => {
    const { gateway, mock } = onMock();
    const weather = tool('get_weather', ({ city }) => ({ city, sky: 'clear' }));
    const time = tool('get_time', () => 'noon');
    const run = await gateway.chat.completions.run({ ...ask, tools: [weather, time] });
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

  test('and accounts for every charge, round by round and together', async () => {
    const { gateway, mock } = onMock();
    const run = await gateway.chat.completions.run({ ...ask, tools: [tool('get_weather')] });
    const charges = run.rounds.map(({ meta }) => meta.chargeUsd);
    expect(charges).toEqual(mock.invoice.map(({ usd }) => usd));
    expect(charges).toHaveLength(2);
    expect(run.chargeUsd).toBe(gateway.spend.totalUsd);
    expect(run.rounds.at(-1)?.completion).toBe(run.completion);
  });

  test('and sends their JSON schemas, and everything else as it is given', async () => {
    const { asked, gateway } = model(done);
    const loose = { ...tool('loose'), description: undefined, parameters: z.looseObject({}) };
    await gateway.chat.completions.run({
      ...ask,
      tools: [tool('weather'), loose],
      user: 'me',
      odd: 1,
    });
    const definition = (name: string, rest: object) => ({
      type: 'function',
      function: { name, ...rest },
    });
    expect(asked[0]).toEqual({
      ...ask,
      user: 'me',
      odd: 1,
      tools: [
        definition('weather', {
          description: 'Tells the weather',
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

  test('all calls of an answer at once, and tells the answers in the order of the calls', async () => {
    const { asked, run } = model(asks(call('1', 'slow', paris), call('2', 'fast', paris)), done);
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
    expect(asked[1].messages.slice(2)).toEqual([
      { role: 'tool', tool_call_id: '1', content: 'slow' },
      { role: 'tool', tool_call_id: '2', content: 'fast' },
    ]);
  });

  test.each([
    ['text', 'as it is', 'as it is'],
    ['an object', { a: [1] }, '{"a":[1]}'],
    ['a number', 7, '7'],
    ['null', null, 'null'],
    ['nothing', undefined, ''],
  ])('and tells what they give: %s', async (_, result, content) => {
    const { asked, run } = model(asks(call('1', 'weather', paris)), done);
    await run([tool('weather', async () => result)]);
    expect(toldTo(asked)).toEqual([content]);
  });

  test('with what the schema makes of the arguments; none are an empty object', async () => {
    const seen: unknown[] = [];
    const { run } = model(asks(call('1', 'ping', ''), call('2', 'ping', '{"n":"3"}')), done);
    const n = z.object({ n: z.coerce.number().default(1) });
    await run([
      { name: 'ping', parameters: n, execute: (args: { n: number }) => seen.push(args.n) },
    ]);
    expect(seen).toEqual([1, 3]);
  });

  test('and leaves the messages of the caller as they are', async () => {
    const messages = Object.freeze([question]);
    const { gateway } = model(asks(call('1', 'weather', paris)), done);
    const params = { model: 'm', messages: [...messages], tools: [tool('weather')] };
    const run = await gateway.chat.completions.run(params);
    expect(params.messages).toEqual(messages);
    expect(run.messages).toHaveLength(4);
  });
});

describe('what goes wrong in a tool', () => {
  const broken = tool('broken', () => {
    throw new Error('No such city');
  });
  const cases: [string, ToolCall, RegExp][] = [
    ['a thrown error', call('1', 'broken', paris), /^\{"error":"No such city"\}$/],
    ['arguments that do not fit', call('1', 'weather', '{"city":7}'), /city: .*string/],
    ['arguments that are no JSON', call('1', 'weather', '{"city":'), /not JSON/],
    ['a tool that is not there', call('1', 'nobody', '{}'), /no tool nobody/],
    ['a result that is no JSON', call('1', 'circular', paris), /circular|BigInt/i],
  ];

  test.each(cases)('is told to the model: %s', async (_, made, words) => {
    const { asked, run } = model(asks(made), done);
    const weather = tool('weather');
    const { completion } = await run([broken, weather, tool('circular', () => 1n)]);
    expect(completion.choices[0]?.message.content).toBe('It is sunny.');
    expect(toldTo(asked)).toEqual([expect.stringMatching(words)]);
    expect(weather.calls).toEqual([]);
  });

  test('is told in the words of onToolError', async () => {
    const { asked, run } = model(asks(call('1', 'broken', paris)), done);
    await run([broken], { onToolError: (error, { id }) => `${String(error)} in ${id}` });
    expect(toldTo(asked)).toEqual(['Error: No such city in 1']);
  });

  test('ends the run when onToolError throws, and the other tools are told', async () => {
    let stopped: AbortSignal | undefined;
    const slow = tool('slow', (_, { signal }) => {
      stopped = signal;
      return new Promise(() => {});
    });
    const { asked, run } = model(asks(call('1', 'slow', paris), call('2', 'broken', paris)), done);
    const rethrow = (error: unknown) => {
      throw error;
    };
    await expect(run([slow, broken], { onToolError: rethrow })).rejects.toThrow('No such city');
    expect(stopped?.aborted).toBe(true);
    expect(asked).toHaveLength(1);
  });
});

describe('a run ends', () => {
  const again = asks(call('1', 'weather', paris));

  test('with a ToolRoundsError when the model calls on and on', async () => {
    const { asked, run } = model(again, again, again, again);
    const weather = tool('weather');
    const error = await rejection(ToolRoundsError, run([weather], { maxRounds: 3 }));
    expect(error.message).toContain('maxRounds (3)');
    expect(asked).toHaveLength(3);
    expect(weather.calls).toHaveLength(2);
    expect(error.run).toMatchObject({ chargeUsd: 0.3, rounds: [{}, {}, {}] });
    expect(error.run?.messages.at(-1)).toMatchObject(again);
  });

  test('after ten rounds by default', async () => {
    const { asked, run } = model(...Array.from({ length: 12 }, () => again));
    await rejection(ToolRoundsError, run([tool('weather')]));
    expect(asked).toHaveLength(10);
  });

  test('with the error of a request, which tells what was done and paid before', async () => {
    const { asked, run } = model(again);
    const error = await rejection(BadRequestError, run([tool('weather')]));
    expect(asked).toHaveLength(2);
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
    const { asked, run } = model(again, done);
    const error = await rejection(AbortedError, run([deaf], { signal: stop.signal }));
    expect(error).toMatchObject({ cause: reason, outcome: 'not-sent', run: { chargeUsd: 0.1 } });
    expect(told).toBe(reason);
    expect(asked).toHaveLength(1);
    expect(getEventListeners(stop.signal, 'abort')).toEqual([]);
  });

  test('with an AbortedError when the caller aborts during a request', async () => {
    const { gateway, mock } = onMock({ latencyMs: 1_000 });
    const stop = new AbortController();
    const run = gateway.chat.completions.run({ ...ask, tools: [] }, { signal: stop.signal });
    await mock.clock.advance(500);
    stop.abort();
    expect(await rejection(AbortedError, run)).toMatchObject({
      outcome: 'unknown',
      run: { rounds: [] },
    });
  });

  test('before it begins when its params cannot be right', async () => {
    const { asked, gateway } = model(done);
    const wrong: unknown[][] = [
      [undefined],
      [{ ...ask }],
      [{ ...ask, tools: 'all' }],
      [{ model: 'm', tools: [] }],
      [{ ...ask, tools: [{ ...tool('a'), parameters: {} }] }],
      [{ ...ask, tools: [] }, { maxRounds: -1 }],
      [{ ...ask, tools: [] }, { idempotencyKey: 'one-key' }],
    ];
    for (const [params, options] of wrong) {
      // What a caller without types may pass.
      const run = gateway.chat.completions.run(params as RunParams, options as RunOptions);
      await expect(run).rejects.toBeInstanceOf(ConfigurationError);
    }
    expect(asked).toEqual([]);
  });
});

test('each round is paid once: what may have been paid is never sent again', async () => {
  const { gateway, mock } = onMock({}, { maxRetries: 3 });
  mock.fail({ route: 'POST /v1/chat/completions', reset: 'after', times: 1 });
  const run = gateway.chat.completions.run({ ...ask, tools: [tool('get_weather')] });
  const error = await rejection(PolygateError, mock.clock.settle(run));
  expect(error).toMatchObject({ outcome: 'unknown', run: { chargeUsd: 0, rounds: [] } });
  expect(mock.requests).toHaveLength(1);
});
