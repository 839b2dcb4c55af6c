import type { VoiceCloneParams, VoiceDesignAliasParams, VoiceDesignParams } from 'polygate';
import * as z from 'zod/mini';

import { voiceCloneParamsProblem, voiceDesignParamsProblem } from '../../types/media/voices.ts';
import { accepted } from '../accepted.ts';
import * as docs from '../docs/media.ts';
import { withProblem } from '../params.ts';
import { paramsSchema } from '../record-schema.ts';
import type { Docs, WithOptional } from '../record-schema.ts';

const text = z.optional(z.string());
const flag = z.optional(z.boolean());

/** The body of a voice clone. */
export const voiceCloneParams: z.ZodMiniType<VoiceCloneParams, VoiceCloneParams> = withProblem(
  paramsSchema(docs.voiceCloneParams, {
    audio_url: z.string(),
    text,
    preview_text: text,
    display_name: text,
    name: text,
    language: text,
    description: text,
    noise_reduction: flag,
    need_volume_normalization: flag,
    accuracy: z.optional(z.union([z.number(), z.string()])),
  }),
  voiceCloneParamsProblem,
);

/** A voice design body as the service accepts it. */
export type VoiceDesignBody = WithOptional<VoiceDesignParams, 'preview_text'>;

/** The fields are the same; another one can replace `preview_text`. */
const bodyDocs: Docs<VoiceDesignBody> = docs.voiceDesignParams;

/** The body of a voice design, with the text of the preview in `preview_text` or `text`. */
export const voiceDesignParams: z.ZodMiniType<
  VoiceDesignAliasParams | VoiceDesignParams,
  VoiceDesignAliasParams | VoiceDesignParams
> = withProblem(
  paramsSchema(bodyDocs, {
    prompt: z.string(),
    preview_text: text,
    text,
    display_name: text,
    name: text,
    language: text,
    description: text,
  }),
  voiceDesignParamsProblem,
);

export const voiceCloneBody = /* @__PURE__ */ accepted<VoiceCloneParams>(voiceCloneParams);

export const voiceDesignBody = /* @__PURE__ */ accepted<VoiceDesignBody>(voiceDesignParams);
