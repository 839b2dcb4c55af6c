import { voiceCloneParamsSchema, voiceDesignParamsSchema } from '../../../schemas/voice-params.ts';
import { voiceCreationRecord, voiceListRecord, voiceRecord } from '../../../schemas/voices.ts';
import type { TagDocs } from '../docs.ts';

const created =
  'The new voice is private to the caller and can be used at once. Asking twice pays twice, with the same `x-idempotency-key` as well.';

const about = {
  display_name: 'Name of the new voice, for people.',
  name: 'The same as `display_name`.',
  language: { description: 'Language of the voice.', example: 'English' },
  description: 'What the voice is like, for people.',
};

const codes = { 400: ['invalid_request_parameter', 'invalid_idempotency_key'] };

/** Specification: Audio; Voice; Voice creation result. */
export const voicesDocs: TagDocs = {
  tag: { name: 'Voices', description: 'Voices for speech: of the service, cloned or designed.' },
  operations: {
    'GET /v1/audio/voices': {
      id: 'listVoices',
      description: "The service's own voices and the caller's private ones. Not billed.",
      query: { model: 'Only voices that this speech model accepts.' },
      responses: { 200: ['The voices that the caller may use.'] },
    },
    'POST /v1/audio/voices/clone': {
      id: 'cloneVoice',
      description: `${created} Costs 1.5 USD a voice and 0.0003 USD a character of the preview text; characters are counted in Unicode.`,
      examples: {
        'A copy': {
          audio_url: 'https://files.example/ann.mp3',
          text: 'Land in sight',
          display_name: 'Ann',
        },
      },
      responses: { 200: ['The new voice.'] },
      errorCodes: codes,
    },
    'POST /v1/audio/voices/design': {
      id: 'designVoice',
      description: `${created} Costs 3 USD a voice and 0.00003 USD a character of the preview text; characters are counted in Unicode.`,
      examples: { 'A sailor': { prompt: 'An old sailor', preview_text: 'Land in sight' } },
      responses: { 200: ['The new voice.'] },
      errorCodes: codes,
    },
  },
  schemas: {
    Voice: {
      schema: voiceRecord,
      description: 'A voice that speech can use.',
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
        voice_id: 'Id of the voice, for speech requests.',
        display_name: 'Name of the voice, for people.',
        language: { description: 'Language of the voice.', example: 'Chinese (Mandarin)' },
        description: 'What the voice is like, for people.',
        source_type: {
          description: 'Where the voice comes from.',
          enum: ['system', 'voice_clone', 'voice_design'],
        },
        visibility: { description: 'Who may use the voice.', enum: ['public', 'private'] },
        status: 'State of the voice, `active`.',
        compatible_models: 'Ids of the speech models that accept the voice.',
        preview_audio_url: { description: 'URL of a sample; null without one.', format: 'uri' },
        created_at: { description: 'When the voice was made, UTC.', format: 'date-time' },
      },
    },
    VoiceList: {
      schema: voiceListRecord,
      description: 'Voices.',
      fields: {
        object: 'Kind of record.',
        model: 'The speech model that was asked for; null when none was.',
        data: 'The voices.',
      },
    },
    VoiceCloneRequest: {
      schema: voiceCloneParamsSchema,
      description: 'Which voice to copy.',
      fields: {
        audio_url: {
          description: 'URL of a recording that the service can reach.',
          format: 'uri',
        },
        text: 'What is said in the recording; recommended.',
        preview_text: 'The same as `text`, for compatibility.',
        ...about,
        noise_reduction: 'Whether to take the noise out of the recording.',
        need_volume_normalization: 'Whether to even out its loudness.',
        accuracy: 'How exact the copy has to be, passed through to the model.',
      },
    },
    VoiceDesignRequest: {
      schema: voiceDesignParamsSchema,
      description: 'Which voice to make up. `preview_text` is required; `text` is its other name.',
      fields: {
        prompt: { description: 'What the voice should be like.', minLength: 1 },
        preview_text: 'What the sample says; its Unicode characters are billed.',
        text: 'The same as `preview_text`.',
        ...about,
      },
    },
    VoiceCreation: {
      schema: voiceCreationRecord,
      description: 'A new voice and what it cost.',
      fields: {
        object: 'Kind of record.',
        model: 'Id of the clone or design capability.',
        task_id: 'Id of the task that made it.',
        voice_id: 'Id of the new voice, for speech requests.',
        preview_audio_url: { description: 'URL of a sample.', format: 'uri' },
        billing_contract: 'How the voice was billed.',
        'billing_contract.billing_version': 'Version of the billing rules.',
        'billing_contract.public_model': 'The model as the price list names it.',
        'billing_contract.operation': {
          description: 'What was billed.',
          enum: ['audio.voice_clone', 'audio.voice_design'],
        },
        'billing_contract.settlement_policy':
          'How the charge was settled, such as `fixed_at_estimate`.',
        'billing_contract.billing_stage': 'How far the billing has come, such as `final`.',
        'billing_contract.facts': 'The numbers that the charge is computed from.',
        'billing_contract.facts.voice_clones': 'Voices cloned.',
        'billing_contract.facts.voice_designs': 'Voices designed.',
        'billing_contract.facts.preview_characters': 'Unicode characters of the preview text.',
        outputs: 'Files that came with the voice.',
        'outputs[].url': { description: 'URL of the file.', format: 'uri' },
        'outputs[].type': 'Kind of file, `audio`.',
      },
    },
  },
};
