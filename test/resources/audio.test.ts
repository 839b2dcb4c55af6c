import { describe, expect, test } from 'vitest';

import { BadRequestError, ConfigurationError } from '../../src/index.ts';
import type { MusicParams, SpeechParams } from '../../src/index.ts';
import { onMock } from '../client/support.ts';
import { requests } from '../coverage/specification.ts';
import { difference, rows } from '../support/fields.ts';
import { rejection } from '../support/rejection.ts';

const music = { model: 'anthem-music', prompt: 'A shanty' };
const speech = { model: 'echo-speech', text: 'Ahoy', voice_id: 'calm-narrator' };

/** All documented fields. */
const allMusicFields = {
  ...music,
  lyrics: 'Haul away',
  lyrics_optimizer: true,
  is_instrumental: false,
  audio_setting: { bitrate: 256_000 },
} satisfies MusicParams;
const allSpeechFields = {
  ...speech,
  input: 'Ahoy there',
  voice: 'alloy',
  speed: 1.25,
  volume: 3,
  pitch: -2,
  emotion: 'happy',
  language: 'English',
  output_format: 'url',
  response_format: 'url',
  format: 'mp3',
  sample_rate: 44_100,
  pronunciation_dict: { tone: ['quay/(key)'] },
  timber_weights: [{ voice_id: 'bright-host', weight: 30 }],
  subtitle_enable: true,
  metadata: { row: 7 },
  extra_body: { seed: 1 },
  audio_setting: { channel: 2 },
} satisfies SpeechParams;

describe('audio.music', () => {
  test('posts to /v1/audio/tasks and resolves to the finished generation', async () => {
    const { gateway, mock } = onMock();
    const generation = await mock.clock.settle(gateway.audio.music.generate(music));
    expect(mock.requests[0]).toMatchObject({
      method: 'POST',
      path: '/v1/audio/tasks',
      search: '',
      body: music,
      headers: {
        authorization: `Bearer ${mock.apiKey}`,
        'content-type': 'application/json',
        'x-idempotency-key': expect.stringMatching(/^[!-~]{1,200}$/),
      },
    });
    expect(mock.requests.at(-1)).toMatchObject({
      method: 'GET',
      path: `/v1/audio/tasks/${generation.id}`,
      search: '',
      bodyText: '',
    });
    expect(generation).toMatchObject({ kind: 'audio', status: 'succeeded', progress: 100 });
    expect((await mock.fetch(generation.urls[0])).headers.get('content-type')).toBe('audio/wav');
  });

  test.each(rows(requests['Music body']))('sends %s unchanged', async (_, field) => {
    const { gateway, mock } = onMock();
    await gateway.audio.music.submit(allMusicFields);
    expect(
      difference(field, [{ read: mock.requests[0]?.body, sent: allMusicFields }]),
    ).toBeUndefined();
    expect(mock.requests[0]?.body).toEqual(allMusicFields);
  });

  test('is billed per output', async () => {
    const { gateway, mock } = onMock();
    const task = await gateway.audio.music.submit({ ...music, lyrics: 'x'.repeat(500) });
    expect(mock.invoice.map(({ usd }) => usd)).toEqual([0.03]);
    expect(task.chargeUsd).toBe(0.03);
  });

  test.each([
    ['no params', undefined, 'params'],
    ['no model', { prompt: 'A shanty' }, 'model'],
    ['no prompt', { model: 'anthem-music' }, 'prompt'],
    ['an empty prompt', { ...music, prompt: '' }, 'prompt'],
    ['a prompt that is not a string', { ...music, prompt: 7 }, 'prompt'],
  ])('rejects %s before sending a request', async (_, params, field) => {
    const { gateway, mock } = onMock();
    const untyped = params as MusicParams;
    for (const call of ['submit', 'generate'] as const) {
      const error = await rejection(
        ConfigurationError,
        Promise.resolve<unknown>(gateway.audio.music[call](untyped)),
      );
      expect(error.message).toContain(field);
    }
    expect(mock.requests).toEqual([]);
  });

  test('accepts missing lyrics, which are only recommended', async () => {
    const { gateway, mock } = onMock();
    await gateway.audio.music.submit({ ...music, is_instrumental: false });
    expect(mock.requests[0]?.status).toBe(202);
  });
});

