import { voiceCloneBody, voiceDesignBody } from '../../../schemas/media/voice-params.ts';
import {
  voiceCreationRecord,
  voiceListRecord,
  voiceRecord,
} from '../../../schemas/media/voices.ts';
import type { TagDocs } from '../docs.ts';

const creation =
  'The new voice is private and can be used immediately. Every request is charged, even with a reused `x-idempotency-key`.';

const commonFields = {
  display_name: 'Display name.',
  name: 'Alias of `display_name`.',
  language: { description: 'Language of the voice.', example: 'English' },
  description: 'Human-readable description.',
};

const errorCodes = { 400: ['invalid_request_parameter', 'invalid_idempotency_key'] };

/** Specification: Audio; Voice; Voice creation result. */
export const voicesDocs: TagDocs = {
  tag: { name: 'Voices', description: 'System, cloned and designed voices for speech.' },
  operations: {
    'GET /v1/audio/voices': {
      id: 'listVoices',
      description:
        'Lists system voices and your own private voices. Listing voices is free of charge.',
      query: { model: 'Speech model id. Return only voices that are compatible with it.' },
      responses: { 200: ['The voices that you can use.'] },
    },
    'POST /v1/audio/voices/clone': {
      id: 'cloneVoice',
      description: `Creates a voice from a recording. ${creation} Price: 1.5 USD per voice and 0.0003 USD per Unicode character of \`text\`.`,
      examples: {
        'Cloned voice': {
          audio_url: 'https://files.example/ann.mp3',
          text: 'Land in sight',
          display_name: 'Ann',
        },
      },
      responses: { 200: ['The new voice.'] },
      errorCodes,
    },
    'POST /v1/audio/voices/design': {
      id: 'designVoice',
      description: `Creates a voice from a description. ${creation} Price: 3 USD per voice and 0.00003 USD per Unicode character of the preview text.`,
      examples: { 'Designed voice': { prompt: 'An old sailor', preview_text: 'Land in sight' } },
      responses: { 200: ['The new voice.'] },
      errorCodes,
    },
  },
  schemas: {
    Voice: {
      schema: voiceRecord,
      description: 'A voice for speech.',
      example: {
        voice_id: 'calm-narrator',
        display_name: 'Calm narrator',
        language: 'English',
        description: 'Warm and slow',
        source_type: 'system',
        visibility: 'public',
        status: 'active',
        compatible_models: ['echo-speech'],
        preview_audio_url: null,
        created_at: '2026-01-01T00:00:00.000Z',
      },
      fields: {
        voice_id: 'Voice id, as used in speech requests.',
        display_name: 'Display name.',
        language: { description: 'Language of the voice.', example: 'Chinese (Mandarin)' },
        description: 'Human-readable description.',
        source_type: {
          description: 'Origin of the voice.',
          enum: ['system', 'voice_clone', 'voice_design'],
        },
        visibility: {
          description: 'Whether every user can use the voice, or only its owner.',
          enum: ['public', 'private'],
        },
        status: 'Voice status, `active`.',
        compatible_models: 'Ids of the compatible speech models.',
        preview_audio_url: {
          description: 'URL of an audio preview; null if there is none.',
          format: 'uri',
        },
        created_at: { description: 'Creation time in UTC.', format: 'date-time' },
      },
    },
    VoiceList: {
      schema: voiceListRecord,
      description: 'A list of voices.',
      fields: {
        object: 'Object type.',
        model: 'Requested speech model id; null if the list is not filtered.',
        data: 'Voices.',
      },
    },
    VoiceCloneRequest: {
      schema: voiceCloneBody,
      description: 'Voice clone parameters.',
      fields: {
        audio_url: {
          description: 'URL of the reference recording. The service must be able to reach it.',
          format: 'uri',
        },
        text: 'Transcript of the recording. Recommended. Billed per Unicode character.',
        preview_text: 'Alias of `text`.',
        ...commonFields,
        noise_reduction: 'Whether to reduce noise in the recording.',
        need_volume_normalization: 'Whether to normalize the volume of the recording.',
        accuracy: 'Accuracy of the clone, passed through to the model.',
      },
    },
    VoiceDesignRequest: {
      schema: voiceDesignBody,
      description: 'Voice design parameters. `preview_text` or its alias `text` is required.',
      fields: {
        prompt: { description: 'Description of the voice to create.', minLength: 1 },
        preview_text: 'Text of the audio preview. Billed per Unicode character.',
        text: 'Alias of `preview_text`.',
        ...commonFields,
      },
    },
    VoiceCreation: {
      schema: voiceCreationRecord,
      description: 'A new voice with its billing information.',
      fields: {
        object: 'Object type.',
        model: 'Id of the clone or design capability.',
        task_id: 'Task id.',
        voice_id: 'Id of the new voice, as used in speech requests.',
        preview_audio_url: { description: 'URL of an audio preview.', format: 'uri' },
        billing_contract: 'Billing information.',
        'billing_contract.billing_version': 'Billing version.',
        'billing_contract.public_model': 'Public model id.',
        'billing_contract.operation': {
          description: 'Billed operation.',
          enum: ['audio.voice_clone', 'audio.voice_design'],
        },
        'billing_contract.settlement_policy': 'Settlement policy, such as `fixed_at_estimate`.',
        'billing_contract.billing_stage': 'Billing stage, such as `final`.',
        'billing_contract.facts': 'Quantities on which the charge is based.',
        'billing_contract.facts.voice_clones': 'Number of cloned voices.',
        'billing_contract.facts.voice_designs': 'Number of designed voices.',
        'billing_contract.facts.preview_characters':
          'Number of Unicode characters in the preview text.',
        outputs: 'Output files.',
        'outputs[].url': { description: 'File URL.', format: 'uri' },
        'outputs[].type': 'File type, `audio`.',
      },
    },
  },
};
