import { OpenAICompatibleChatLanguageModel } from '@ai-sdk/openai-compatible';
import type {
  LanguageModelV4,
  LanguageModelV4CallOptions,
  LanguageModelV4GenerateResult,
  LanguageModelV4StreamResult,
  SharedV4ProviderMetadata,
} from '@ai-sdk/provider';

import type { Polygate } from '../../client.ts';
import { contextOf, detailsOf } from '../../internal.ts';
import type { ResponseDetails } from '../../internal.ts';
import { unchecked } from '../../wire/types/schema.ts';
import {
  checkFields,
  metadataOf,
  unsupported,
  toAbort,
  toGenerateError,
  toStreamError,
} from './call.ts';
import { endWithErrorPart, unifiedReason, checkedCalls } from './chat-stream.ts';

/** A chat model: the mapping of `@ai-sdk/openai-compatible` over the client's `fetch`. */
export class PolygateChatModel implements LanguageModelV4 {
  readonly specificationVersion = 'v4';
  readonly provider = 'polygate.chat';
  readonly modelId: string;
  readonly #client: Polygate;

  constructor(modelId: string, client: Polygate) {
    this.modelId = modelId;
    this.#client = client;
  }

  /** @internal A mark for Vue, whose proxies cannot read private members. */
  get __v_skip(): true {
    return true;
  }

  get supportedUrls(): LanguageModelV4['supportedUrls'] {
    return { 'image/*': [/^https?:\/\//] };
  }

  async doGenerate(options: LanguageModelV4CallOptions): Promise<LanguageModelV4GenerateResult> {
    const call = this.#start();
    try {
      const result = await call.model.doGenerate(options);
      const { content, metadata } = checkedCalls(result.content, result.finishReason);
      return {
        ...result,
        content,
        finishReason: unifiedReason(result.finishReason),
        providerMetadata: call.addMetadata(result.providerMetadata, metadata),
      };
    } catch (error) {
      throw toGenerateError(error, call.response);
    }
  }

  async doStream(options: LanguageModelV4CallOptions): Promise<LanguageModelV4StreamResult> {
    const call = this.#start();
    const result = await call.model.doStream(options);
    const toError = (error: unknown) =>
      toStreamError(toAbort(error, options.abortSignal), call.response);
    return { ...result, stream: endWithErrorPart(result.stream, toError, call.addMetadata) };
  }

  /** Creates the model of one call, which remembers what the client knows about its response. */
  #start() {
    const client = this.#client;
    let response: ResponseDetails | undefined;
    let fetch = contextOf(client).fetchWith({ readsChats: true });
    const model = new OpenAICompatibleChatLanguageModel(this.modelId, {
      provider: this.provider,
      url: ({ path }) => `${client.baseURL}/v1${path}`,
      includeUsage: true,
      supportsStructuredOutputs: true,
      // The service replays tasks only, so a key would not protect a chat from a second charge.
      transformRequestBody: ({ idempotencyKey, fallback, ...body }, warnings) => {
        warnings?.push(...unsupported({ idempotencyKey }));
        checkFields(body);
        // The client checks it.
        if (fallback !== undefined) {
          const models = unchecked<readonly string[]>(fallback);
          fetch = contextOf(client).fetchWith({ fallback: models, readsChats: true });
        }
        return body;
      },
      fetch: async (input, init) => {
        const received = await fetch(input, init).catch((error: unknown) => {
          throw toAbort(error, init?.signal);
        });
        response = detailsOf(received);
        // The AI SDK would retry some of its own errors.
        if (response?.error) throw response.error;
        return received;
      },
    });
    return {
      model,
      get response() {
        return response;
      },
      addMetadata: (
        given: SharedV4ProviderMetadata = {},
        own: Record<string, number> = {},
      ): SharedV4ProviderMetadata => ({
        ...given,
        polygate: {
          ...given.polygate,
          ...own,
          ...(response && metadataOf(response.meta, response)),
        },
      }),
    };
  }
}
