import {
  experimental_generateVideo,
  generateImage,
  generateSpeech,
  generateText,
  streamText,
} from 'ai';
import { ConfigurationError } from 'polygate';
import { expect, test } from 'vitest';

import { caught } from '../../client/support.ts';
import { onProvider } from './support.ts';

const prompt = 'Hello';

test.each(['timeout', 'totalTimeout', 'maxRetries', 'headers', 'requestId', 'extraBody'])(
  'providerOptions.polygate.%s is refused by every model, and nothing is sent',
  async (name) => {
    const { mock, polygate, settle } = onProvider();
    const providerOptions = { polygate: { [name]: 5 } };
    const streamed = async () => {
      const errors: unknown[] = [];
      const onError = ({ error }: { error: unknown }) => void errors.push(error);
      await streamText({
        model: polygate('aurora-chat'),
        prompt,
        providerOptions,
        onError,
      }).consumeStream();
      throw errors[0];
    };
    const calls = [
      () => generateText({ model: polygate('aurora-chat'), prompt, providerOptions }),
      streamed,
      () => generateImage({ model: polygate.image('prism-image'), prompt, providerOptions }),
      () =>
        generateSpeech({
          model: polygate.speech('echo-speech'),
          text: prompt,
          voice: 'system_1',
          providerOptions,
        }),
      () =>
        experimental_generateVideo({
          model: polygate.video('tide-video'),
          prompt,
          providerOptions,
        }),
    ];
    for (const call of calls) {
      const error = await settle(caught(call()));
      expect(ConfigurationError.is(error)).toBe(true);
      expect(error.message).toContain(
        `providerOptions.polygate.${name}: is an option of the call, not a field of the body. Pass abortSignal`,
      );
    }
    expect(mock.requests).toEqual([]);
  },
);
