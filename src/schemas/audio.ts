import * as z from 'zod/mini';

import { requiredTextProblem, notAnObjectProblem } from './param-checks.ts';
import { isRecord, isNonEmptyString } from './record.ts';
import { openString, bodySchema } from './record-schema.ts';
import type { Open } from './schema.ts';

/** What to compose. Sent exactly as given. Specification: Audio, Music body. */
export interface MusicParams {
  /** Model id, such as one of `models.list()` with `type: 'audio'`. */
  model: string;
  /** What the music should be like. */
  prompt: string;
  /** What to sing; recommended unless `is_instrumental` is true. */
  lyrics?: string | undefined;
  /** Whether the service may improve the lyrics. */
  lyrics_optimizer?: boolean | undefined;
  /** Whether nobody sings. */
  is_instrumental?: boolean | undefined;
  /** Audio options, passed through to the model. */
  audio_setting?: Record<string, unknown> | undefined;
}

/** One voice of a mix. The specification leaves its fields to the models. */
export interface TimberWeight {
  /** Id of the voice. */
  voice_id?: string | undefined;
  /** How strong the voice is in the mix. */
  weight?: number | undefined;
  /** Fields of the model's own. */
  [field: string]: unknown;
}

/** The fields of a speech request. Specification: Audio, Speech body. */
export interface SpeechFields {
  /** Id of a speech model. */
  model: string;
  /**
   * What to say; preferred over `input`. Every character is billed, spaces and line breaks
   * included.
   */
  text?: string | undefined;
  /** What to say, in OpenAI's style. */
  input?: string | undefined;
  /** Id of a system voice or of a private voice; it has to be compatible with the model. */
  voice_id?: string | undefined;
  /** Name of the voice, for compatibility. */
  voice?: string | undefined;
  /** Pace, 0.5 to 2.0. */
  speed?: number | undefined;
  /** Loudness; its range is not documented. */
  volume?: number | undefined;
  /** Pitch; its range is not documented. */
  pitch?: number | undefined;
  /** How the voice feels. */
  emotion?:
    | Open<'happy' | 'sad' | 'angry' | 'fearful' | 'disgusted' | 'surprised' | 'neutral'>
    | undefined;
  /** Language of the text. */
  language?: Open<'Chinese' | 'English' | 'Japanese' | 'auto'> | undefined;
  /** How the result is handed over; `url` is recommended. */
  output_format?: Open<'url'> | undefined;
  /** The same as `output_format`. */
  response_format?: Open<'url'> | undefined;
  /** File format. */
  format?: Open<'mp3' | 'wav'> | undefined;
  /** Samples a second, in hertz. */
  sample_rate?: 32000 | 44100 | undefined;
  /** How to pronounce certain words. */
  pronunciation_dict?: Record<string, unknown> | undefined;
  /** Several voices, mixed into one. */
  timber_weights?: TimberWeight[] | undefined;
  /** Whether subtitles are made as well. */
  subtitle_enable?: boolean | undefined;
  /** Data of the caller's own. */
  metadata?: Record<string, unknown> | undefined;
  /** Options that are passed through to the model. */
  extra_body?: Record<string, unknown> | undefined;
  /** Audio options, passed through to the model. */
  audio_setting?: Record<string, unknown> | undefined;
}

/** A speech request with its words in `text`. */
export interface SpeechTextParams extends SpeechFields {
  /** What to say. Every character is billed, spaces and line breaks included. */
  text: string;
}

/** A speech request with its words in `input`, in OpenAI's style. */
export interface SpeechInputParams extends SpeechFields {
  /** What to say. Every character is billed, spaces and line breaks included. */
  input: string;
}

/**
 * What to say, and how. Sent exactly as given; one of `text` and `input` is required.
 * Specification: Audio, Speech body.
 */
export type SpeechParams = SpeechTextParams | SpeechInputParams;

export const musicBody = /* @__PURE__ */ (() =>
  bodySchema<MusicParams>({
    model: z.string(),
    prompt: z.string(),
    lyrics: z.optional(z.string()),
    lyrics_optimizer: z.optional(z.boolean()),
    is_instrumental: z.optional(z.boolean()),
    audio_setting: z.optional(z.record(z.string(), z.unknown())),
  }))();

export const speechBody = /* @__PURE__ */ (() => {
  const text = z.optional(z.string());
  const options = z.optional(z.record(z.string(), z.unknown()));
  return bodySchema<SpeechFields>({
    model: z.string(),
    text,
    input: text,
    voice_id: text,
    voice: text,
    speed: z.optional(z.number()),
    volume: z.optional(z.number()),
    pitch: z.optional(z.number()),
    emotion: z.optional(openString<'happy'>()),
    language: z.optional(openString<'Chinese'>()),
    output_format: z.optional(openString<'url'>()),
    response_format: z.optional(openString<'url'>()),
    format: z.optional(openString<'mp3'>()),
    sample_rate: z.optional(z.literal([32000, 44100])),
    pronunciation_dict: options,
    timber_weights: z.optional(
      z.array(
        bodySchema<TimberWeight>({
          voice_id: z.optional(z.string()),
          weight: z.optional(z.number()),
        }),
      ),
    ),
    subtitle_enable: z.optional(z.boolean()),
    metadata: options,
    extra_body: options,
    audio_setting: options,
  });
})();

/** What is wrong with a music request, or undefined. Specification: Audio, Music body. */
export function musicParamsProblem(params: unknown): string | undefined {
  return requiredTextProblem(params, 'prompt');
}

/** What is wrong with a speech request, or undefined. Specification: Audio, Speech body; Limits. */
export function speechParamsProblem(params: unknown): string | undefined {
  if (!isRecord(params)) return notAnObjectProblem;
  const { text, input, speed, sample_rate: sampleRate } = params;
  if (!isNonEmptyString(text) && !isNonEmptyString(input))
    return 'text: one of text and input is required';
  if (speed !== undefined && !(typeof speed === 'number' && speed >= 0.5 && speed <= 2)) {
    return 'speed: must be between 0.5 and 2.0';
  }
  if (sampleRate !== undefined && sampleRate !== 32000 && sampleRate !== 44100) {
    return 'sample_rate: must be 32000 or 44100';
  }
  return undefined;
}
