import { isStepCount, Output, streamText, tool, toUIMessageStream } from 'ai';
import type { Fault } from 'polygate/mock';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';

import { caught, drain } from '../../client/support.ts';
import { eventually } from '../../support/eventually.ts';
import { onProvider } from './support.ts';

const route = 'POST /v1/chat/completions';

/** Streams a chat to its end, with a fault if there is one. */
async function streamOnce(fault?: Omit<Fault, 'route'>) {
  const { mock, polygate } = onProvider({ clock: 'system' });
  if (fault) mock.fail({ route, ...fault });
  const errors: any[] = [];
  const result = streamText({
    model: polygate('aurora-chat'),
    prompt: 'Describe a harbor at dawn',
    onError: ({ error }) => void errors.push(error),
  });
  const parts: any[] = await drain(result.stream);
  return { mock, result, errors, parts, types: parts.map(({ type }) => type) };
}

describe('streamText', () => {
  test('streams the text, and reports usage and the charge at the end', async () => {
    const { mock, result, errors, parts } = await streamOnce();
    expect(parts.at(-1)).toMatchObject({ type: 'finish', finishReason: 'stop' });
    expect(await result.text).toContain('Describe a harbor at dawn');
    expect((await result.usage).totalTokens).toBeGreaterThan(0);
    expect((await result.finalStep).providerMetadata).toMatchObject({
      polygate: { chargeUsd: mock.invoice[0]?.usd, requestId: mock.invoice[0]?.requestId },
    });
    expect(errors).toEqual([]);
  });

  test('streams tool calls over several steps', async () => {
    const { mock, polygate } = onProvider({ clock: 'system' });
    const result = streamText({
      model: polygate('aurora-chat'),
      prompt: 'What is the weather in Lisbon?',
      tools: {
        get_weather: tool({
          inputSchema: z.object({ city: z.string() }),
          execute: ({ city }) => `sunny in ${city}`,
        }),
      },
      stopWhen: isStepCount(5),
    });
    expect(await result.text).toContain('sunny in');
    expect(mock.invoice).toHaveLength(2);
  });

  test.each(['cutStreamAfter', 'streamErrorAfter'] as const)(
    'a tool call that %s interrupts is not executed, and no other request follows',
    async (fault) => {
      // The fifth event has the finish reason, after which the stream is complete.
      for (const events of [1, 2, 3, 4]) {
        const { mock, polygate } = onProvider({ clock: 'system' });
        mock.fail({ route, [fault]: events });
        let executions = 0;
        const result = streamText({
          model: polygate('aurora-chat'),
          prompt: 'What is the weather in Lisbon?',
          tools: {
            get_weather: tool({
              inputSchema: z.object({ city: z.string() }),
              execute: () => (executions += 1),
            }),
          },
          stopWhen: isStepCount(5),
          onError: () => undefined,
        });
        expect([events, await result.finishReason, executions]).toEqual([events, 'error', 0]);
        expect(mock.invoice).toHaveLength(1);
      }
    },
  );

  test('streams structured output', async () => {
    const { polygate } = onProvider({ clock: 'system' });
    const schema = z.object({ name: z.string() });
    const result = streamText({
      model: polygate('aurora-chat'),
      prompt: 'Ada',
      output: Output.object({ schema }),
    });
    expect(schema.safeParse((await drain(result.partialOutputStream)).at(-1)).success).toBe(true);
  });

  test('a truncated stream ends in an error part, and never with finish reason stop', async () => {
    const { mock, result, errors, parts, types } = await streamOnce({ cutStreamAfter: 3 });
    expect(types).toContain('text-delta');
    expect(types.filter((type) => type === 'error')).toHaveLength(1);
    expect(parts.find(({ type }) => type === 'error').error).toMatchObject({
      name: 'StreamTruncatedError',
      outcome: 'unknown',
    });
    expect(errors).toMatchObject([{ name: 'StreamTruncatedError' }]);
    expect(await result.finishReason).toBe('error');
    // It was charged all the same.
    expect((await result.finalStep).providerMetadata).toMatchObject({
      polygate: { chargeUsd: mock.invoice[0]?.usd },
    });
    expect(mock.requests).toHaveLength(1);
  });

  test('the page of a truncated stream receives an error', async () => {
    const { polygate, mock } = onProvider({ clock: 'system' });
    mock.fail({ route, cutStreamAfter: 3 });
    const result = streamText({
      model: polygate('aurora-chat'),
      prompt: 'Hello',
      onError: () => undefined,
    });
    const chunks = await drain(
      toUIMessageStream({
        stream: result.stream,
        onError: (error) => (error as Error).name,
      }),
    );
    expect(chunks).toContainEqual({ type: 'error', errorText: 'StreamTruncatedError' });
    expect(chunks.at(-1)).toEqual({ type: 'finish', finishReason: 'error' });
  });

  test('an error object in the stream is a StreamError with its code and the charge', async () => {
    const { errors, result } = await streamOnce({ streamErrorAfter: 3 });
    expect(errors).toMatchObject([
      { name: 'StreamError', code: 'internal_error', meta: { chargeUsd: expect.any(Number) } },
    ]);
    expect(errors[0].message).toContain('may have been charged');
    expect(await result.finishReason).toBe('error');
  });

  test('an event that is not a chunk is a StreamError', async () => {
    const { mock, errors, result } = await streamOnce({ malformed: true });
    expect(errors.length).toBeGreaterThan(0);
    expect(errors[0]).toMatchObject({ name: 'StreamError', outcome: 'unknown' });
    expect(errors[0].message.length).toBeLessThan(500);
    expect(await result.finishReason).toBe('error');
    expect(mock.invoice).toHaveLength(1);
  });

  test.each([
    ['a connection that is lost after acceptance', { reset: 'after' }, 'ConnectionError'],
    ['a 502 after acceptance', { status: 502, handled: true }, 'ServerError'],
  ] as const)('%s is reported once and charged once', async (_, fault, name) => {
    const { mock, errors, types } = await streamOnce(fault);
    expect(types).toContain('error');
    expect(errors).toMatchObject([{ name, outcome: 'unknown' }]);
    expect(mock.requests).toHaveLength(1);
    expect(mock.invoice).toHaveLength(1);
  });

  test.each([
    ['without a reason', undefined],
    ['with a reason', 'the user left'],
  ])('an abort %s ends the stream with an abort part and frees the slot', async (_, reason) => {
    const { mock, gateway, polygate } = onProvider({ clock: 'system', chunkDelayMs: 20 });
    const controller = new AbortController();
    const errors: unknown[] = [];
    const result = streamText({
      model: polygate('aurora-chat'),
      prompt: 'Describe a harbor at dawn',
      abortSignal: controller.signal,
      onError: ({ error }) => void errors.push(error),
    });
    const types: string[] = [];
    for await (const { type } of result.stream) {
      types.push(type);
      if (type === 'text-delta') controller.abort(reason);
    }
    expect(types.at(-1)).toBe('abort');
    expect(errors).toEqual([]);
    await eventually(() => expect(gateway.concurrency.inFlight).toBe(0));
    expect(mock.invoice).toHaveLength(1);
  });

  test('the stream of a model fails with an AbortError when it is aborted', async () => {
    const { polygate } = onProvider({ clock: 'system', chunkDelayMs: 20 });
    const controller = new AbortController();
    const { stream } = await polygate('aurora-chat').doStream({
      prompt: [{ role: 'user', content: [{ type: 'text', text: 'Hello' }] }],
      abortSignal: controller.signal,
    });
    controller.abort('the user left');
    expect(await caught(drain(stream))).toMatchObject({ name: 'AbortError' });
  });

  test('a stream that the reader cancels frees its slot', async () => {
    const { gateway, polygate } = onProvider({ clock: 'system', chunkDelayMs: 20 });
    const { stream } = await polygate('aurora-chat').doStream({
      prompt: [{ role: 'user', content: [{ type: 'text', text: 'Hello' }] }],
    });
    expect(gateway.concurrency.inFlight).toBe(1);
    await stream.cancel();
    await eventually(() => expect(gateway.concurrency.inFlight).toBe(0));
  });
});
