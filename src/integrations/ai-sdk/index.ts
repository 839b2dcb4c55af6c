import { NoSuchModelError } from '@ai-sdk/provider';
import type {
  Experimental_VideoModelV4 as VideoModelV4,
  ImageModelV4,
  LanguageModelV4,
  ProviderV4,
  SpeechModelV4,
} from '@ai-sdk/provider';
import type { Polygate, PolygateOptions } from 'polygate';

import { Polygate as Client } from '../../client.ts';
import { contextOf } from '../../internal.ts';
import { PolygateChatModel } from './chat-model.ts';
import { PolygateImageModel, PolygateSpeechModel, PolygateVideoModel } from './media-models.ts';

/** The options of a new client, or a client to use. */
export type PolygateProviderSettings = PolygateOptions | { readonly client: Polygate };

/** A provider for AI SDK 7: `polygate('some-chat-model')` is a language model. */
export interface PolygateProvider extends ProviderV4 {
  /** Returns a language model. */
  (modelId: string): LanguageModelV4;
  /** Returns a language model. */
  languageModel(modelId: string): LanguageModelV4;
  /** Returns a language model. */
  chatModel(modelId: string): LanguageModelV4;
  /** Returns an image model, for `generateImage`. */
  imageModel(modelId: string): ImageModelV4;
  /** Returns an image model, for `generateImage`. */
  image(modelId: string): ImageModelV4;
  /** Returns a speech model, for `generateSpeech`. */
  speechModel(modelId: string): SpeechModelV4;
  /** Returns a speech model, for `generateSpeech`. */
  speech(modelId: string): SpeechModelV4;
  /** Returns a video model, for `experimental_generateVideo`. */
  videoModel(modelId: string): VideoModelV4;
  /** Returns a video model, for `experimental_generateVideo`. */
  video(modelId: string): VideoModelV4;
  /** The client that sends every request: its ledger, limits and errors apply. */
  readonly client: Polygate;
}

/**
 * Creates a provider for AI SDK 7. A request that may have been charged is never sent again, whatever `maxRetries` says:
 * the client itself retries what is safe.
 *
 * @example
 * ```ts
 * const polygate = createPolygate({ apiKey: 'sk-…', baseURL: 'https://host.example' });
 * const { text } = await generateText({ model: polygate('some-chat-model'), prompt: 'Say hello' });
 * ```
 *
 * @throws `ConfigurationError` if an option is unknown or invalid, or the client is of another version of polygate.
 */
export function createPolygate(settings: PolygateProviderSettings = {}): PolygateProvider {
  const client = 'client' in settings ? settings.client : new Client(settings);
  contextOf(client);
  const chatModel = (modelId: string) => new PolygateChatModel(modelId, client);
  const imageModel = (modelId: string) => new PolygateImageModel(modelId, client);
  const speechModel = (modelId: string) => new PolygateSpeechModel(modelId, client);
  const videoModel = (modelId: string) => new PolygateVideoModel(modelId, client);
  const missing =
    (modelType: NoSuchModelError['modelType']) =>
    (modelId: string): never => {
      throw new NoSuchModelError({ modelId, modelType });
    };
  return Object.assign((modelId: string) => chatModel(modelId), {
    specificationVersion: 'v4' as const,
    client,
    languageModel: chatModel,
    chatModel,
    imageModel,
    image: imageModel,
    speechModel,
    speech: speechModel,
    videoModel,
    video: videoModel,
    embeddingModel: missing('embeddingModel'),
    transcriptionModel: missing('transcriptionModel'),
    rerankingModel: missing('rerankingModel'),
  });
}
