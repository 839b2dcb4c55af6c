import * as z from 'zod/mini';

import { requiredTextProblem } from './param-checks.ts';
import { bodySchema } from './record-schema.ts';

/** Which voice to copy. Sent exactly as given. Specification: Audio, Voice clone body. */
export interface VoiceCloneParams {
  /** URL of a recording of the voice; the service has to be able to reach it. */
  audio_url: string;
  /** What is said in the recording; recommended. Some models read it as the preview text. */
  text?: string | undefined;
  /** The same as `text`, for compatibility. */
  preview_text?: string | undefined;
  /** Name of the new voice, for people. */
  display_name?: string | undefined;
  /** The same as `display_name`. */
  name?: string | undefined;
  /** Language of the voice. */
  language?: string | undefined;
  /** What the voice is like, for people. */
  description?: string | undefined;
  /** Whether to take the noise out of the recording. */
  noise_reduction?: boolean | undefined;
  /** Whether to even out the loudness of the recording. */
  need_volume_normalization?: boolean | undefined;
  /** How exact the copy has to be, passed through to the model. */
  accuracy?: number | string | undefined;
}

/** The fields of a voice design. Specification: Audio, Voice design body. */
export interface VoiceDesignFields {
  /** What the voice should be like. */
  prompt: string;
  /** What the sample says; its Unicode characters are billed. */
  preview_text?: string | undefined;
  /** The same as `preview_text`. */
  text?: string | undefined;
  /** Name of the new voice, for people. */
  display_name?: string | undefined;
  /** The same as `display_name`. */
  name?: string | undefined;
  /** Language of the voice. */
  language?: string | undefined;
  /** What the voice is like, for people. */
  description?: string | undefined;
}

/**
 * Which voice to make up. Sent exactly as given; `preview_text` is required, and `text` is another
 * name for it.
 * Specification: Audio, Voice design body.
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

/** What is wrong with a voice clone, or undefined. Specification: Audio, Voice clone body. */
export function voiceCloneParamsProblem(params: unknown): string | undefined {
  return requiredTextProblem(params, 'audio_url');
}

/** What is wrong with a voice design, or undefined. Specification: Audio, Voice design body. */
export function voiceDesignParamsProblem(params: unknown): string | undefined {
  // The text of the preview has two names.
  return (
    requiredTextProblem(params, 'prompt') ??
    (requiredTextProblem(params, 'text') && requiredTextProblem(params, 'preview_text'))
  );
}
