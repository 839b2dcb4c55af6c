import { describe, expectTypeOf, test } from 'vitest';
import * as z from 'zod/mini';

import type { Account, ReadinessCheck } from '../../src/schemas/account.ts';
import type { SpeechParams } from '../../src/schemas/audio.ts';
import type { Capabilities } from '../../src/schemas/capabilities.ts';
import type { ErrorCode } from '../../src/schemas/error-codes.ts';
import type { MaterialCreateParams, MaterialListQuery } from '../../src/schemas/material-params.ts';
import { isAvailable } from '../../src/schemas/materials.ts';
import type {
  AssetUri,
  AvailableMaterial,
  Material,
  MaterialStatus,
  MaterialType,
} from '../../src/schemas/materials.ts';
import type { Model, ModelList } from '../../src/schemas/models.ts';
import { recordSchema } from '../../src/schemas/record-schema.ts';
import { responseSchema, stringField } from '../../src/schemas/schema.ts';
import type { ResponseSchema } from '../../src/schemas/schema.ts';
import type { VideoParams } from '../../src/schemas/videos.ts';
import type { VoiceDesignParams } from '../../src/schemas/voice-params.ts';
import type { Voice, VoiceList } from '../../src/schemas/voices.ts';

const url = 'https://host.example/a';
const person = { consent_confirmed: true, callback_url: url } as const;
declare const material: Material;

describe('materials', () => {
  test('a real person has an image or a video, never a sound', () => {
    expectTypeOf({
      url,
      type: 'image',
      real_person: person,
    } as const).toExtend<MaterialCreateParams>();
    expectTypeOf({
      url,
      type: 'video',
      real_person: person,
    } as const).toExtend<MaterialCreateParams>();
    expectTypeOf({ url, type: 'audio' } as const).toExtend<MaterialCreateParams>();
    // @ts-expect-error real-person audio is not supported
    const refused: MaterialCreateParams = { url, type: 'audio', real_person: person };
    void refused;
  });

  test('a type that is known at run time only is fine without a real person', () => {
    expectTypeOf<{ url: string; type: MaterialType }>().toExtend<MaterialCreateParams>();
  });

  test('consent is literally true', () => {
    expectTypeOf<{
      url: string;
      type: 'image';
      real_person: { consent_confirmed: false; callback_url: string };
    }>().not.toExtend<MaterialCreateParams>();
  });

  test('an available material has its URI', () => {
    expectTypeOf(material.uri).toEqualTypeOf<AssetUri | null>();
    if (isAvailable(material)) expectTypeOf(material.uri).toEqualTypeOf<AssetUri>();
    expectTypeOf<AvailableMaterial>().toExtend<Material>();
    expectTypeOf<'https://host.example/a'>().not.toExtend<AssetUri>();
  });
});

describe('speech', () => {
  test('takes its words in text or in input, and needs one of them', () => {
    expectTypeOf<{ model: string; text: string }>().toExtend<SpeechParams>();
    expectTypeOf<{ model: string; input: string }>().toExtend<SpeechParams>();
    expectTypeOf<{ model: string; text: string; input: string }>().toExtend<SpeechParams>();
    // @ts-expect-error one of text and input is required
    const refused: SpeechParams = { model: 'm', voice_id: 'v' };
    void refused;
  });

  test('knows two sample rates', () => {
    expectTypeOf<{ model: string; text: string; sample_rate: 44_100 }>().toExtend<SpeechParams>();
    expectTypeOf<{
      model: string;
      text: string;
      sample_rate: 48_000;
    }>().not.toExtend<SpeechParams>();
  });

  test('needs the preview text of a designed voice under one of its names', () => {
    expectTypeOf<{ prompt: string; preview_text: string }>().toExtend<VoiceDesignParams>();
    expectTypeOf<{ prompt: string; text: string }>().toExtend<VoiceDesignParams>();
    // @ts-expect-error preview_text is required
    const refused: VoiceDesignParams = { prompt: 'A calm sailor' };
    void refused;
  });
});

describe('open unions', () => {
  test('accept other strings', () => {
    expectTypeOf<string>().toExtend<ErrorCode>();
    expectTypeOf<string>().toExtend<MaterialStatus>();
    expectTypeOf<string>().toExtend<Model['type']>();
    expectTypeOf<string>().toExtend<ReadinessCheck['id']>();
    expectTypeOf<{ status: string }>().toExtend<MaterialListQuery>();
    expectTypeOf<{ model: string; text: string; emotion: string }>().toExtend<SpeechParams>();
  });
});

describe('params', () => {
  test('refuse a misspelt field', () => {
    expectTypeOf<VideoParams>().not.toHaveProperty('aspectRatio');
    // @ts-expect-error the field is called aspect_ratio
    const refused: VideoParams = { model: 'm', aspectRatio: '16:9' };
    void refused;
  });

  test('are open where the models are', () => {
    const params: VideoParams = {
      model: 'm',
      content: [
        { type: 'text', text: 'A harbour' },
        { type: 'image_url', image_url: { url: 'asset://a' }, role: 'first_frame' },
        { type: 'video_url', video_url: { url } },
        { type: 'audio_url', audio_url: { url } },
        { type: 'depth_map', depth_map: { url } },
      ],
      extra_body: { seed: 1, camera: 'pan' },
    };
    expectTypeOf(params).toExtend<VideoParams>();
  });

  test('take undefined for what is optional', () => {
    expectTypeOf<{ model: string; prompt: undefined }>().toExtend<VideoParams>();
  });
});

describe('answers', () => {
  test('can be gone over', () => {
    expectTypeOf<ModelList>().toExtend<Iterable<Model>>();
    expectTypeOf<VoiceList>().toExtend<Iterable<Voice>>();
  });

  test('are open where the specification shows nothing', () => {
    expectTypeOf<Capabilities['anything']>().toEqualTypeOf<unknown>();
    expectTypeOf<Capabilities['version']>().toEqualTypeOf<string | undefined>();
  });

  test('are closed where it shows everything', () => {
    expectTypeOf<keyof Account>().toEqualTypeOf<
      'object' | 'wallet' | 'balance' | 'concurrency' | 'models'
    >();
  });
});

describe('schemas', () => {
  interface Boat {
    name: string;
    berth: number | null;
  }

  test('document every field, with its type', () => {
    expectTypeOf(
      recordSchema<Boat>({ name: z.string(), berth: z.nullable(z.number()) }),
    ).toEqualTypeOf<z.ZodMiniType<Boat>>();
    // @ts-expect-error berth is missing
    recordSchema<Boat>({ name: z.string() });
    // @ts-expect-error a name is a string
    recordSchema<Boat>({ name: z.number(), berth: z.nullable(z.number()) });
    // @ts-expect-error a boat has no mast
    recordSchema<Boat>({ name: z.string(), berth: z.nullable(z.number()), mast: z.string() });
  });

  test('ask less of an answer, and nothing else', () => {
    expectTypeOf(responseSchema<Boat>({})).toEqualTypeOf<ResponseSchema<Boat>>();
    expectTypeOf(responseSchema<Boat>({ name: stringField })).toEqualTypeOf<ResponseSchema<Boat>>();
    // @ts-expect-error a berth is a number
    responseSchema<Boat>({ berth: stringField });
    // @ts-expect-error a boat has no mast
    responseSchema<Boat>({ mast: stringField });
  });
});
