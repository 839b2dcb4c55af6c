import type { Voice } from 'polygate';
import * as z from 'zod/mini';

import * as docs from '../docs/media.ts';
import { openString, recordSchema } from '../record-schema.ts';

/** A voice for speech synthesis. Unknown fields are kept. */
export const voiceRecord: z.ZodMiniType<Voice, Voice> = recordSchema(docs.voice, {
  voice_id: z.string(),
  display_name: z.string(),
  language: z.string(),
  description: z.string(),
  source_type: openString<'system'>(),
  visibility: openString<'public'>(),
  status: openString<'active'>(),
  compatible_models: z.array(z.string()),
  preview_audio_url: z.nullable(z.string()),
  created_at: z.string(),
});

export const voiceListRecord = recordSchema(docs.voiceListRecord, {
  object: z.literal('audio.voice.list'),
  model: z.nullish(z.string()),
  data: z.array(voiceRecord),
});

export const voiceCreationRecord = recordSchema(docs.voiceCreation, {
  object: z.literal('audio.voice'),
  model: z.string(),
  task_id: z.string(),
  voice_id: z.string(),
  preview_audio_url: z.string(),
  voice: voiceRecord,
  billing_contract: recordSchema(docs.billingContract, {
    billing_version: z.string(),
    public_model: z.string(),
    operation: openString<'audio.voice_clone'>(),
    settlement_policy: openString<'fixed_at_estimate'>(),
    billing_stage: openString<'final'>(),
    facts: recordSchema(docs.billingFacts, {
      voice_clones: z.optional(z.number()),
      voice_designs: z.optional(z.number()),
      preview_characters: z.number(),
    }),
  }),
  outputs: z.array(
    recordSchema(docs.voiceOutput, { url: z.string(), type: openString<'audio'>() }),
  ),
});
