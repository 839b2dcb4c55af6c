import { OpenAICompatibleChatLanguageModel } from '@ai-sdk/openai-compatible';
import type {
  LanguageModelV4,
  LanguageModelV4CallOptions,
  LanguageModelV4GenerateResult,
  LanguageModelV4StreamPart,
  LanguageModelV4StreamResult,
  SharedV4ProviderMetadata,
} from '@ai-sdk/provider';

import type { Polygate } from '../client.ts';
import { fetched } from '../core/fetch/gateway-fetch.ts';
import { AbortedError } from '../errors/aborted.ts';
import { metadataOf } from './call.ts';

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

  get supportedUrls(): LanguageModelV4['supportedUrls'] {
    return { 'image/*': [/^https?:\/\//] };
  }

  async doGenerate(options: LanguageModelV4CallOptions): Promise<LanguageModelV4GenerateResult> {
    const { model, addMetadata } = this.#start();
    const result = await model.doGenerate(options);
    return { ...result, providerMetadata: addMetadata(result.providerMetadata) };
  }

  async doStream(options: LanguageModelV4CallOptions): Promise<LanguageModelV4StreamResult> {
    const { model, addMetadata } = this.#start();
    const result = await model.doStream(options);
    const stream = result.stream.pipeThrough(
      new TransformStream<LanguageModelV4StreamPart, LanguageModelV4StreamPart>({
        transform(part, controller) {
          const isFinish = part.type === 'finish';
          controller.enqueue(
            isFinish ? { ...part, providerMetadata: addMetadata(part.providerMetadata) } : part,
          );
        },
      }),
    );
    return { ...result, stream };
  }

  /** Creates the model of one call, which remembers what the client knows about its response. */
  #start() {
    const client = this.#client;
    let metadata: ReturnType<typeof metadataOf> | undefined;
    const model = new OpenAICompatibleChatLanguageModel(this.modelId, {
      provider: this.provider,
      url: ({ path }) => `${client.baseURL}/v1${path}`,
      includeUsage: true,
      supportsStructuredOutputs: true,
      fetch: async (input, init) => {
        const response = await client.fetch(input, init).catch((error: unknown) => {
          throw toAbort(error, init?.signal);
        });
        const { meta, error, idempotencyKey } = fetched.get(response) ?? {};
        // The AI SDK would retry some errors of its own.
        if (error) throw error;
        if (meta) metadata = metadataOf(meta, { idempotencyKey });
        return response;
      },
    });
    const addMetadata = (given: SharedV4ProviderMetadata = {}): SharedV4ProviderMetadata => ({
      ...given,
      polygate: { ...given.polygate, ...metadata },
    });
    return { model, addMetadata };
  }
}

/** The AI SDK recognizes an abort by its name. */
function toAbort(error: unknown, signal: AbortSignal | null | undefined): unknown {
  if (!AbortedError.is(error) || !signal?.aborted) return error;
  return Object.assign(new Error(error.message, { cause: error }), { name: 'AbortError' });
}
