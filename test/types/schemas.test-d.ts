import { describe, expectTypeOf, test } from 'vitest';
import * as z from 'zod/mini';

import { recordSchema } from '../../src/wire/schemas/record-schema.ts';
import type { Schema } from '../../src/wire/schemas/record-schema.ts';
import type { Account, ReadinessCheck } from '../../src/wire/types/catalog/account.ts';
import type { ErrorCode } from '../../src/wire/types/catalog/errors.ts';
import type { Capabilities, Model, ModelList } from '../../src/wire/types/catalog/models.ts';
import type { SpeechInputParams, SpeechParams } from '../../src/wire/types/media/audio.ts';
import { isAvailable } from '../../src/wire/types/media/material-status.ts';
import type {
  MaterialCreateParams,
  MaterialListQuery,
  AssetUri,
  AvailableMaterial,
  Material,
  MaterialStatus,
  MaterialType,
} from '../../src/wire/types/media/materials.ts';
import type { VideoContentParams, VideoParams } from '../../src/wire/types/media/videos.ts';
import type {
  VoiceDesignAliasParams,
  VoiceDesignParams,
  Voice,
  VoiceList,
} from '../../src/wire/types/media/voices.ts';
import { responseSchema, stringField } from '../../src/wire/types/schema.ts';
import type { ResponseSchema } from '../../src/wire/types/schema.ts';

const url = 'https://host.example/a';
const person = { consent_confirmed: true, callback_url: url } as const;
declare const material: Material;

describe('materials', () => {
  test('a real person is accepted for images and videos, not for audio', () => {
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
    const invalid: MaterialCreateParams = { url, type: 'audio', real_person: person };
    void invalid;
  });

  test('a type known only at run time is accepted without a real person', () => {
    expectTypeOf<{ url: string; type: MaterialType }>().toExtend<MaterialCreateParams>();
  });

  test('consent must be literally true', () => {
    expectTypeOf<{
      url: string;
      type: 'image';
      real_person: { consent_confirmed: false; callback_url: string };
    }>().not.toExtend<MaterialCreateParams>();
  });

  test('an available material has a URI', () => {
    expectTypeOf(material.uri).toEqualTypeOf<AssetUri | null>();
    if (isAvailable(material)) expectTypeOf(material.uri).toEqualTypeOf<AssetUri>();
    expectTypeOf<AvailableMaterial>().toExtend<Material>();
    expectTypeOf<'https://host.example/a'>().not.toExtend<AssetUri>();
  });
});

describe('speech and voices', () => {
  test('requires text or input', () => {
    expectTypeOf<{ model: string; text: string }>().toExtend<SpeechParams>();
    expectTypeOf<{ model: string; input: string }>().toExtend<SpeechInputParams>();
    expectTypeOf<{ model: string; text: string; input: string }>().toExtend<SpeechParams>();
    // @ts-expect-error either text or input is required
    const invalid: SpeechParams = { model: 'm', voice_id: 'v' };
    void invalid;
  });

  test('accepts only the two documented sample rates', () => {
    expectTypeOf<{ model: string; text: string; sample_rate: 44_100 }>().toExtend<SpeechParams>();
    expectTypeOf<{
      model: string;
      text: string;
      sample_rate: 48_000;
    }>().not.toExtend<SpeechParams>();
  });

  test('requires the preview text of a designed voice under either name', () => {
    expectTypeOf<{ prompt: string; preview_text: string }>().toExtend<VoiceDesignParams>();
    expectTypeOf<{ prompt: string; text: string }>().toExtend<VoiceDesignAliasParams>();
    // @ts-expect-error preview_text is required
    const invalid: VoiceDesignParams = { prompt: 'A calm sailor' };
    void invalid;
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
  test('reject a misspelled field', () => {
    expectTypeOf<VideoParams>().not.toHaveProperty('aspectRatio');
    // @ts-expect-error the field is named aspect_ratio
    const invalid: VideoParams = { model: 'm', prompt: 'A harbor', aspectRatio: '16:9' };
    void invalid;
  });

  test('accept model-specific options in extra_body', () => {
    const params: VideoContentParams = {
      model: 'm',
      content: [
        { type: 'text', text: 'A harbor' },
        { type: 'image_url', image_url: { url: 'asset://a' }, role: 'first_frame' },
        { type: 'video_url', video_url: { url } },
        { type: 'audio_url', audio_url: { url } },
      ],
      extra_body: { seed: 1, camera: 'pan' },
    };
    expectTypeOf(params).toExtend<VideoContentParams>();
  });

  test('accept undefined for optional fields', () => {
    expectTypeOf<{ model: string; prompt: string; size: undefined }>().toExtend<VideoParams>();
  });
});

describe('responses', () => {
  test('are iterable if they are lists', () => {
    expectTypeOf<ModelList>().toExtend<Iterable<Model>>();
    expectTypeOf<VoiceList>().toExtend<Iterable<Voice>>();
  });

  test('have open fields where the specification documents none', () => {
    expectTypeOf<Capabilities['anything']>().toEqualTypeOf<unknown>();
    expectTypeOf<Capabilities['version']>().toEqualTypeOf<string | undefined>();
  });

  test('have closed fields where the specification documents all of them', () => {
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
  test('of full records list every field with its type', () => {
    const name = ['Name.', z.string()] as const;
    const berth = ['Berth.', z.nullable(z.number())] as const;
    const boat: Schema<Boat> = recordSchema({ name, berth });
    expectTypeOf(boat).toEqualTypeOf<z.ZodMiniType<Boat, Boat>>();
    // @ts-expect-error berth is missing
    const partial: Schema<Boat> = recordSchema({ name });
    // @ts-expect-error a name is a string
    const wrong: Schema<Boat> = recordSchema({ name: ['Name.', z.number()], berth });
    // @ts-expect-error a boat has no mast
    const larger: Schema<Boat> = recordSchema({ name, berth, mast: ['Mast.', z.string()] });
    // @ts-expect-error a boat can be without a berth
    const strict: Schema<Boat> = recordSchema({ name, berth: ['Berth.', z.number()] });
    void [partial, wrong, larger, strict];
  });

  test('of responses check a subset of the fields and no others', () => {
    expectTypeOf(responseSchema<Boat>({})).toEqualTypeOf<ResponseSchema<Boat>>();
    expectTypeOf(responseSchema<Boat>({ name: stringField })).toEqualTypeOf<ResponseSchema<Boat>>();
    // @ts-expect-error a berth is a number
    responseSchema<Boat>({ berth: stringField });
    // @ts-expect-error a boat has no mast
    responseSchema<Boat>({ mast: stringField });
  });
});
