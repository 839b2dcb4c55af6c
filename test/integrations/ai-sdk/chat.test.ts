import { generateText, isStepCount, Output, tool, wrapLanguageModel } from 'ai';
import { assert, describe, expect, test } from 'vitest';
import { z } from 'zod';

import { bodyOf, onProvider } from './support.ts';

const path = '/v1/chat/completions';
const weather = tool({
  description: 'Get the weather in a city',
  inputSchema: z.object({ city: z.string() }),
  execute: async ({ city }) => `sunny in ${city}`,
});

describe('generateText', () => {
  test('returns the text, the usage and the charge', async () => {
    const { mock, polygate, settle } = onProvider();
    const result = await settle(generateText({ model: polygate('aurora-chat'), prompt: 'Hello' }));
    const [line] = mock.invoice;
    expect(result.text).toContain('You said: Hello');
    expect(result.finishReason).toBe('stop');
    expect(result.usage.totalTokens).toBeGreaterThan(0);
    expect(result.finalStep.providerMetadata?.polygate).toEqual({
      chargeUsd: line?.usd,
      requestId: line?.requestId,
      replayed: false,
    });
    expect(result.warnings).toEqual([]);
  });

  test('runs tools over several steps, each of which is charged once', async () => {
    const { mock, polygate, settle } = onProvider();
    const result = await settle(
      generateText({
        model: polygate('aurora-chat'),
        prompt: 'What is the weather in Lisbon?',
        tools: { get_weather: weather },
        stopWhen: isStepCount(5),
      }),
    );
    expect(result.text).toContain('sunny in');
    expect(result.steps).toHaveLength(2);
    const charges = result.steps.map(
      ({ providerMetadata }) => providerMetadata?.polygate?.chargeUsd,
    );
    expect(charges).toEqual(mock.invoice.map(({ usd }) => usd));
    expect(mock.invoice).toHaveLength(2);
  });

  test('requests structured output as a JSON schema', async () => {
    const { mock, polygate, settle } = onProvider();
    const schema = z.object({ animal: z.string(), legs: z.number() });
    const result = await settle(
      generateText({
        model: polygate('aurora-chat'),
        prompt: 'A fox',
        output: Output.object({ schema }),
      }),
    );
    expect(schema.safeParse(result.output).success).toBe(true);
    expect(bodyOf(mock, path)).toMatchObject({
      response_format: {
        type: 'json_schema',
        json_schema: { schema: { properties: { animal: { type: 'string' } } } },
      },
    });
    expect(result.warnings).toEqual([]);
  });

  test('passes the URL of an image on, and sends image data in the message', async () => {
    const { mock, polygate, settle } = onProvider();
    const content = [
      { type: 'text' as const, text: 'Compare' },
      { type: 'image' as const, image: new URL('https://files.example/a.png') },
      { type: 'image' as const, image: new Uint8Array([137, 80, 78, 71]), mediaType: 'image/png' },
    ];
    const messages = [{ role: 'user' as const, content }];
    await settle(generateText({ model: polygate('aurora-chat'), messages }));
    expect(bodyOf(mock, path)).toMatchObject({
      messages: [
        {
          content: [
            { type: 'text' },
            { image_url: { url: 'https://files.example/a.png' } },
            { image_url: { url: 'data:image/png;base64,iVBORw==' } },
          ],
        },
      ],
    });
  });

  test('passes provider options into the body, and standard settings by their names', async () => {
    const { mock, polygate, settle } = onProvider();
    await settle(
      generateText({
        model: polygate('aurora-chat'),
        prompt: 'Hello',
        temperature: 0.2,
        maxOutputTokens: 50,
        providerOptions: { polygate: { extra_body: { image_config: {} }, top_k: 40 } },
      }),
    );
    expect(bodyOf(mock, path)).toMatchObject({
      model: 'aurora-chat',
      temperature: 0.2,
      max_tokens: 50,
      extra_body: { image_config: {} },
      top_k: 40,
    });
  });

  test('warns about settings without effect, such as an idempotency key', async () => {
    const { mock, polygate, settle } = onProvider();
    const result = await settle(
      generateText({
        model: polygate('aurora-chat'),
        prompt: 'Hello',
        topK: 5,
        providerOptions: { polygate: { idempotencyKey: 'order-1' } },
      }),
    );
    expect(result.warnings).toEqual(
      expect.arrayContaining([
        { type: 'unsupported', feature: 'topK' },
        { type: 'unsupported', feature: 'idempotencyKey' },
      ]),
    );
    expect(bodyOf(mock, path)).not.toHaveProperty('idempotencyKey');
  });

  test('sends headers of the call, but no credentials of the caller', async () => {
    const { mock, polygate, settle } = onProvider();
    const headers = { 'x-tenant': 'ann', authorization: 'Bearer other' };
    await settle(generateText({ model: polygate('aurora-chat'), prompt: 'Hello', headers }));
    expect(mock.requests[0]?.headers).toMatchObject({
      'x-tenant': 'ann',
      authorization: `Bearer ${mock.apiKey}`,
    });
  });

  test('works with middleware', async () => {
    const { mock, polygate, settle } = onProvider();
    const model = wrapLanguageModel({
      model: polygate('aurora-chat'),
      middleware: {
        specificationVersion: 'v4',
        transformParams: async ({ params }) => ({ ...params, temperature: 0.7 }),
      },
    });
    const result = await settle(generateText({ model, prompt: 'Hello' }));
    expect(bodyOf(mock, path)).toMatchObject({ temperature: 0.7 });
    expect(result.finalStep.providerMetadata?.polygate?.chargeUsd).toBe(mock.invoice[0]?.usd);
  });

  test('an abort while the service works is an abort for the AI SDK, and is not retried', async () => {
    const { mock, polygate } = onProvider({ clock: 'system' });
    mock.fail({ route: `POST ${path}`, stallHeaders: true });
    const controller = new AbortController();
    const result = generateText({
      model: polygate('aurora-chat'),
      prompt: 'Hello',
      abortSignal: controller.signal,
    });
    setImmediate(() => controller.abort('the user left'));
    await expect(result).rejects.toMatchObject({
      name: 'AbortError',
      outcome: 'unknown',
      cause: 'the user left',
    });
    expect(mock.requests.length).toBeLessThan(2);
  });

  test('a timeout of the AI SDK is a TimeoutError', async () => {
    const { mock, polygate } = onProvider({ clock: 'system' });
    mock.fail({ route: `POST ${path}`, stallHeaders: true });
    const call = generateText({ model: polygate('aurora-chat'), prompt: 'Hello', timeout: 20 });
    await expect(call).rejects.toMatchObject({
      name: 'TimeoutError',
      outcome: 'unknown',
    });
    expect(mock.requests.length).toBeLessThan(2);
  });

  test('an error of the AI SDK before the request stays as it is', async () => {
    const { mock, polygate } = onProvider();
    const file = { type: 'file' as const, data: 'AAAA', mediaType: 'font/woff' };
    const messages = [{ role: 'user' as const, content: [file] }];
    const failure = await generateText({ model: polygate('aurora-chat'), messages }).catch(
      (error: unknown) => error,
    );
    assert(failure instanceof Error);
    expect(failure.name).toBe('AI_UnsupportedFunctionalityError');
    expect(mock.requests).toEqual([]);
  });
});
