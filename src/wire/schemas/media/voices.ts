import type { Voice, VoiceCloneParams, VoiceDesignAliasParams, VoiceDesignParams } from 'polygate';
import * as z from 'zod/mini';

import { voiceCloneParamsProblem, voiceDesignParamsProblem } from '../../types/media/voices.ts';
import * as docs from '../docs/media.ts';
import { accepted, withProblem } from '../params.ts';
import { openString, recordSchema, paramsSchema } from '../record-schema.ts';
import type { Docs, WithOptional } from '../record-schema.ts';

const text = z.optional(z.string());
const flag = z.optional(z.boolean());

/** The body of a voice clone. */
export const voiceCloneParams: z.ZodMiniType<VoiceCloneParams, VoiceCloneParams> = withProblem(
  paramsSchema(docs.voiceCloneParams, {
    audio_url: z.string(),
    text,
    preview_text: text,
    display_name: text,
    name: text,
    language: text,
    description: text,
    noise_reduction: flag,
    need_volume_normalization: flag,
    accuracy: z.optional(z.union([z.number(), z.string()])),
  }),
  voiceCloneParamsProblem,
);

/** A voice design body as the service accepts it. */
export type VoiceDesignBody = WithOptional<VoiceDesignParams, 'preview_text'>;

/** The fields are the same; another one can replace `preview_text`. */
const bodyDocs: Docs<VoiceDesignBody> = docs.voiceDesignParams;

/** The body of a voice design, with the text of the preview in `preview_text` or `text`. */
export const voiceDesignParams: z.ZodMiniType<
  VoiceDesignAliasParams | VoiceDesignParams,
  VoiceDesignAliasParams | VoiceDesignParams
> = withProblem(
  paramsSchema(bodyDocs, {
    prompt: z.string(),
    preview_text: text,
    text,
    display_name: text,
    name: text,
    language: text,
    description: text,
  }),
  voiceDesignParamsProblem,
);

export const voiceCloneBody = /* @__PURE__ */ accepted<VoiceCloneParams>(voiceCloneParams);

export const voiceDesignBody = /* @__PURE__ */ accepted<VoiceDesignBody>(voiceDesignParams);

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
