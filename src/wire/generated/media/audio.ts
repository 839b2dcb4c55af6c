// Generated from the interfaces in `src/wire/types` by `npm run schema-docs`.
import * as z from 'zod/mini';

import { limited, listOf, openString, paramsSchema } from '../../schemas/record-schema.ts';
import type { Schema, WithOptional } from '../../schemas/record-schema.ts';
import type { MusicParams, SpeechParams, TimberWeight } from '../../types/media/audio.ts';

export const musicParams: Schema<MusicParams> = paramsSchema({
  model: ["Id of a model whose `type` in `models.list()` is `'audio'`.", limited(z.string(), z.minLength(1))],
  prompt: ["Text prompt that describes the music.", z.string()],
  lyrics: ["Lyrics. Recommended unless `is_instrumental` is true.", z.optional(z.string())],
  lyrics_optimizer: ["Whether to optimize the lyrics.", z.optional(z.boolean())],
  is_instrumental: ["Whether to generate an instrumental without vocals.", z.optional(z.boolean())],
  audio_setting: ["Audio settings, passed through.", z.optional(z.record(z.string(), z.unknown()))],
});

export const musicParamsKeywords = {
  "model": {
    "minLength": 1
  }
} as const;

const timberWeight: Schema<TimberWeight> = paramsSchema({
  voice_id: ["Voice id.", z.optional(z.string())],
  weight: ["Weight of the voice in the mix.", z.optional(z.number())],
});

export const speechParams: Schema<WithOptional<SpeechParams, 'text'>> = paramsSchema({
  model: ["Speech model id.", limited(z.string(), z.minLength(1))],
  text: ["Text to synthesize; takes precedence over `input`. Every character is billed, including spaces and line breaks.", z.optional(z.string())],
  input: ["Text to synthesize (OpenAI style). Ignored, because `text` takes precedence.", z.optional(z.string())],
  voice_id: ["Id of a system voice or private voice. The voice must be compatible with the model.", z.optional(z.string())],
  voice: ["Voice name, for compatibility with other services.", z.optional(z.string())],
  speed: ["Speaking speed, 0.5 to 2.0.", z.optional(limited(z.number(), z.gte(0.5), z.lte(2)))],
  volume: ["Volume. The range is not documented.", z.optional(z.number())],
  pitch: ["Pitch. The range is not documented.", z.optional(z.number())],
  emotion: ["Emotion of the voice.", z.optional(openString("happy", "sad", "angry", "fearful", "disgusted", "surprised", "neutral"))],
  language: ["Language of the text.", z.optional(openString("Chinese", "English", "Japanese", "auto"))],
  output_format: ["How the result is returned; `url` is recommended.", z.optional(openString("url"))],
  response_format: ["How the result is returned; `url` is recommended. Alternative to `output_format`.", z.optional(openString("url"))],
  format: ["Audio file format.", z.optional(openString("mp3", "wav"))],
  sample_rate: ["Sample rate in Hz.", z.optional(z.literal([32000,44100]))],
  pronunciation_dict: ["Pronunciations of specific words.", z.optional(z.record(z.string(), z.unknown()))],
  timber_weights: ["Voices to mix, with their weights.", z.optional(listOf(timberWeight))],
  subtitle_enable: ["Whether to generate subtitles.", z.optional(z.boolean())],
  metadata: ["Custom metadata.", z.optional(z.record(z.string(), z.unknown()))],
  extra_body: ["Additional options for the model.", z.optional(z.record(z.string(), z.unknown()))],
  audio_setting: ["Audio settings, passed through.", z.optional(z.record(z.string(), z.unknown()))],
});

export const speechParamsKeywords = {
  "model": {
    "minLength": 1
  },
  "speed": {
    "minimum": 0.5,
    "maximum": 2
  },
  "language": {
    "example": "English"
  },
  "format": {
    "example": "mp3"
  }
} as const;
