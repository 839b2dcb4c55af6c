import { musicParamsSchema, speechParamsSchema } from '../../../schemas/audio.ts';
import { audioTaskRecord } from '../../../schemas/task.ts';
import { shownAudioBody } from '../../tasks/audio-job.ts';
import type { TagDocs } from '../docs.ts';
import { pollDocs, submitCodes, submitted, taskExample, taskFields } from './tasks.ts';

/** Specification: Audio; Audio task. */
export const audioDocs: TagDocs = {
  tag: { name: 'Audio', description: 'Tasks that make music or speak.' },
  operations: {
    'POST /v1/audio/tasks': {
      id: 'createAudioTask',
      description: `The model decides whether the body is a \`MusicRequest\` or a \`SpeechRequest\`. ${submitted}`,
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
      responses: { 202: ['The task was accepted, or replayed.'] },
      errorCodes: { 400: submitCodes, 404: ['task_not_found'] },
    },
    'GET /v1/audio/tasks/{taskId}': pollDocs('audio', 'getAudioTask'),
  },
  schemas: {
    AudioRequest: { schema: shownAudioBody, description: 'Music or speech.', fields: {} },
    MusicRequest: {
      schema: musicParamsSchema,
      description: 'What to compose. Music is billed per output.',
      fields: {
        model: { description: 'Id of a music model.', example: 'anthem-music' },
        prompt: { description: 'What the music should be like.', minLength: 1 },
        lyrics: 'What to sing; recommended unless `is_instrumental` is true.',
        lyrics_optimizer: 'Whether the service may improve the lyrics.',
        is_instrumental: 'Whether nobody sings.',
        audio_setting: 'Audio options, passed through to the model.',
      },
    },
    SpeechRequest: {
      schema: speechParamsSchema,
      description:
        'What to say, and how. One of `text` and `input` is required, and a voice: `voice_id`, `voice` or `timber_weights`. Every character is billed, spaces, line breaks and emoji included.',
      fields: {
        model: { description: 'Id of a speech model.', example: 'echo-speech' },
        text: 'What to say; wins over `input`. Some models know pauses such as `<#0.5#>` and sounds such as `(laughs)` or `(sighs)`.',
        input: 'What to say, in the style of OpenAI.',
        voice_id: 'Id of a system voice or of a private one that fits the model.',
        voice: 'Name of the voice, for compatibility.',
        speed: { description: 'Pace.', minimum: 0.5, maximum: 2 },
        volume: 'Loudness.',
        pitch: 'Pitch.',
        emotion: {
          description: 'How the voice feels.',
          enum: ['happy', 'sad', 'angry', 'fearful', 'disgusted', 'surprised', 'neutral'],
        },
        language: { description: 'Language of the text, or `auto`.', example: 'English' },
        output_format: 'How the result is handed over; `url` is recommended.',
        response_format: 'The same as `output_format`.',
        format: { description: 'File format, such as `mp3` or `wav`.', example: 'mp3' },
        sample_rate: 'Samples a second.',
        pronunciation_dict: 'How to pronounce certain words.',
        timber_weights: 'Several voices, mixed into one.',
        'timber_weights[].voice_id': 'Id of the voice.',
        'timber_weights[].weight': 'How strong it is in the mix.',
        subtitle_enable: 'Whether subtitles are made as well.',
        metadata: "Data of the caller's own.",
        extra_body: 'Options that are passed through to the model.',
        audio_setting: 'Audio options, passed through to the model.',
      },
    },
    AudioTask: {
      schema: audioTaskRecord,
      description: 'A task that makes music or speaks.',
      example: taskExample('audio', 'wav'),
      fields: {
        ...taskFields('audio'),
        output: 'The other shape of success: here instead of in `result`.',
        'output.audio_url': { description: 'URL of the file.', format: 'uri' },
      },
    },
  },
};
