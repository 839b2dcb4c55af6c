import type {
  Account,
  AudioTaskRecord,
  ChatCompletion,
  ChatCompletionChunk,
  ChatParams,
  Generation,
  ImageEditParams,
  ImageFromReferencesParams,
  ImageParams,
  ImageTaskRecord,
  KeyBalance,
  Material,
  MaterialCreateParams,
  Model,
  MusicParams,
  Readiness,
  Receipt,
  SpeechInputParams,
  SpeechParams,
  VideoContentParams,
  VideoParams,
  VideoTaskRecord,
  Voice,
  VoiceCloneParams,
  VoiceDesignAliasParams,
  VoiceDesignParams,
} from 'polygate';
import type * as z from 'zod/mini';

import * as shapes from '../generated/index.ts';
import { musicParamsProblem, speechParamsProblem } from '../types/media/audio.ts';
import { materialCreateParamsProblem } from '../types/media/materials.ts';
import { videoParamsProblem } from '../types/media/videos.ts';
import { voiceCloneParamsProblem, voiceDesignParamsProblem } from '../types/media/voices.ts';
import { withProblem } from './params.ts';

/** The account: balance, concurrency limit and number of models. Unknown fields are kept. */
export const accountRecord: z.ZodMiniType<Account, Account> = shapes.account;

/** The balance of the API key and its owner. Unknown fields are kept. */
export const keyBalanceRecord: z.ZodMiniType<KeyBalance, KeyBalance> = shapes.keyBalance;

/** Whether the account is ready, with the result of each check. Unknown fields are kept. */
export const readinessRecord: z.ZodMiniType<Readiness, Readiness> = shapes.readiness;

/** A model with its prices. Unknown fields are kept. */
export const modelRecord: z.ZodMiniType<Model, Model> = shapes.model;

/** A chat completion. */
export const chatCompletion: z.ZodMiniType<ChatCompletion, ChatCompletion> = shapes.chatCompletion;

/** One chunk of a streamed chat completion. */
export const chatCompletionChunk: z.ZodMiniType<ChatCompletionChunk, ChatCompletionChunk> =
  shapes.chatCompletionChunk;

/** The body of a chat completion. */
export const chatParams: z.ZodMiniType<ChatParams, ChatParams> = shapes.chatParams;

/** The body of a music generation. */
export const musicParams: z.ZodMiniType<MusicParams, MusicParams> = withProblem(
  shapes.musicParams,
  musicParamsProblem,
);

/** The body of a speech synthesis, with the text in `text` or `input`. */
export const speechParams: z.ZodMiniType<
  SpeechInputParams | SpeechParams,
  SpeechInputParams | SpeechParams
> = withProblem(shapes.speechParams, speechParamsProblem);

/** The body of an image generation: of text, of a source image, or of reference images. */
export const imageParams: z.ZodMiniType<
  ImageEditParams | ImageFromReferencesParams | ImageParams,
  ImageEditParams | ImageFromReferencesParams | ImageParams
> = withProblem(shapes.imageParams, ({ prompt, image, reference_image_urls: references }) =>
  (prompt ?? image ?? references) === undefined
    ? ['prompt', 'is required, unless image or reference_image_urls is given']
    : undefined,
);

/** The body of a material create request. */
export const materialParams: z.ZodMiniType<MaterialCreateParams, MaterialCreateParams> =
  withProblem(shapes.materialCreateFields, materialCreateParamsProblem);

/** A material of the library. Unknown fields are kept. */
export const materialRecord: z.ZodMiniType<Material, Material> = shapes.material;

/** The body of a video generation, with the request in `prompt` or `content`. */
export const videoParams: z.ZodMiniType<
  VideoContentParams | VideoParams,
  VideoContentParams | VideoParams
> = withProblem(shapes.videoParams, (params) =>
  (params.prompt ?? params.content) === undefined
    ? ['prompt', 'is required, unless content is given']
    : videoParamsProblem(params),
);

/** The body of a voice clone. */
export const voiceCloneParams: z.ZodMiniType<VoiceCloneParams, VoiceCloneParams> = withProblem(
  shapes.voiceCloneParams,
  voiceCloneParamsProblem,
);

/** The body of a voice design, with the text of the preview in `preview_text` or `text`. */
export const voiceDesignParams: z.ZodMiniType<
  VoiceDesignAliasParams | VoiceDesignParams,
  VoiceDesignAliasParams | VoiceDesignParams
> = withProblem(shapes.voiceDesignParams, voiceDesignParamsProblem);

/** A voice for speech synthesis. Unknown fields are kept. */
export const voiceRecord: z.ZodMiniType<Voice, Voice> = shapes.voice;

/** The state of a task, as `retrieve()` and `wait()` return it. */
export const generation: z.ZodMiniType<Generation, Generation> = shapes.generation;

/** The plain JSON with which any process can resume a task. */
export const receipt: z.ZodMiniType<Receipt, Receipt> = shapes.receipt;

/** A music or speech task as the service sends it. Unknown fields are kept. */
export const audioTaskRecord: z.ZodMiniType<AudioTaskRecord, AudioTaskRecord> =
  shapes.audioTaskRecord;

/** An image task as the service sends it. Unknown fields are kept. */
export const imageTaskRecord: z.ZodMiniType<ImageTaskRecord, ImageTaskRecord> =
  shapes.imageTaskRecord;

/** A video task as the service sends it. Unknown fields are kept. */
export const videoTaskRecord: z.ZodMiniType<VideoTaskRecord, VideoTaskRecord> =
  shapes.videoTaskRecord;
