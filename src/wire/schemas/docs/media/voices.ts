// Generated from the doc comments of the interfaces by `npm run schema-docs`.
import type {
  BillingContract,
  BillingFacts,
  Voice,
  VoiceCloneParams,
  VoiceCreation,
  VoiceDesignParams,
  VoiceListRecord,
  VoiceOutput,
} from '../../../types/media/voices.ts';
import type { Docs } from '../../record-schema.ts';

export const voiceCloneParams: Docs<VoiceCloneParams> = {
  fields: {
    audio_url: 'URL of the reference recording. The service must be able to reach it.',
    text: 'Transcript of the reference recording. Recommended. Billed per Unicode character.',
    preview_text: 'Alias of `text`, for compatibility.',
    display_name: 'Display name of the new voice.',
    name: 'Alias of `display_name`.',
    language: 'Language of the voice.',
    description: 'Human-readable description of the voice.',
    noise_reduction: 'Whether to reduce noise in the recording.',
    need_volume_normalization: 'Whether to normalize the volume of the recording.',
    accuracy: 'Accuracy of the clone, passed through.',
  },
};

export const voiceDesignParams: Docs<VoiceDesignParams> = {
  fields: {
    prompt: 'Description of the voice to design.',
    preview_text: 'Text of the audio preview. Billed per Unicode character.',
    text: 'Alias of `preview_text`.',
    display_name: 'Display name of the new voice.',
    name: 'Alias of `display_name`.',
    language: 'Language of the voice.',
    description: 'Human-readable description of the voice.',
  },
};

export const voice: Docs<Voice> = {
  fields: {
    voice_id: 'Voice id to use in speech requests.',
    display_name: 'Display name.',
    language: 'Language of the voice, such as `English` or `Chinese (Mandarin)`.',
    description: 'Human-readable description.',
    source_type: 'Origin of the voice.',
    visibility: 'Visibility: available to all users, or only to the owner.',
    status: 'Status of the voice. The only documented value is `active`.',
    compatible_models: 'Ids of the speech models that accept the voice.',
    preview_audio_url: 'URL of an audio preview; null if there is none.',
    created_at: 'Creation time (ISO 8601, UTC).',
  },
};

export const voiceListRecord: Docs<VoiceListRecord> = {
  fields: {
    object: 'Record type.',
    model: 'Speech model that the list was filtered by; null or absent if it was not filtered.',
    data: 'Voices available to the caller.',
  },
};

export const billingFacts: Docs<BillingFacts> = {
  fields: {
    voice_clones: 'Number of cloned voices.',
    voice_designs: 'Number of designed voices.',
    preview_characters: 'Number of Unicode characters in the preview text.',
  },
};

export const billingContract: Docs<BillingContract> = {
  fields: {
    billing_version: 'Version of the billing rules.',
    public_model: 'Public model name.',
    operation: 'Billed operation.',
    settlement_policy: 'Settlement policy.',
    billing_stage: 'Billing stage.',
    facts: 'Quantities on which the charge is based.',
  },
};

export const voiceOutput: Docs<VoiceOutput> = {
  fields: {
    url: 'URL of the file.',
    type: 'File type.',
  },
};

export const voiceCreation: Docs<VoiceCreation> = {
  fields: {
    object: 'Record type.',
    model: 'Id of the clone or design capability.',
    task_id: 'Task id.',
    voice_id: 'Id of the new private voice to use in speech requests.',
    preview_audio_url: 'URL of an audio preview.',
    voice: 'The new voice.',
    billing_contract: 'Billing details.',
    outputs: 'Output files.',
  },
};
