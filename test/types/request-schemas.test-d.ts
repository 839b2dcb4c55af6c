import type {
  Account,
  AudioTaskRecord,
  ChatCompletion,
  ChatCompletionChunk,
  ChatParams,
  Generation,
  ImageEditParams,
  ImageFromReferencesParams,
  ImageParams,
  ImageTaskRecord,
  KeyBalance,
  Material,
  MaterialCreateParams,
  Model,
  MusicParams,
  Readiness,
  Receipt,
  SpeechInputParams,
  SpeechParams,
  VideoContentParams,
  VideoParams,
  VideoTaskRecord,
  Voice,
  VoiceCloneParams,
  VoiceDesignAliasParams,
  VoiceDesignParams,
} from 'polygate';
import { Polygate } from 'polygate';
import * as schemas from 'polygate/schemas';
import { describe, expectTypeOf, test } from 'vitest';
import type { z } from 'zod';

/** What each schema checks. That it checks nothing else is proved where it is made: see `recordSchema`. */
interface Checked {
  imageParams: ImageEditParams | ImageFromReferencesParams | ImageParams;
  videoParams: VideoContentParams | VideoParams;
  chatParams: ChatParams;
  musicParams: MusicParams;
  speechParams: SpeechInputParams | SpeechParams;
  voiceCloneParams: VoiceCloneParams;
  voiceDesignParams: VoiceDesignAliasParams | VoiceDesignParams;
  materialParams: MaterialCreateParams;
  modelRecord: Model;
  accountRecord: Account;
  readinessRecord: Readiness;
  keyBalanceRecord: KeyBalance;
  chatCompletion: ChatCompletion;
  chatCompletionChunk: ChatCompletionChunk;
  imageTaskRecord: ImageTaskRecord;
  videoTaskRecord: VideoTaskRecord;
  audioTaskRecord: AudioTaskRecord;
  voiceRecord: Voice;
  materialRecord: Material;
  generation: Generation;
  receipt: Receipt;
}

type Inputs = { -readonly [Name in keyof typeof schemas]: z.input<(typeof schemas)[Name]> };
/** What form and RPC libraries read. */
type StandardInputs = {
  -readonly [Name in keyof typeof schemas]: NonNullable<
    (typeof schemas)[Name]['~standard']['types']
  >['input'];
};
type Outputs = { -readonly [Name in keyof typeof schemas]: z.output<(typeof schemas)[Name]> };

describe('polygate/schemas', () => {
  test('has a schema for every request body and record, and each outputs its exported type', () => {
    expectTypeOf<Outputs>().toEqualTypeOf<Checked>();
  });

  test('has the exported types as inputs, also for libraries that use Standard Schema', () => {
    expectTypeOf<Inputs>().toEqualTypeOf<Checked>();
    expectTypeOf<StandardInputs>().toEqualTypeOf<Checked>();
    // @ts-expect-error the field is named resolution
    const body: z.input<typeof schemas.imageParams> = { model: 'm', prompt: 'p', resolutoin: '4K' };
    void body;
  });

  test('outputs what the methods of the client accept', () => {
    const gateway = new Polygate();
    const check = (body: unknown) => [
      gateway.images.submit(schemas.imageParams.parse(body)),
      gateway.videos.submit(schemas.videoParams.parse(body)),
      gateway.chat.completions.create(schemas.chatParams.parse(body)),
      gateway.audio.music.submit(schemas.musicParams.parse(body)),
      gateway.audio.speech.submit(schemas.speechParams.parse(body)),
      gateway.voices.clone(schemas.voiceCloneParams.parse(body)),
      gateway.voices.design(schemas.voiceDesignParams.parse(body)),
      gateway.materials.create(schemas.materialParams.parse(body)),
      gateway.resume(schemas.receipt.parse(body)),
    ];
    expectTypeOf(check).toBeFunction();
  });
});
