import { describe, expect, test } from 'vitest';

import { voiceCloneBody, voiceDesignBody } from '../../../src/wire/schemas/bodies.ts';
import {
  voiceCloneParamsProblem,
  voiceDesignParamsProblem,
} from '../../../src/wire/types/media/voices.ts';

describe('voiceCloneParamsProblem', () => {
  test.each([
    [{ audio_url: 'https://host.example/ann.mp3' }, undefined],
    [{ audio_url: 'https://host.example/ann.mp3', accuracy: 'high' }, undefined],
    [{}, 'audio_url: is required'],
    [{ audio_url: '' }, 'audio_url: is required'],
    [{ audio_url: 7 }, 'audio_url: is required'],
  ])('for %j returns %s', (params, problem) => {
    expect(voiceCloneParamsProblem(params)?.join(': ')).toBe(problem);
  });
});

describe('voiceDesignParamsProblem', () => {
  test.each([
    [{ prompt: 'A calm sailor', preview_text: 'Ahoy' }, undefined],
    [{ prompt: 'A calm sailor', text: 'Ahoy' }, undefined],
    [{ prompt: 'A calm sailor', preview_text: 'Ahoy', text: 'Hello' }, undefined],
    [{ preview_text: 'Ahoy' }, 'prompt: is required'],
    [{ prompt: '', preview_text: 'Ahoy' }, 'prompt: is required'],
    [{ prompt: 'A calm sailor' }, 'preview_text: is required'],
    [{ prompt: 'A calm sailor', preview_text: '' }, 'preview_text: is required'],
    [{ prompt: 'A calm sailor', preview_text: null }, 'preview_text: is required'],
  ])('for %j returns %s', (params, problem) => {
    expect(voiceDesignParamsProblem(params)?.join(': ')).toBe(problem);
  });
});

describe('voiceCloneBody and voiceDesignBody', () => {
  test.each([
    ['a number', 0.8],
    ['a string', 'high'],
  ])('accept %s as accuracy', (_, accuracy) => {
    const body = { audio_url: 'https://host.example/ann.mp3', accuracy };
    expect(voiceCloneBody.parse(body)).toEqual(body);
  });

  test.each([
    ['a missing recording', voiceCloneBody, {}],
    ['a boolean accuracy', voiceCloneBody, { audio_url: 'u', accuracy: true }],
    ['a prompt that is not a string', voiceDesignBody, { prompt: 7, preview_text: 'Ahoy' }],
  ])('reject %s', (_, schema, body) => {
    expect(schema.safeParse(body).success).toBe(false);
  });
});
