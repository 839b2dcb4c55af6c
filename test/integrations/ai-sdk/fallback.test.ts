import { experimental_generateVideo, generateImage, generateText, streamText } from 'ai';
import { ConfigurationError } from 'polygate';
import { describe, expect, test } from 'vitest';

import { caught } from '../../client/support.ts';
import { onProvider } from './support.ts';

const down = { status: 503 } as const;
const prompt = 'Hello';
const chatFallback = { polygate: { fallback: ['aurora-reasoner'] } };

describe('providerOptions.polygate.fallback', () => {
  test('is the next model of a chat, streamed or not', async () => {
    const { mock, polygate, settle } = onProvider({}, { maxRetries: 0, fallbackCooldown: 0 });
    mock.fail({ model: 'aurora-chat', ...down });
    const call = { model: polygate('aurora-chat'), prompt, providerOptions: chatFallback };
    const result = await settle(generateText(call));
    expect(result.finalStep.response.modelId).toBe('aurora-reasoner');
    expect(await settle(streamText(call).text)).toContain('You said: Hello');
    expect(mock.invoice.map(({ model }) => model)).toEqual(['aurora-reasoner', 'aurora-reasoner']);
    expect(mock.requests.map(({ bodyText }) => bodyText).join()).not.toContain('fallback');
  });

  test('is not used after a response that may have been charged', async () => {
    const { mock, polygate, settle } = onProvider({}, { maxRetries: 0 });
    mock.fail({ model: 'aurora-chat', status: 500, handled: true });
    const call = { model: polygate('aurora-chat'), prompt, providerOptions: chatFallback };
    expect(await settle(caught(generateText(call)))).toMatchObject({ outcome: 'unknown' });
    expect(mock.requests).toHaveLength(1);
  });

  test('is the next model of an image, which the response names', async () => {
    const { mock, polygate, settle } = onProvider({}, { maxRetries: 0 });
    mock.fail({ model: 'prism-image', ...down });
    const { calls } = await settle(
      generateImage({
        model: polygate.image('prism-image'),
        prompt,
        providerOptions: { polygate: { fallback: ['prism-sketch'] } },
      }),
    );
    expect(calls.map(({ response }) => response.modelId)).toEqual(['prism-sketch']);
    expect(mock.invoice.map(({ model }) => model)).toEqual(['prism-sketch']);
  });

  test('must be a list of model ids', async () => {
    const { mock, polygate, settle } = onProvider();
    const providerOptions = { polygate: { fallback: 'aurora-reasoner' } };
    const calls = [
      () => generateText({ model: polygate('aurora-chat'), prompt, providerOptions }),
      () => generateImage({ model: polygate.image('prism-image'), prompt, providerOptions }),
      () =>
        experimental_generateVideo({
          model: polygate.video('tide-video'),
          prompt,
          providerOptions,
        }),
    ];
    for (const call of calls) {
      expect(ConfigurationError.is(await settle(caught(call())))).toBe(true);
    }
    expect(mock.requests).toEqual([]);
  });
});
