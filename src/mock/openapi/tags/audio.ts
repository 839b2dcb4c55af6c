import { musicBody, speechBody } from '../../../schemas/media/audio.ts';
import { audioTaskRecord } from '../../../schemas/tasks/task.ts';
import { documentedAudioBody } from '../../tasks/prepare-audio.ts';
import type { TagDocs } from '../docs.ts';
import {
  pollOperation,
  submitErrorCodes,
  submitDescription,
  submitResponses,
  taskExample,
  taskFields,
} from './tasks.ts';

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
      fields: {},
    },
    MusicRequest: {
      schema: musicBody,
      description: 'Music generation parameters. Music is billed per output.',
      fields: {
        model: { description: 'Music model id.', example: 'anthem-music' },
        prompt: { description: 'Text prompt.', minLength: 1 },
        lyrics: 'Lyrics. Recommended unless `is_instrumental` is true.',
        lyrics_optimizer: 'Whether the lyrics are optimized.',
        is_instrumental: 'Whether the music is instrumental only.',
        audio_setting: 'Audio settings, passed through to the model.',
      },
    },
    SpeechRequest: {
      schema: speechBody,
      description:
        'Speech generation parameters. `text` or `input` is required, and so is a voice: `voice_id`, `voice` or `timber_weights`. Every character is billed, including spaces, line breaks and emoji.',
      fields: {
        model: { description: 'Speech model id.', example: 'echo-speech' },
        text: 'Text to synthesize. Takes precedence over `input`. Some models support pause markers such as `<#0.5#>` (seconds) and interjections such as `(laughs)` or `(sighs)`.',
        input: 'OpenAI-style alternative to `text`.',
        voice_id:
          'Id of a system voice or of one of your private voices. It must be compatible with the model.',
        voice: 'Voice name, for compatibility with other services.',
        speed: { description: 'Speaking speed.', minimum: 0.5, maximum: 2 },
        volume: 'Volume.',
        pitch: 'Pitch.',
        emotion: {
          description: 'Emotion of the voice.',
          enum: ['happy', 'sad', 'angry', 'fearful', 'disgusted', 'surprised', 'neutral'],
        },
        language: { description: 'Language of the text, or `auto`.', example: 'English' },
        output_format: 'Form in which the result is returned; `url` is recommended.',
        response_format: 'Alias of `output_format`.',
        format: { description: 'Audio file format, such as `mp3` or `wav`.', example: 'mp3' },
        sample_rate: 'Sample rate in Hz.',
        pronunciation_dict: 'Pronunciations of specific words.',
        timber_weights: 'Voices to mix.',
        'timber_weights[].voice_id': 'Voice id.',
        'timber_weights[].weight': 'Weight of the voice in the mix.',
        subtitle_enable: 'Whether subtitles are generated.',
        metadata: 'Your own metadata.',
        extra_body: 'Additional options, passed through to the model.',
        audio_setting: 'Audio settings, passed through to the model.',
      },
    },
    AudioTask: {
      schema: audioTaskRecord,
      description: 'A music or speech generation task.',
      example: taskExample('audio', 'wav'),
      fields: {
        ...taskFields('audio'),
        output: 'Alternative to `result` in some successful responses.',
        'output.audio_url': { description: 'Result URL.', format: 'uri' },
      },
    },
  },
};
