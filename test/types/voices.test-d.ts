import { describe, expectTypeOf, test } from 'vitest';

import type {
  Polygate,
  RequestPromise,
  Voice,
  VoiceCloneParams,
  VoiceCreation,
  VoiceDesignParams,
  VoiceList,
} from '../../src/index.ts';

declare const gateway: Polygate;
declare const made: VoiceCreation;

test('list() resolves to an iterable list', () => {
  expectTypeOf(gateway.voices.list()).toEqualTypeOf<RequestPromise<VoiceList>>();
  expectTypeOf<VoiceList>().toExtend<Iterable<Voice>>();
  expectTypeOf<VoiceList['data']>().toEqualTypeOf<Voice[]>();
  void gateway.voices.list({ model: 'm' });
  // @ts-expect-error voices can be filtered only by model
  void gateway.voices.list({ language: 'English' });
});

describe('clone()', () => {
  test('requires a recording', () => {
    expectTypeOf(gateway.voices.clone({ audio_url: 'https://a.example' })).toEqualTypeOf<
      RequestPromise<VoiceCreation>
    >();
    // @ts-expect-error the recording is missing
    void gateway.voices.clone({ text: 'Ahoy' });
  });

  test('accepts an accuracy as a number or string', () => {
    expectTypeOf<VoiceCloneParams['accuracy']>().toEqualTypeOf<number | string | undefined>();
    // @ts-expect-error noise_reduction is a boolean
    void gateway.voices.clone({ audio_url: 'https://a.example', noise_reduction: 1 });
  });
});

describe('design()', () => {
  test('requires a prompt and a preview text under either name', () => {
    expectTypeOf<{ prompt: string }>().not.toExtend<VoiceDesignParams>();
    void gateway.voices.design({ prompt: 'An old sailor', preview_text: 'Ahoy' });
    void gateway.voices.design({ prompt: 'An old sailor', text: 'Ahoy' });
    // @ts-expect-error the preview is missing
    void gateway.voices.design({ prompt: 'An old sailor' });
    // @ts-expect-error the prompt is missing
    void gateway.voices.design({ preview_text: 'Ahoy' });
  });
});

test('a voice creation result is typed as documented', () => {
  expectTypeOf(made.voice).toEqualTypeOf<Voice>();
  expectTypeOf(made.billing_contract.facts.preview_characters).toEqualTypeOf<number>();
  expectTypeOf(made.billing_contract.facts.voice_clones).toEqualTypeOf<number | undefined>();
  expectTypeOf(made.voice.preview_audio_url).toEqualTypeOf<string | null>();
  expectTypeOf(made.voice.compatible_models).toEqualTypeOf<string[]>();
  expectTypeOf<'dreamt'>().toExtend<Voice['source_type']>();
});
