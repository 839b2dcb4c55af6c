// Generated from the doc comments of the interfaces by `npm run schema-docs`.
import type { VoiceCloneParams, VoiceDesignParams } from '../../../types/media/voice-params.ts';
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
