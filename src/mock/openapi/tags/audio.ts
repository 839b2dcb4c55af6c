import * as shapes from '../../../wire/generated/index.ts';
import { musicBody, speechBody } from '../../../wire/schemas/bodies.ts';
import { audioBodies } from '../../tasks/prepare.ts';
import type { TagDocs } from '../docs.ts';
import { pollOperation, submits, taskDocs } from './images.ts';

/** Specification: Audio; Audio task. */
export const audioDocs: TagDocs = {
  tag: { name: 'Audio', description: 'Asynchronous music and speech generation.' },
  operations: {
    'POST /v1/audio/tasks': {
      id: 'createAudioTask',
      description: `Submits a music or speech task. With a music model, the body is a \`MusicRequest\`; with a speech model, a \`SpeechRequest\`. ${submits.description}`,
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
      responses: submits.responses,
      errorCodes: { 400: submits.errorCodes, 404: ['task_not_found'] },
    },
    'GET /v1/audio/tasks/{taskId}': pollOperation('audio', 'getAudioTask'),
  },
  schemas: {
    AudioRequest: {
      schema: audioBodies.documentedBody,
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
