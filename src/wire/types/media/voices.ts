import { anyRecord, arrayField, responseSchema, stringField } from '../schema.ts';
import type { OpenString } from '../schema.ts';
import { requiredTextProblem } from '../type-guards.ts';
import type { FieldProblem } from '../type-guards.ts';

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
  /**
   * URL of the reference recording. The service must be able to reach it.
   * @format uri
   */
  audio_url: string;
  /** Transcript of the reference recording. Recommended. Billed per Unicode character. */
  text?: string | undefined;
  /** Alias of `text`, for compatibility. */
  preview_text?: string | undefined;
  /** Display name of the new voice. */
  display_name?: string | undefined;
  /** Alias of `display_name`. */
  name?: string | undefined;
  /**
   * Language of the voice.
   * @sample English
   */
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
  /**
   * Text of the audio preview. Billed per Unicode character.
   * @alternative text
   */
  preview_text: string;
  /** Alias of `preview_text`. */
  text?: string | undefined;
  /** Display name of the new voice. */
  display_name?: string | undefined;
  /** Alias of `display_name`. */
  name?: string | undefined;
  /**
   * Language of the voice.
   * @sample English
   */
  language?: string | undefined;
  /** Human-readable description of the voice. */
  description?: string | undefined;
}

// As with images, each of the fields that replace each other is in one member, so that editors show its documentation.
/** What a voice can be designed from: {@link VoiceDesignParams} or {@link VoiceDesignAliasParams}. */
export type VoiceDesignInput = Omit<VoiceDesignParams, 'preview_text' | 'text'> &
  (Pick<VoiceDesignAliasParams, 'text'> | Pick<VoiceDesignParams, 'preview_text'>);

/** Checks voice clone params and returns the problem, or undefined. */
export function voiceCloneParamsProblem(params: Record<string, unknown>): FieldProblem | undefined {
  return requiredTextProblem(params, 'audio_url');
}

/** Checks voice design params and returns the problem, or undefined. */
export function voiceDesignParamsProblem(
  params: Record<string, unknown>,
): FieldProblem | undefined {
  return (
    requiredTextProblem(params, 'prompt') ??
    (requiredTextProblem(params, 'text') && requiredTextProblem(params, 'preview_text'))
  );
}

/** A voice for speech synthesis. */
export interface Voice {
  /** Voice id to use in speech requests. */
  voice_id: string;
  /** Display name. */
  display_name: string;
  /**
   * Language of the voice, such as `English` or `Chinese (Mandarin)`.
   * @sample Chinese (Mandarin)
   */
  language: string;
  /** Human-readable description. */
  description: string;
  /** Origin of the voice. */
  source_type: OpenString<'system' | 'voice_clone' | 'voice_design'>;
  /** Visibility: available to all users, or only to the owner. */
  visibility: OpenString<'public' | 'private'>;
  /** Status of the voice. The only documented value is `active`. */
  status: OpenString<'active'>;
  /** Ids of the speech models that accept the voice. */
  compatible_models: string[];
  /**
   * URL of an audio preview; null if there is none.
   * @format uri
   */
  preview_audio_url: string | null;
  /**
   * Creation time (ISO 8601, UTC).
   * @format date-time
   */
  created_at: string;
}

/** Query parameters of the voice list. */
export interface VoiceListQuery {
  /** Return only voices that are compatible with this speech model. */
  model?: string | undefined;
}

/** The voice list as sent by the service. */
export interface VoiceListRecord {
  /** Record type. */
  object: 'audio.voice.list';
  /** Speech model that the list was filtered by; null or absent if it was not filtered. */
  model?: string | null | undefined;
  /** Voices available to the caller. */
  data: Voice[];
}

/** The voice list. `for (const voice of list)` iterates over `data`. */
export interface VoiceList extends VoiceListRecord, Iterable<Voice> {}

/** Quantities on which the charge for a new voice is based. The set of fields depends on the operation. */
export interface BillingFacts {
  /** Number of cloned voices. */
  voice_clones?: number | undefined;
  /** Number of designed voices. */
  voice_designs?: number | undefined;
  /** Number of Unicode characters in the preview text. */
  preview_characters: number;
}

/** Billing details of a new voice. */
export interface BillingContract {
  /** Version of the billing rules. */
  billing_version: string;
  /** Public model name. */
  public_model: string;
  /** Billed operation. */
  operation: OpenString<'audio.voice_clone' | 'audio.voice_design'>;
  /** Settlement policy. */
  settlement_policy: OpenString<'fixed_at_estimate'>;
  /** Billing stage. */
  billing_stage: OpenString<'final'>;
  /** Quantities on which the charge is based. */
  facts: BillingFacts;
}

/** Output file of a voice creation. */
export interface VoiceOutput {
  /**
   * URL of the file.
   * @format uri
   */
  url: string;
  /** File type. */
  type: OpenString<'audio'>;
}

/** Result of a voice creation. */
export interface VoiceCreation {
  /** Record type. */
  object: 'audio.voice';
  /** Id of the clone or design capability. */
  model: string;
  /** Task id. */
  task_id: string;
  /** Id of the new private voice to use in speech requests. */
  voice_id: string;
  /**
   * URL of an audio preview.
   * @format uri
   */
  preview_audio_url: string;
  /** The new voice. */
  voice: Voice;
  /** Billing details. */
  billing_contract: BillingContract;
  /** Output files. */
  outputs: VoiceOutput[];
}

export const voiceListSchema = /* @__PURE__ */ responseSchema<VoiceListRecord>({
  data: arrayField<Voice>(anyRecord),
});

export const voiceCreationSchema = /* @__PURE__ */ responseSchema<VoiceCreation>({
  voice_id: stringField,
});
