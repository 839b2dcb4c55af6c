/** Request bodies as the service accepts them: the shapes of the params, without what only the client checks. */
import * as z from 'zod/mini';

import * as shapes from '../generated/index.ts';
import type { ChatParams } from '../types/chat/params.ts';
import type { MusicParams, SpeechParams } from '../types/media/audio.ts';
import type { ImageParams } from '../types/media/images.ts';
import type { MaterialCreateFields } from '../types/media/materials.ts';
import type { VideoParams } from '../types/media/videos.ts';
import type { VoiceCloneParams, VoiceDesignParams } from '../types/media/voices.ts';
import { accepted, acceptedAny, pick } from './params.ts';
import type { WithOptional } from './record-schema.ts';

export type ImageBody = WithOptional<ImageParams, 'prompt'>;
export type SpeechBody = WithOptional<SpeechParams, 'text'>;
export type VoiceDesignBody = WithOptional<VoiceDesignParams, 'preview_text'>;

/** The documented fields of a chat. */
export type ChatBody = Pick<ChatParams, 'model' | 'stream' | 'extra_body' | 'n'> & {
  messages: { role: string; content?: unknown }[];
  stream_options?: { include_usage?: boolean | undefined } | null | undefined;
};

/** A content item can have a type that is not documented. */
export type VideoBody = WithOptional<Omit<VideoParams, 'content'>, 'prompt'> & {
  content?: { type: string; text?: string | undefined }[] | undefined;
};

export const imageBody = /* @__PURE__ */ accepted<ImageBody>(shapes.imageParams);

export const musicBody = /* @__PURE__ */ accepted<MusicParams>(shapes.musicParams);

export const speechBody = /* @__PURE__ */ accepted<SpeechBody>(shapes.speechParams);

export const voiceCloneBody = /* @__PURE__ */ accepted<VoiceCloneParams>(shapes.voiceCloneParams);

export const voiceDesignBody = /* @__PURE__ */ accepted<VoiceDesignBody>(shapes.voiceDesignParams);

export const materialCreateBody = /* @__PURE__ */ accepted<MaterialCreateFields>(
  shapes.materialCreateFields,
);

export const videoBody = /* @__PURE__ */ accepted<VideoBody>(shapes.videoParams, {
  content: z.optional(z.array(acceptedAny(shapes.videoContentItem))),
});

/**
 * The documented fields of a chat. The reference gateway checks the other fields later, because many clients send null for
 * those that they do not use.
 */
export const chatBody = /* @__PURE__ */ accepted<ChatBody>(
  pick(shapes.chatParams, 'model', 'messages', 'stream', 'stream_options', 'extra_body', 'n'),
  {
    messages: z.array(
      accepted(pick(shapes.userMessage, 'role', 'content'), {
        role: z.string(),
        content: z.optional(z.unknown()),
      }),
    ),
    stream_options: z.nullish(accepted(pick(shapes.chatParamsStreamOptions, 'include_usage'))),
  },
);
