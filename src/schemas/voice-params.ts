import * as z from 'zod/mini';

import { requiredTextProblem } from './param-checks.ts';
import { bodySchema } from './record-schema.ts';

/** Voice clone parameters, sent unchanged. Specification: Audio, Voice clone body. */
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

/** Fields of a voice design request. Specification: Audio, Voice design body. */
export interface VoiceDesignFields {
  /** Description of the voice to design. */
  prompt: string;
  /** Text of the audio preview. Billed per Unicode character. */
  preview_text?: string | undefined;
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

/**
 * Voice design parameters, sent unchanged. `preview_text`, or its alias `text`, is required. Specification: Audio,
 * Voice design body.
 */
export type VoiceDesignParams = VoiceDesignFields & ({ preview_text: string } | { text: string });

export const voiceCloneBody = /* @__PURE__ */ (() =>
  bodySchema<VoiceCloneParams>({
    audio_url: z.string(),
    text: z.optional(z.string()),
    preview_text: z.optional(z.string()),
    display_name: z.optional(z.string()),
    name: z.optional(z.string()),
    language: z.optional(z.string()),
    description: z.optional(z.string()),
    noise_reduction: z.optional(z.boolean()),
    need_volume_normalization: z.optional(z.boolean()),
    accuracy: z.optional(z.union([z.number(), z.string()])),
  }))();

export const voiceDesignBody = /* @__PURE__ */ (() =>
  bodySchema<VoiceDesignFields>({
    prompt: z.string(),
    preview_text: z.optional(z.string()),
    text: z.optional(z.string()),
    display_name: z.optional(z.string()),
    name: z.optional(z.string()),
    language: z.optional(z.string()),
    description: z.optional(z.string()),
  }))();

/** Checks voice clone params and returns the problem, or undefined. Specification: Audio, Voice clone body. */
export function voiceCloneParamsProblem(params: unknown): string | undefined {
  return requiredTextProblem(params, 'audio_url');
}

/** Checks voice design params and returns the problem, or undefined. Specification: Audio, Voice design body. */
export function voiceDesignParamsProblem(params: unknown): string | undefined {
  return (
    requiredTextProblem(params, 'prompt') ??
    (requiredTextProblem(params, 'text') && requiredTextProblem(params, 'preview_text'))
  );
}
