import { generateSpeech } from 'ai';
import { expect, test } from 'vitest';

import { bodyOf, metadataFor, onProvider } from './support.ts';

const path = '/v1/audio/tasks';
const speech = { text: 'Hello', voice: 'calm-narrator' };

test('generateSpeech returns the audio and the charge of one task', async () => {
  const { mock, polygate, settle } = onProvider();
  const result = await settle(generateSpeech({ model: polygate.speech('echo-speech'), ...speech }));
  const [line] = mock.invoice;
  expect(new TextDecoder('latin1').decode(result.audio.uint8Array.slice(0, 4))).toBe('RIFF');
  expect(result.audio.mediaType).toBe('audio/wav');
  expect(result.warnings).toEqual([]);
  expect(result.providerMetadata).toEqual({ polygate: metadataFor(line) });
  expect(mock.invoice).toHaveLength(1);
});

test('generateSpeech names raw audio by the content type of the file', async () => {
  const { polygate, settle } = onProvider({}, {}, (fetch) => async (input, init) => {
    const response = await fetch(input, init);
    if (response.headers.get('content-type') !== 'audio/wav') return response;
    // Without a header that shows what the samples are.
    return new Response(new Uint8Array(100), {
      headers: { 'content-type': 'audio/L16;rate=24000' },
    });
  });
  const result = await settle(generateSpeech({ model: polygate.speech('echo-speech'), ...speech }));
  expect(result.audio.mediaType).toBe('audio/l16');
  const [{ headers = {} } = {}] = result.responses;
  expect(headers).toMatchObject({
    'content-type': 'audio/L16;rate=24000',
    'x-svc-charge-usd': expect.any(String),
  });
});

test('generateSpeech maps text, voice and speed, and merges provider options last', async () => {
  const { mock, polygate, settle } = onProvider();
  const providerOptions = { polygate: { emotion: 'happy', speed: 1.5 } };
  const model = polygate.speechModel('echo-speech');
  await settle(generateSpeech({ model, ...speech, speed: 1.2, providerOptions }));
  expect(bodyOf(mock, path)).toEqual({
    model: 'echo-speech',
    text: 'Hello',
    voice_id: 'calm-narrator',
    speed: 1.5,
    emotion: 'happy',
  });
});

test('generateSpeech warns about settings that the service does not have', async () => {
  const { mock, polygate, settle } = onProvider();
  const settings = { outputFormat: 'mp3', instructions: 'Slowly', language: 'en' };
  const model = polygate.speech('echo-speech');
  const { warnings } = await settle(generateSpeech({ model, ...speech, ...settings }));
  const features = ['outputFormat', 'instructions', 'language'];
  expect(warnings).toEqual(features.map((feature) => ({ type: 'unsupported', feature })));
  expect(Object.keys(bodyOf(mock, path) as object)).toEqual(['model', 'text', 'voice_id']);
});

test('generateSpeech is charged once for one idempotency key', async () => {
  const { mock, polygate, settle } = onProvider();
  const providerOptions = { polygate: { idempotencyKey: 'order-17' } };
  const model = polygate.speech('echo-speech');
  await settle(generateSpeech({ model, ...speech, providerOptions }));
  await settle(generateSpeech({ model, ...speech, providerOptions }));
  expect(mock.invoice).toMatchObject([{ idempotencyKey: 'order-17' }]);
});

test('a speed that the service does not accept is rejected before anything is sent', async () => {
  const { mock, polygate } = onProvider();
  const call = generateSpeech({ model: polygate.speech('echo-speech'), ...speech, speed: 9 });
  await expect(call).rejects.toMatchObject({ name: 'ConfigurationError' });
  expect(mock.requests).toEqual([]);
});
