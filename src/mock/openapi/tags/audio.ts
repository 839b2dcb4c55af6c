import * as shapes from '../../../wire/generated/index.ts';
import {
  musicBody,
  speechBody,
  voiceCloneBody,
  voiceDesignBody,
} from '../../../wire/schemas/bodies.ts';
import { documentedAudioBody } from '../../tasks/prepare.ts';
import {
  pollOperation,
  submitErrorCodes,
  submitDescription,
  submitResponses,
  taskDocs,
} from '../docs.ts';
import type { TagDocs } from '../docs.ts';

/** Specification: Audio; Audio task. */
export const audioDocs: TagDocs = {
  tag: { name: 'Audio', description: 'Asynchronous music and speech generation.' },
  operations: {
    'POST /v1/audio/tasks': {
      id: 'createAudioTask',
      description: `Submits a music or speech task. With a music model, the body is a \`MusicRequest\`; with a speech model, a \`SpeechRequest\`. ${submitDescription}`,
      examples: {
        Music: { model: 'anthem-music', prompt: 'A slow march', is_instrumental: true },
        Speech: {
          model: 'echo-speech',
          text: 'Hello there <#0.5#> (laughs)',
          voice_id: 'calm-narrator',
          speed: 1.2,
          format: 'wav',
          sample_rate: 44100,
        },
      },
      responses: submitResponses,
      errorCodes: { 400: submitErrorCodes, 404: ['task_not_found'] },
    },
    'GET /v1/audio/tasks/{taskId}': pollOperation('audio', 'getAudioTask'),
  },
  schemas: {
    AudioRequest: {
      schema: documentedAudioBody,
      description: 'Music or speech generation parameters, depending on the model.',
    },
    MusicRequest: {
      schema: musicBody,
      description: 'Music generation parameters. Music is billed per output.',
      keywords: shapes.musicParamsKeywords,
      fields: {
        model: { example: 'anthem-music' },
        prompt: { minLength: 1 },
      },
    },
    SpeechRequest: {
      schema: speechBody,
      description:
        'Speech generation parameters. `text` or `input` is required, and so is a voice: `voice_id`, `voice` or `timber_weights`. Every character is billed, including spaces, line breaks and emoji.',
      keywords: shapes.speechParamsKeywords,
      fields: {
        model: { example: 'echo-speech' },
      },
      closed: ['emotion'],
    },
    AudioTask: {
      schema: shapes.audioTaskRecord,
      description: 'A music or speech generation task.',
      keywords: shapes.audioTaskRecordKeywords,
      ...taskDocs('audio', 'wav'),
    },
  },
};

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
      schema: shapes.voice,
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
      keywords: shapes.voiceKeywords,
      closed: ['source_type', 'visibility'],
    },
    VoiceList: {
      schema: shapes.voiceListRecord,
      description: 'A list of voices.',
    },
    VoiceCloneRequest: {
      schema: voiceCloneBody,
      description: 'Voice clone parameters.',
      keywords: shapes.voiceCloneParamsKeywords,
    },
    VoiceDesignRequest: {
      schema: voiceDesignBody,
      description: 'Voice design parameters. `preview_text` or its alias `text` is required.',
      keywords: shapes.voiceDesignParamsKeywords,
      fields: { prompt: { minLength: 1 } },
    },
    VoiceCreation: {
      schema: shapes.voiceCreation,
      description: 'A new voice with its billing information.',
      keywords: shapes.voiceCreationKeywords,
      closed: ['billing_contract.operation'],
    },
  },
};
