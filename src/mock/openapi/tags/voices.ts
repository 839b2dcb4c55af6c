import {
  voiceCloneBody,
  voiceDesignBody,
  voiceCreationRecord,
  voiceListRecord,
  voiceRecord,
} from '../../../wire/schemas/media/voices.ts';
import type { TagDocs } from '../docs.ts';

const creation =
  'The new voice is private and can be used immediately. Every request is charged, even with a reused `x-idempotency-key`.';

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
        language: { example: 'Chinese (Mandarin)' },
        source_type: {
          enum: ['system', 'voice_clone', 'voice_design'],
        },
        visibility: {
          enum: ['public', 'private'],
        },
        preview_audio_url: { format: 'uri' },
        created_at: { format: 'date-time' },
      },
    },
    VoiceList: {
      schema: voiceListRecord,
      description: 'A list of voices.',
    },
    VoiceCloneRequest: {
      schema: voiceCloneBody,
      description: 'Voice clone parameters.',
      fields: { audio_url: { format: 'uri' }, language: { example: 'English' } },
    },
    VoiceDesignRequest: {
      schema: voiceDesignBody,
      description: 'Voice design parameters. `preview_text` or its alias `text` is required.',
      fields: {
        prompt: { minLength: 1 },
        language: { example: 'English' },
      },
    },
    VoiceCreation: {
      schema: voiceCreationRecord,
      description: 'A new voice with its billing information.',
      fields: {
        preview_audio_url: { format: 'uri' },
        'billing_contract.operation': {
          enum: ['audio.voice_clone', 'audio.voice_design'],
        },
        'outputs[].url': { format: 'uri' },
      },
    },
  },
};
