import { describe, expect, test } from 'vitest';

import { musicBody, speechBody } from '../../../src/wire/schemas/bodies.ts';
import { musicParamsProblem, speechParamsProblem } from '../../../src/wire/types/media/audio.ts';

const missingText = 'text: is required';
const speed = 'speed: must be from 0.5 to 2';
const sampleRate = 'sample_rate: must be 32000 or 44100';

describe('speechParamsProblem', () => {
  test.each([
    [{ model: 'm', text: 'Hello' }, undefined],
    [{ model: 'm', input: 'Hello' }, undefined],
    [{ model: 'm', text: 'Hello', input: 'Hi' }, undefined],
    [{ model: 'm', text: '', input: 'Hi' }, undefined],
    [{ model: 'm', text: 'Hello <#0.5#> (laughs)' }, undefined],
    [{ model: 'm' }, missingText],
    [{ model: 'm', text: '', input: '' }, missingText],
    [{ model: 'm', text: null }, missingText],
    [{ model: 'm', text: 7 }, missingText],
  ])('for %j returns %s', (params, problem) => {
    expect(speechParamsProblem(params)?.join(': ')).toBe(problem);
  });

  test.each([
    [undefined, undefined],
    [0.5, undefined],
    [1, undefined],
    [2, undefined],
    [0.49, speed],
    [2.01, speed],
    [0, speed],
    [-1, speed],
    [Number.NaN, speed],
    [Number.POSITIVE_INFINITY, speed],
    ['1', speed],
    [null, speed],
  ])('for a speed of %s returns %s', (value, problem) => {
    expect(speechParamsProblem({ model: 'm', text: 'Hello', speed: value })?.join(': ')).toBe(
      problem,
    );
  });

  test.each([
    [undefined, undefined],
    [32_000, undefined],
    [44_100, undefined],
    [48_000, sampleRate],
    [0, sampleRate],
    ['32000', sampleRate],
    [null, sampleRate],
  ])('for a sample rate of %s returns %s', (value, problem) => {
    expect(speechParamsProblem({ model: 'm', text: 'Hello', sample_rate: value })?.join(': ')).toBe(
      problem,
    );
  });
});

describe('musicParamsProblem', () => {
  test.each([
    [{ model: 'm', prompt: 'A shanty' }, undefined],
    [{ model: 'm', prompt: 'A shanty', is_instrumental: true }, undefined],
    [{ model: 'm' }, 'prompt: is required'],
    [{ model: 'm', prompt: '' }, 'prompt: is required'],
    [{ model: 'm', prompt: null }, 'prompt: is required'],
    [{ model: 'm', lyrics: 'Heave ho' }, 'prompt: is required'],
  ])('for %j returns %s', (params, problem) => {
    expect(musicParamsProblem(params)?.join(': ')).toBe(problem);
  });
});

describe('musicBody and speechBody', () => {
  test.each([
    ['a text that is not a string', speechBody, { model: 'm', text: 7 }],
    ['timber weights that are not an array', speechBody, { model: 'm', timber_weights: {} }],
    [
      'a pronunciation dictionary that is an array',
      speechBody,
      { model: 'm', pronunciation_dict: [] },
    ],
    ['a boolean sent as a string', musicBody, { model: 'm', prompt: 'p', is_instrumental: 'yes' }],
    ['a missing model', musicBody, { prompt: 'A shanty' }],
  ])('reject %s', (_, schema, body) => {
    expect(schema.safeParse(body).success).toBe(false);
  });

  test('keep all fields, documented or not', () => {
    const body = {
      model: 'm',
      text: 'Hello',
      input: 'Hello',
      voice_id: 'v_1',
      voice: 'Ann',
      speed: 1.1,
      volume: 1,
      pitch: 0,
      emotion: 'wistful',
      language: 'auto',
      output_format: 'url',
      response_format: 'url',
      format: 'mp3',
      sample_rate: 44_100,
      pronunciation_dict: { quay: 'key' },
      timber_weights: [{ voice_id: 'v_1', weight: 60 }],
      subtitle_enable: false,
      metadata: { row: 17 },
      extra_body: { breath: true },
      audio_setting: { bitrate: 128_000 },
      vibrato: 3,
    };
    expect(speechBody.parse(body)).toEqual(body);
  });
});
