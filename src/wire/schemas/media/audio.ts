import type { MusicParams, SpeechInputParams, SpeechParams } from 'polygate';
import * as z from 'zod/mini';

import { musicParamsProblem, speechParamsProblem } from '../../types/media/audio.ts';
import * as docs from '../docs/media.ts';
import { accepted, modelId, withProblem } from '../params.ts';
import { listOf, openString, paramsSchema } from '../record-schema.ts';
import type { Docs, WithOptional } from '../record-schema.ts';

const text = z.optional(z.string());
const flag = z.optional(z.boolean());
const number = z.optional(z.number());
const options = z.optional(z.record(z.string(), z.unknown()));

/** The body of a music generation. */
export const musicParams: z.ZodMiniType<MusicParams, MusicParams> = withProblem(
  paramsSchema(docs.musicParams, {
    model: modelId,
    prompt: z.string(),
    lyrics: text,
    lyrics_optimizer: flag,
    is_instrumental: flag,
    audio_setting: options,
  }),
  musicParamsProblem,
);

/** A speech request body as the service accepts it. */
export type SpeechBody = WithOptional<SpeechParams, 'text'>;

/** The fields are the same; another one can replace `text`. */
const bodyDocs: Docs<SpeechBody> = docs.speechParams;

/** The body of a speech synthesis, with the text in `text` or `input`. */
export const speechParams: z.ZodMiniType<
  SpeechInputParams | SpeechParams,
  SpeechInputParams | SpeechParams
> = withProblem(
  paramsSchema(bodyDocs, {
    model: modelId,
    text,
    input: text,
    voice_id: text,
    voice: text,
    speed: z.optional(z.number().check(z.gte(0.5), z.lte(2))),
    volume: number,
    pitch: number,
    emotion: z.optional(
      openString('happy', 'sad', 'angry', 'fearful', 'disgusted', 'surprised', 'neutral'),
    ),
    language: z.optional(openString('Chinese', 'English', 'Japanese', 'auto')),
    output_format: z.optional(openString('url')),
    response_format: z.optional(openString('url')),
    format: z.optional(openString('mp3', 'wav')),
    sample_rate: z.optional(z.literal([32000, 44100])),
    pronunciation_dict: options,
    timber_weights: z.optional(
      listOf(paramsSchema(docs.timberWeight, { voice_id: text, weight: number })),
    ),
    subtitle_enable: flag,
    metadata: options,
    extra_body: options,
    audio_setting: options,
  }),
  speechParamsProblem,
);

export const musicBody = /* @__PURE__ */ accepted<MusicParams>(musicParams);

export const speechBody = /* @__PURE__ */ accepted<SpeechBody>(speechParams);
