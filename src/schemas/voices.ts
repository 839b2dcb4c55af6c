import * as z from 'zod/mini';

import { recordSchema, openString } from './record-schema.ts';
import { arrayField, responseSchema, stringField } from './schema.ts';
import type { Open } from './schema.ts';

/** A voice that speech can use. Specification: Voice. */
export interface Voice {
  /** Id of the voice, for speech requests. */
  voice_id: string;
  /** Name of the voice, for people. */
  display_name: string;
  /** Language of the voice, such as `English` or `Chinese (Mandarin)`. */
  language: string;
  /** What the voice is like, for people. */
  description: string;
  /** Where the voice comes from. */
  source_type: Open<'system' | 'voice_clone' | 'voice_design'>;
  /** Who may use the voice: everybody, or its owner. */
  visibility: Open<'public' | 'private'>;
  /** State of the voice; `active` is the one documented word. */
  status: Open<'active'>;
  /** Ids of the speech models that accept the voice. */
  compatible_models: string[];
  /** URL of a sample; null without one. */
  preview_audio_url: string | null;
  /** When the voice was made, ISO 8601, UTC. */
  created_at: string;
}

/** Which voices to list. Specification: Audio, GET /audio/voices. */
export interface VoiceListQuery {
  /** Only voices that this speech model accepts. */
  model?: string | undefined;
}

/** The voices as the service sends them. Specification: Audio, GET /audio/voices. */
export interface VoiceListRecord {
  /** Kind of record. */
  object: 'audio.voice.list';
  /** The speech model that was asked for; absent or null when none was. */
  model?: string | null | undefined;
  /** The voices that the caller may use. */
  data: Voice[];
}

/**
 * The voices: `for (const voice of list)` goes over `data`. Specification: Audio, GET
 * /audio/voices.
 */
export interface VoiceList extends VoiceListRecord, Iterable<Voice> {}

/**
 * What a new voice is billed for; which facts there are depends on how it was made. Specification:
 * Limits.
 */
export interface BillingFacts {
  /** Voices cloned. */
  voice_clones?: number | undefined;
  /** Voices designed. */
  voice_designs?: number | undefined;
  /** Unicode characters of the preview text. */
  preview_characters: number;
}

/** How a new voice was billed. Specification: Voice creation result, `billing_contract`. */
export interface BillingContract {
  /** Version of the billing rules. */
  billing_version: string;
  /** The model as the price list names it. */
  public_model: string;
  /** What was billed. */
  operation: Open<'audio.voice_clone' | 'audio.voice_design'>;
  /** How the charge was settled. */
  settlement_policy: Open<'fixed_at_estimate'>;
  /** How far the billing has come. */
  billing_stage: Open<'final'>;
  /** The numbers that the charge is computed from. */
  facts: BillingFacts;
}

/** A file that came with a new voice. Specification: Voice creation result, `outputs`. */
export interface VoiceOutput {
  /** URL of the file. */
  url: string;
  /** Kind of file. */
  type: Open<'audio'>;
}

/** A new voice. Specification: Voice creation result. */
export interface VoiceCreation {
  /** Kind of record. */
  object: 'audio.voice';
  /** Id of the clone or design capability. */
  model: string;
  /** Task id. */
  task_id: string;
  /** Id of the new private voice, for speech requests. */
  voice_id: string;
  /** URL of a sample. */
  preview_audio_url: string;
  /** The new voice. */
  voice: Voice;
  /** How it was billed. */
  billing_contract: BillingContract;
  /** The files that came with it. */
  outputs: VoiceOutput[];
}

export const voiceRecord = /* @__PURE__ */ (() =>
  recordSchema<Voice>({
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
  }))();

export const voiceListRecord = /* @__PURE__ */ (() =>
  recordSchema<VoiceListRecord>({
    object: z.literal('audio.voice.list'),
    model: z.nullish(z.string()),
    data: z.array(voiceRecord),
  }))();

export const voiceListSchema = /* @__PURE__ */ responseSchema<VoiceListRecord>({
  data: arrayField(responseSchema<Voice>({})),
});

export const voiceCreationRecord = /* @__PURE__ */ (() =>
  recordSchema<VoiceCreation>({
    object: z.literal('audio.voice'),
    model: z.string(),
    task_id: z.string(),
    voice_id: z.string(),
    preview_audio_url: z.string(),
    voice: voiceRecord,
    billing_contract: recordSchema<BillingContract>({
      billing_version: z.string(),
      public_model: z.string(),
      operation: openString<'audio.voice_clone'>(),
      settlement_policy: openString<'fixed_at_estimate'>(),
      billing_stage: openString<'final'>(),
      facts: recordSchema<BillingFacts>({
        voice_clones: z.optional(z.number()),
        voice_designs: z.optional(z.number()),
        preview_characters: z.number(),
      }),
    }),
    outputs: z.array(recordSchema<VoiceOutput>({ url: z.string(), type: openString<'audio'>() })),
  }))();

export const voiceCreationSchema = /* @__PURE__ */ responseSchema<VoiceCreation>({
  voice_id: stringField,
});
