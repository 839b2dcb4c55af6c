import type { ModelId } from '../catalog/models.ts';
import type { OpenString } from '../schema.ts';
import { requiredTextProblem } from '../type-guards.ts';
import type { FieldProblem } from '../type-guards.ts';

/**
 * Parameters of a music generation, sent unchanged.
 *
 * A field that is not listed here does not compile. Pass it in the `extraBody` option, or declare it once for your
 * project by augmenting this interface.
 *
 * @example
 * ```ts
 * await gateway.audio.music.generate(params, { extraBody: { tempo: 90 } });
 * ```
 *
 * @example
 * ```ts
 * declare module 'polygate' {
 *   interface MusicParams {
 *     tempo?: number;
 *   }
 * }
 * ```
 */
export interface MusicParams {
  /**
   * Id of a model whose `type` in `models.list()` is `'audio'`.
   * @minLength 1
   */
  model: ModelId<'audio'>;
  /** Text prompt that describes the music. */
  prompt: string;
  /** Lyrics. Recommended unless `is_instrumental` is true. */
  lyrics?: string | undefined;
  /** Whether to optimize the lyrics. */
  lyrics_optimizer?: boolean | undefined;
  /** Whether to generate an instrumental without vocals. */
  is_instrumental?: boolean | undefined;
  /** Audio settings, passed through. */
  audio_setting?: Record<string, unknown> | undefined;
}

/** One voice in a voice mix. The specification does not document its fields. */
export interface TimberWeight {
  /** Voice id. */
  voice_id?: string | undefined;
  /** Weight of the voice in the mix. */
  weight?: number | undefined;
}

/** Parameters of a speech synthesis with the text in `input` (OpenAI style). */
export interface SpeechInputParams extends Omit<SpeechParams, 'text' | 'input'> {
  /** Text to synthesize. Every character is billed, including spaces and line breaks. */
  input: string;
  /** Text to synthesize; takes precedence over `input`. */
  text?: string | undefined;
}

/**
 * Parameters of a speech synthesis, sent unchanged. The text can be in `input` instead; see {@link SpeechInputParams}.
 * Set a voice: the specification contradicts itself on whether it is required.
 *
 * A field that is not listed here does not compile. Pass it in the `extraBody` option, or declare it once for your
 * project by augmenting this interface.
 *
 * @example
 * ```ts
 * await gateway.audio.speech.generate(params, { extraBody: { reverb: 0.2 } });
 * ```
 *
 * @example
 * ```ts
 * declare module 'polygate' {
 *   interface SpeechParams {
 *     reverb?: number;
 *   }
 * }
 * ```
 */
export interface SpeechParams {
  /**
   * Speech model id.
   * @minLength 1
   */
  model: ModelId<'audio'>;
  /**
   * Text to synthesize; takes precedence over `input`. Every character is billed, including spaces and line breaks.
   * @alternative input
   */
  text: string;
  /** Text to synthesize (OpenAI style). Ignored, because `text` takes precedence. */
  input?: string | undefined;
  /** Id of a system voice or private voice. The voice must be compatible with the model. */
  voice_id?: string | undefined;
  /** Voice name, for compatibility with other services. */
  voice?: string | undefined;
  /**
   * Speaking speed, 0.5 to 2.0.
   * @minimum 0.5
   * @maximum 2
   */
  speed?: number | undefined;
  /** Volume. The range is not documented. */
  volume?: number | undefined;
  /** Pitch. The range is not documented. */
  pitch?: number | undefined;
  /** Emotion of the voice. */
  emotion?:
    | OpenString<'happy' | 'sad' | 'angry' | 'fearful' | 'disgusted' | 'surprised' | 'neutral'>
    | undefined;
  /**
   * Language of the text.
   * @sample English
   */
  language?: OpenString<'Chinese' | 'English' | 'Japanese' | 'auto'> | undefined;
  /** How the result is returned; `url` is recommended. */
  output_format?: OpenString<'url'> | undefined;
  /** How the result is returned; `url` is recommended. Alternative to `output_format`. */
  response_format?: OpenString<'url'> | undefined;
  /**
   * Audio file format.
   * @sample mp3
   */
  format?: OpenString<'mp3' | 'wav'> | undefined;
  /** Sample rate in Hz. */
  sample_rate?: 32000 | 44100 | undefined;
  /** Pronunciations of specific words. */
  pronunciation_dict?: Record<string, unknown> | undefined;
  /** Voices to mix, with their weights. */
  timber_weights?: readonly TimberWeight[] | undefined;
  /** Whether to generate subtitles. */
  subtitle_enable?: boolean | undefined;
  /** Custom metadata. */
  metadata?: Record<string, unknown> | undefined;
  /** Additional options for the model. */
  extra_body?: Record<string, unknown> | undefined;
  /** Audio settings, passed through. */
  audio_setting?: Record<string, unknown> | undefined;
}

// As with images, each of the fields that replace each other is in one member, so that editors show its documentation.
/** What speech can be generated from: {@link SpeechParams} or {@link SpeechInputParams}. */
export type SpeechInput = Omit<SpeechParams, 'text' | 'input'> &
  (Pick<SpeechInputParams, 'input'> | Pick<SpeechParams, 'text'>);

/** Checks music params and returns the problem, or undefined. */
export function musicParamsProblem(params: Record<string, unknown>): FieldProblem | undefined {
  return requiredTextProblem(params, 'prompt');
}

/** Checks speech params and returns the problem, or undefined. */
export function speechParamsProblem(params: Record<string, unknown>): FieldProblem | undefined {
  const { speed = 1, sample_rate: sampleRate = 32000 } = params;
  if (typeof speed !== 'number' || !(speed >= 0.5 && speed <= 2)) {
    return ['speed', 'must be from 0.5 to 2'];
  }
  if (sampleRate !== 32000 && sampleRate !== 44100) {
    return ['sample_rate', 'must be 32000 or 44100'];
  }
  return requiredTextProblem(params, 'input') && requiredTextProblem(params, 'text');
}
