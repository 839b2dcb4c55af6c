// Generated from the interfaces in `src/wire/types` by `npm run schema-docs`.
import * as z from 'zod/mini';

import { either, openString, paramsSchema, recordSchema } from '../../schemas/record-schema.ts';
import type { Schema, WithOptional } from '../../schemas/record-schema.ts';
import type { BillingContract, BillingFacts, Voice, VoiceCloneParams, VoiceCreation, VoiceDesignParams, VoiceListRecord, VoiceOutput } from '../../types/media/voices.ts';

export const voiceCloneParams: Schema<VoiceCloneParams> = paramsSchema({
  audio_url: ["URL of the reference recording. The service must be able to reach it.", z.string()],
  text: ["Transcript of the reference recording. Recommended. Billed per Unicode character.", z.optional(z.string())],
  preview_text: ["Alias of `text`, for compatibility.", z.optional(z.string())],
  display_name: ["Display name of the new voice.", z.optional(z.string())],
  name: ["Alias of `display_name`.", z.optional(z.string())],
  language: ["Language of the voice.", z.optional(z.string())],
  description: ["Human-readable description of the voice.", z.optional(z.string())],
  noise_reduction: ["Whether to reduce noise in the recording.", z.optional(z.boolean())],
  need_volume_normalization: ["Whether to normalize the volume of the recording.", z.optional(z.boolean())],
  accuracy: ["Accuracy of the clone, passed through.", z.optional(either(z.number(), z.string()))],
});

export const voiceCloneParamsKeywords = {
  "audio_url": {
    "format": "uri"
  },
  "language": {
    "example": "English"
  }
} as const;

export const voiceDesignParams: Schema<WithOptional<VoiceDesignParams, 'preview_text'>> = paramsSchema({
  prompt: ["Description of the voice to design.", z.string()],
  preview_text: ["Text of the audio preview. Billed per Unicode character.", z.optional(z.string())],
  text: ["Alias of `preview_text`.", z.optional(z.string())],
  display_name: ["Display name of the new voice.", z.optional(z.string())],
  name: ["Alias of `display_name`.", z.optional(z.string())],
  language: ["Language of the voice.", z.optional(z.string())],
  description: ["Human-readable description of the voice.", z.optional(z.string())],
});

export const voiceDesignParamsKeywords = {
  "language": {
    "example": "English"
  }
} as const;

export const voice: Schema<Voice> = recordSchema({
  voice_id: ["Voice id to use in speech requests.", z.string()],
  display_name: ["Display name.", z.string()],
  language: ["Language of the voice, such as `English` or `Chinese (Mandarin)`.", z.string()],
  description: ["Human-readable description.", z.string()],
  source_type: ["Origin of the voice.", openString("system", "voice_clone", "voice_design")],
  visibility: ["Visibility: available to all users, or only to the owner.", openString("public", "private")],
  status: ["Status of the voice. The only documented value is `active`.", openString("active")],
  compatible_models: ["Ids of the speech models that accept the voice.", z.array(z.string())],
  preview_audio_url: ["URL of an audio preview; null if there is none.", z.nullable(z.string())],
  created_at: ["Creation time (ISO 8601, UTC).", z.string()],
});

export const voiceKeywords = {
  "language": {
    "example": "Chinese (Mandarin)"
  },
  "preview_audio_url": {
    "format": "uri"
  },
  "created_at": {
    "format": "date-time"
  }
} as const;

export const voiceListRecord: Schema<VoiceListRecord> = recordSchema({
  object: ["Record type.", z.literal("audio.voice.list")],
  model: ["Speech model that the list was filtered by; null or absent if it was not filtered.", z.nullish(z.string())],
  data: ["Voices available to the caller.", z.array(voice)],
});

const billingFacts: Schema<BillingFacts> = recordSchema({
  voice_clones: ["Number of cloned voices.", z.optional(z.number())],
  voice_designs: ["Number of designed voices.", z.optional(z.number())],
  preview_characters: ["Number of Unicode characters in the preview text.", z.number()],
});

const billingContract: Schema<BillingContract> = recordSchema({
  billing_version: ["Version of the billing rules.", z.string()],
  public_model: ["Public model name.", z.string()],
  operation: ["Billed operation.", openString("audio.voice_clone", "audio.voice_design")],
  settlement_policy: ["Settlement policy.", openString("fixed_at_estimate")],
  billing_stage: ["Billing stage.", openString("final")],
  facts: ["Quantities on which the charge is based.", billingFacts],
});

const voiceOutput: Schema<VoiceOutput> = recordSchema({
  url: ["URL of the file.", z.string()],
  type: ["File type.", openString("audio")],
});

export const voiceCreation: Schema<VoiceCreation> = recordSchema({
  object: ["Record type.", z.literal("audio.voice")],
  model: ["Id of the clone or design capability.", z.string()],
  task_id: ["Task id.", z.string()],
  voice_id: ["Id of the new private voice to use in speech requests.", z.string()],
  preview_audio_url: ["URL of an audio preview.", z.string()],
  voice: ["The new voice.", voice],
  billing_contract: ["Billing details.", billingContract],
  outputs: ["Output files.", z.array(voiceOutput)],
});

export const voiceCreationKeywords = {
  "preview_audio_url": {
    "format": "uri"
  },
  "voice.language": {
    "example": "Chinese (Mandarin)"
  },
  "voice.preview_audio_url": {
    "format": "uri"
  },
  "voice.created_at": {
    "format": "date-time"
  },
  "outputs[].url": {
    "format": "uri"
  }
} as const;