describe('audio.speech', () => {
  test('posts to /v1/audio/tasks and resolves to the finished generation', async () => {
    const { gateway, mock } = onMock();
    const generation = await mock.clock.settle(gateway.audio.speech.generate(speech));
    expect(mock.requests[0]).toMatchObject({
      method: 'POST',
      path: '/v1/audio/tasks',
      body: speech,
    });
    expect(generation).toMatchObject({ kind: 'audio', status: 'succeeded' });
    expect(generation.urls).toHaveLength(1);
  });

  test.each(rows(requests['Speech body']))('sends %s unchanged', async (_, field) => {
    const { gateway, mock } = onMock();
    await gateway.audio.speech.submit(allSpeechFields);
    expect(
      difference(field, [{ read: mock.requests[0]?.body, sent: allSpeechFields }]),
    ).toBeUndefined();
    expect(mock.requests[0]?.body).toEqual(allSpeechFields);
    expect(mock.requests[0]?.status).toBe(202);
  });

  test.each([
    ['only text', { text: 'Ahoy' }],
    ['only input', { input: 'Ahoy' }],
    ['both', { text: 'Ahoy', input: 'Ahoy there' }],
    ['an empty text and an input', { text: '', input: 'Ahoy' }],
    ['markup', { text: 'Ahoy <#0.5#> (laughs) there (sighs)' }],
  ])('accepts %s', async (_, fields) => {
    const { gateway, mock } = onMock();
    const params = { model: 'echo-speech', voice_id: 'calm-narrator', ...fields } as SpeechParams;
    await gateway.audio.speech.submit(params);
    expect(mock.requests[0]).toMatchObject({ body: params, status: 202 });
  });

  test.each([
    ['happy', 'Chinese'],
    ['sad', 'English'],
    ['angry', 'Japanese'],
    ['fearful', 'auto'],
    ['disgusted', 'Korean'],
    ['surprised', 'auto'],
    ['neutral', 'auto'],
    ['wistful', 'Klingon'],
  ])('sends the emotion %s and the language %s unchanged', async (emotion, language) => {
    const { gateway, mock } = onMock();
    await gateway.audio.speech.submit({ ...speech, emotion, language });
    expect(mock.requests[0]?.body).toMatchObject({ emotion, language });
  });

  test.each([0.5, 1, 2])('accepts the speed %d', async (speed) => {
    const { gateway, mock } = onMock();
    await gateway.audio.speech.submit({ ...speech, speed });
    expect(mock.requests[0]).toMatchObject({ body: { speed }, status: 202 });
  });

  test.each([32_000, 44_100] as const)('accepts the sample rate %d', async (rate) => {
    const { gateway, mock } = onMock();
    await gateway.audio.speech.submit({ ...speech, sample_rate: rate });
    expect(mock.requests[0]).toMatchObject({ body: { sample_rate: rate }, status: 202 });
  });

  test.each([
    ['no text', { text: undefined }, 'text'],
    ['empty text', { text: '', input: '' }, 'text'],
    ['text that is not a string', { text: 7 }, 'text'],
    ['a speed below 0.5', { speed: 0.49 }, 'speed'],
    ['a speed above 2', { speed: 2.01 }, 'speed'],
    ['a speed that is not a number', { speed: Number.NaN }, 'speed'],
    ['a speed given as a string', { speed: '1' }, 'speed'],
    ['a sample rate of 48000', { sample_rate: 48_000 }, 'sample_rate'],
    ['a sample rate given as a string', { sample_rate: '44100' }, 'sample_rate'],
    ['no model', { model: undefined }, 'model'],
  ])('rejects %s before sending a request', async (_, change, field) => {
    const { gateway, mock } = onMock();
    const untyped = { ...speech, ...change } as unknown as SpeechParams;
    const error = await rejection(
      ConfigurationError,
      Promise.resolve(gateway.audio.speech.submit(untyped)),
    );
    expect(error.message).toContain(field);
    expect(mock.requests).toEqual([]);
  });

  test.each([
    ['no voice', { voice_id: undefined }],
    ['a voice that the caller cannot see', { voice_id: 'private-voice' }],
    [
      'a voice that is incompatible with the model',
      { model: 'echo-speech-hd', voice_id: 'radio-tokyo' },
    ],
    ['a mix with an unknown voice', { timber_weights: [{ voice_id: 'unknown-voice', weight: 1 }] }],
    ['an unknown file format', { format: 'tape' }],
  ])('sends %s, which the service rejects with invalid_request_parameter', async (_, change) => {
    const { gateway, mock } = onMock();
    const params = { ...speech, ...change };
    const error = await rejection(
      BadRequestError,
      Promise.resolve(gateway.audio.speech.submit(params)),
    );
    expect(error).toMatchObject({ code: 'invalid_request_parameter', outcome: 'rejected' });
    expect(mock.invoice).toEqual([]);
  });

  test('is billed per character, including spaces, line breaks, punctuation and emoji', async () => {
    const { gateway, mock } = onMock();
    await gateway.audio.speech.submit({ ...speech, text: 'Ahoy, 你好!\n🚢 👋' });
    expect(mock.invoice[0]?.usd).toBeCloseTo(13 * 0.00003, 12);
  });
});
