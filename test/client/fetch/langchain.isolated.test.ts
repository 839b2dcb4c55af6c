import { HumanMessage } from '@langchain/core/messages';
import { tool } from '@langchain/core/tools';
import { ChatOpenAI } from '@langchain/openai';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';

import { StreamTruncatedError } from '../../../src/index.ts';
import type { PolygateOptions } from '../../../src/index.ts';
import type { Fault } from '../../../src/mock/index.ts';
import { eventually } from '../../support/eventually.ts';
import { caught, onMock } from '../support.ts';

/** LangChain.js over a client of the reference gateway. */
function langchainOn(
  fault?: Fault,
  options: PolygateOptions = {},
  modelOptions: { timeout?: number } = {},
) {
  const { mock, gateway } = onMock({}, options);
  if (fault) mock.fail(fault);
  const model = new ChatOpenAI({
    model: 'aurora-chat',
    apiKey: 'unused',
    maxRetries: 0,
    ...modelOptions,
    configuration: { baseURL: `${gateway.baseURL}/v1`, fetch: gateway.fetch },
  });
  return { mock, gateway, model };
}

describe('LangChain.js', () => {
  test('reports its own timeout as a timeout', async () => {
    const { mock, gateway, model } = langchainOn({ stallHeaders: true }, {}, { timeout: 5 });
    expect((await caught(model.invoke('Hello'))).name).toBe('TimeoutError');
    expect(gateway.concurrency.inFlight).toBe(0);
    expect(mock.inFlight).toBe(0);
  });

  // LangChain passes on the timeout of a call as a signal. Over the global `fetch`, this is an abort as well.
  test('reports the timeout of a call as an abort', async () => {
    const { mock, model } = langchainOn({ stallHeaders: true });
    expect((await caught(model.invoke('Hello', { timeout: 5 }))).name).toBe('AbortError');
    expect(mock.inFlight).toBe(0);
  });

  test('reports an abort of the user as an abort', async () => {
    const { mock, model } = langchainOn({ stallHeaders: true });
    const stop = new AbortController();
    const error = caught(model.invoke('Hello', { signal: stop.signal }));
    await eventually(() => expect(mock.inFlight).toBe(1));
    stop.abort();
    expect((await error).name).toBe('AbortError');
    expect(mock.inFlight).toBe(0);
  });

  test('chats', async () => {
    const { mock, gateway, model } = langchainOn();
    const message = await model.invoke([new HumanMessage('Hello')]);
    expect(message.text).toContain('You said: Hello');
    expect(message.usage_metadata).toMatchObject({ total_tokens: expect.any(Number) });
    expect(mock.invoice).toHaveLength(1);
    expect(gateway.spend.totalUsd).toBe(mock.invoice[0]?.usd);
  });

  test('streams', async () => {
    const { mock, gateway, model } = langchainOn();
    let text = '';
    for await (const chunk of await model.stream('Hello')) text += chunk.text;
    expect(text).toContain('You said: Hello');
    expect(gateway.concurrency.inFlight).toBe(0);
    expect(mock.invoice).toHaveLength(1);
  });

  test('calls a tool, and answers with its result', async () => {
    const { mock, model } = langchainOn();
    const weather = tool(async ({ city }) => `It is sunny in ${city}`, {
      name: 'get_weather',
      description: 'The weather in a city',
      schema: z.object({ city: z.string() }),
    });
    const question = new HumanMessage('The weather in Lisbon?');
    const withTools = model.bindTools([weather]);
    const answer = await withTools.invoke([question], { tool_choice: 'required' });
    const [call] = answer.tool_calls ?? [];
    expect(call?.name).toBe('get_weather');
    if (!call) return;
    const result = await weather.invoke({ ...call, type: 'tool_call' });
    const final = await withTools.invoke([question, answer, result]);
    expect(final.text).toContain('sunny');
    expect(mock.invoice).toHaveLength(2);
  });

  test.each(['reset', 'end'] as const)('surfaces a truncated stream: %s', async (cut) => {
    const { mock, gateway, model } = langchainOn({ cutStreamAfter: 2, cut });
    const error = await caught(
      (async () => {
        let text = '';
        for await (const chunk of await model.stream('Hello')) text += chunk.text;
        return text;
      })(),
    );
    expect(error).toBeInstanceOf(StreamTruncatedError);
    expect(mock.requests).toHaveLength(1);
    expect(mock.invoice).toHaveLength(1);
    expect(gateway.concurrency.inFlight).toBe(0);
  });

  test.each<[Fault, number, number]>([
    [{ status: 402 }, 1, 0],
    [{ status: 502, handled: true }, 1, 1],
    [{ reset: 'after' }, 1, 1],
    [{ status: 503 }, 4, 0],
  ])('reports %o after %d requests and %d charges', async (fault, requests, charges) => {
    const { mock, gateway, model } = langchainOn(fault);
    const error = await mock.clock.settle(caught(model.invoke('Hello')));
    expect(error).toBeInstanceOf(Error);
    expect(mock.requests).toHaveLength(requests);
    expect(mock.invoice).toHaveLength(charges);
    expect(gateway.concurrency.inFlight).toBe(0);
  });
});
