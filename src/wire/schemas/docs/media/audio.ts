// Generated from the doc comments of the interfaces by `npm run schema-docs`.
import type { MusicParams, SpeechParams, TimberWeight } from '../../../types/media/audio.ts';
import type { Docs } from '../../record-schema.ts';

export const musicParams: Docs<MusicParams> = {
  fields: {
    model: "Id of a model whose `type` in `models.list()` is `'audio'`.",
    prompt: 'Text prompt that describes the music.',
    lyrics: 'Lyrics. Recommended unless `is_instrumental` is true.',
    lyrics_optimizer: 'Whether to optimize the lyrics.',
    is_instrumental: 'Whether to generate an instrumental without vocals.',
    audio_setting: 'Audio settings, passed through.',
  },
};

export const timberWeight: Docs<TimberWeight> = {
  fields: {
    voice_id: 'Voice id.',
    weight: 'Weight of the voice in the mix.',
  },
};

export const speechParams: Docs<SpeechParams> = {
  fields: {
    model: 'Speech model id.',
    text: 'Text to synthesize; takes precedence over `input`. Every character is billed, including spaces and line breaks.',
    input: 'Text to synthesize (OpenAI style). Ignored, because `text` takes precedence.',
    voice_id: 'Id of a system voice or private voice. The voice must be compatible with the model.',
    voice: 'Voice name, for compatibility with other services.',
    speed: 'Speaking speed, 0.5 to 2.0.',
    volume: 'Volume. The range is not documented.',
    pitch: 'Pitch. The range is not documented.',
    emotion: 'Emotion of the voice.',
    language: 'Language of the text.',
    output_format: 'How the result is returned; `url` is recommended.',
    response_format:
      'How the result is returned; `url` is recommended. Alternative to `output_format`.',
    format: 'Audio file format.',
    sample_rate: 'Sample rate in Hz.',
    pronunciation_dict: 'Pronunciations of specific words.',
    timber_weights: 'Voices to mix, with their weights.',
    subtitle_enable: 'Whether to generate subtitles.',
    metadata: 'Custom metadata.',
    extra_body: 'Additional options for the model.',
    audio_setting: 'Audio settings, passed through.',
  },
};
