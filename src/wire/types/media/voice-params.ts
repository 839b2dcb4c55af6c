import { requiredTextProblem } from '../param-checks.ts';

/**
 * Parameters of a voice clone, sent unchanged.
 *
 * A field that is not listed here does not compile. Pass it in the `extraBody` option, or declare it once for your
 * project by augmenting this interface.
 *
 * @example
 * ```ts
 * await gateway.voices.clone(params, { extraBody: { similarity: 0.9 } });
 * ```
 *
 * @example
 * ```ts
 * declare module 'polygate' {
 *   interface VoiceCloneParams {
 *     similarity?: number;
 *   }
 * }
 * ```
 */
export interface VoiceCloneParams {
  /** URL of the reference recording. The service must be able to reach it. */
  audio_url: string;
  /** Transcript of the reference recording. Recommended. Billed per Unicode character. */
  text?: string | undefined;
  /** Alias of `text`, for compatibility. */
  preview_text?: string | undefined;
  /** Display name of the new voice. */
  display_name?: string | undefined;
  /** Alias of `display_name`. */
  name?: string | undefined;
  /** Language of the voice. */
  language?: string | undefined;
  /** Human-readable description of the voice. */
  description?: string | undefined;
  /** Whether to reduce noise in the recording. */
  noise_reduction?: boolean | undefined;
  /** Whether to normalize the volume of the recording. */
  need_volume_normalization?: boolean | undefined;
  /** Accuracy of the clone, passed through. */
  accuracy?: number | string | undefined;
}

/** Parameters of a voice design with the preview text in `text`, its alias. */
export interface VoiceDesignAliasParams extends Omit<VoiceDesignParams, 'preview_text' | 'text'> {
  /** Text of the audio preview. Billed per Unicode character. */
  text: string;
  /** Text of the audio preview; `text` is its alias. */
  preview_text?: string | undefined;
}

/**
 * Parameters of a voice design, sent unchanged. The preview text can be in `text` instead; see
 * {@link VoiceDesignAliasParams}.
 *
 * A field that is not listed here does not compile. Pass it in the `extraBody` option, or declare it once for your
 * project by augmenting this interface.
 *
 * @example
 * ```ts
 * await gateway.voices.design(params, { extraBody: { breathiness: 0.2 } });
 * ```
 *
 * @example
 * ```ts
 * declare module 'polygate' {
 *   interface VoiceDesignParams {
 *     breathiness?: number;
 *   }
 * }
 * ```
 */
export interface VoiceDesignParams {
  /** Description of the voice to design. */
  prompt: string;
  /** Text of the audio preview. Billed per Unicode character. */
  preview_text: string;
  /** Alias of `preview_text`. */
  text?: string | undefined;
  /** Display name of the new voice. */
  display_name?: string | undefined;
  /** Alias of `display_name`. */
  name?: string | undefined;
  /** Language of the voice. */
  language?: string | undefined;
  /** Human-readable description of the voice. */
  description?: string | undefined;
}

// As with images, each of the fields that replace each other is in one member, so that editors show its documentation.
/** What a voice can be designed from: {@link VoiceDesignParams} or {@link VoiceDesignAliasParams}. */
export type VoiceDesignInput = Omit<VoiceDesignParams, 'preview_text' | 'text'> &
  (Pick<VoiceDesignAliasParams, 'text'> | Pick<VoiceDesignParams, 'preview_text'>);

/** Checks voice clone params and returns the problem, or undefined. */
export function voiceCloneParamsProblem(params: Record<string, unknown>): string | undefined {
  return requiredTextProblem(params, 'audio_url');
}

/** Checks voice design params and returns the problem, or undefined. */
export function voiceDesignParamsProblem(params: Record<string, unknown>): string | undefined {
  return (
    requiredTextProblem(params, 'prompt') ??
    (requiredTextProblem(params, 'text') && requiredTextProblem(params, 'preview_text'))
  );
}
