import { describe, expectTypeOf, test } from 'vitest';

import type {
  AudioTaskRecord,
  Generation,
  MusicParams,
  Polygate,
  RequestOptions,
  RequestPromise,
  SpeechInputParams,
  SpeechParams,
  SubmittedTask,
  SucceededGeneration,
  Task,
} from '../../src/index.ts';

declare const gateway: Polygate;
declare const generation: Generation<'audio'>;
const music: MusicParams = { model: 'm', prompt: 'A shanty' };
const speech: SpeechParams = { model: 'm', text: 'Ahoy' };

test('music and speech are tasks of kind audio', () => {
  expectTypeOf(gateway.audio.music.submit(music)).toEqualTypeOf<
    RequestPromise<SubmittedTask<'audio'>>
  >();
  expectTypeOf(gateway.audio.speech.submit(speech)).toEqualTypeOf<
    RequestPromise<SubmittedTask<'audio'>>
  >();
  expectTypeOf(gateway.audio.music.generate(music)).toEqualTypeOf<
    RequestPromise<SucceededGeneration<'audio'>>
  >();
  expectTypeOf(gateway.audio.speech.generate(speech)).toEqualTypeOf<
    RequestPromise<SucceededGeneration<'audio'>>
  >();
  expectTypeOf(gateway.audio.task('task_1')).toEqualTypeOf<Task<'audio'>>();
  expectTypeOf(gateway.audio.retrieve('task_1')).resolves.toEqualTypeOf<Generation<'audio'>>();
  expectTypeOf(gateway.audio.wait('task_1')).resolves.toEqualTypeOf<SucceededGeneration<'audio'>>();
});

test('`raw` has the type of the documented record', () => {
  expectTypeOf(generation.raw).toEqualTypeOf<AudioTaskRecord>();
  expectTypeOf(generation.raw.audio_url).toEqualTypeOf<string | null>();
  expectTypeOf(generation.raw.progress).toEqualTypeOf<string>();
});

describe('music', () => {
  test('requires a model and a prompt', () => {
    expectTypeOf<{ model: string; prompt: string }>().toExtend<MusicParams>();
    // @ts-expect-error the prompt is missing
    void gateway.audio.music.submit({ model: 'm' });
    // @ts-expect-error the model is missing
    void gateway.audio.music.generate({ prompt: 'A shanty' });
  });

  test('accepts only the documented fields', () => {
    expectTypeOf<keyof MusicParams>().toEqualTypeOf<
      'model' | 'prompt' | 'lyrics' | 'lyrics_optimizer' | 'is_instrumental' | 'audio_setting'
    >();
    // @ts-expect-error text belongs to speech
    void gateway.audio.music.submit({ ...music, text: 'Ahoy' });
    // @ts-expect-error is_instrumental is a boolean
    void gateway.audio.music.submit({ ...music, is_instrumental: 'yes' });
    void gateway.audio.music.submit({ ...music, audio_setting: { bitrate: 256_000 } });
  });
});

describe('speech', () => {
  test('requires text or input', () => {
    expectTypeOf<{ model: string; input: string }>().toExtend<SpeechInputParams>();
    void gateway.audio.speech.submit({ model: 'm', input: 'Ahoy' });
    void gateway.audio.speech.submit({ model: 'm', text: 'Ahoy', input: 'Ahoy' });
    // @ts-expect-error text and input are missing
    void gateway.audio.speech.submit({ model: 'm', voice_id: 'v' });
    // @ts-expect-error text and input are missing
    void gateway.audio.speech.generate({ model: 'm' });
  });

  test('accepts only the two documented sample rates', () => {
    expectTypeOf<SpeechParams['sample_rate']>().toEqualTypeOf<32_000 | 44_100 | undefined>();
    void gateway.audio.speech.submit({ ...speech, sample_rate: 32_000 });
    void gateway.audio.speech.submit({ ...speech, sample_rate: 44_100 });
    // @ts-expect-error 48000 is not documented
    void gateway.audio.speech.submit({ ...speech, sample_rate: 48_000 });
  });

  test('accepts weights that are `as const`', () => {
    const timber_weights = [{ voice_id: 'v', weight: 1 }] as const;
    expectTypeOf({ model: 'm', text: 't', timber_weights }).toExtend<SpeechParams>();
  });

  test('accepts any emotion and language, and checks the types of other fields', () => {
    expectTypeOf<SpeechParams['speed']>().toEqualTypeOf<number | undefined>();
    void gateway.audio.speech.submit({ ...speech, emotion: 'wistful', language: 'Klingon' });
    // @ts-expect-error a speed is a number
    void gateway.audio.speech.submit({ ...speech, speed: '1' });
    // @ts-expect-error timber_weights is an array
    void gateway.audio.speech.submit({ ...speech, timber_weights: { voice_id: 'v' } });
  });

  test('submit() does not accept wait options', () => {
    expectTypeOf<Parameters<Polygate['audio']['speech']['submit']>[1]>().toEqualTypeOf<
      RequestOptions | undefined
    >();
    // @ts-expect-error submit() does not accept wait options
    void gateway.audio.speech.submit(speech, { waitTimeout: 1 });
    void gateway.audio.speech.generate(speech, { waitTimeout: 1 });
  });
});
