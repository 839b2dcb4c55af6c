import * as z from 'zod/mini';

import type { MusicParams, SpeechParams, TimberWeight } from '../../types/media/audio.ts';
import { bodySchema, openString } from '../record-schema.ts';
import type { WithOptional } from '../record-schema.ts';

export const musicBody = bodySchema<MusicParams>({
  model: z.string(),
  prompt: z.string(),
  lyrics: z.optional(z.string()),
  lyrics_optimizer: z.optional(z.boolean()),
  is_instrumental: z.optional(z.boolean()),
  audio_setting: z.optional(z.record(z.string(), z.unknown())),
});

/** A speech request body as the service accepts it. */
export type SpeechBody = WithOptional<SpeechParams, 'text'>;

const text = z.optional(z.string());
const options = z.optional(z.record(z.string(), z.unknown()));

export const speechBody = bodySchema<SpeechBody>({
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
