import * as z from 'zod/mini';

import type { VoiceCloneParams, VoiceDesignParams } from '../../types/media/voice-params.ts';
import { bodySchema } from '../record-schema.ts';
import type { WithOptional } from '../record-schema.ts';

export const voiceCloneBody = bodySchema<VoiceCloneParams>({
  audio_url: z.string(),
  text: z.optional(z.string()),
  preview_text: z.optional(z.string()),
  display_name: z.optional(z.string()),
  name: z.optional(z.string()),
  language: z.optional(z.string()),
  description: z.optional(z.string()),
  noise_reduction: z.optional(z.boolean()),
  need_volume_normalization: z.optional(z.boolean()),
  accuracy: z.optional(z.union([z.number(), z.string()])),
});

/** A voice design body as the service accepts it. */
export type VoiceDesignBody = WithOptional<VoiceDesignParams, 'preview_text'>;

export const voiceDesignBody = bodySchema<VoiceDesignBody>({
  prompt: z.string(),
  preview_text: z.optional(z.string()),
  text: z.optional(z.string()),
  display_name: z.optional(z.string()),
  name: z.optional(z.string()),
  language: z.optional(z.string()),
  description: z.optional(z.string()),
});
