import { OpenAICompatibleChatLanguageModel } from '@ai-sdk/openai-compatible';
import type {
  LanguageModelV4,
  LanguageModelV4CallOptions,
  LanguageModelV4GenerateResult,
  LanguageModelV4StreamResult,
  SharedV4ProviderMetadata,
  LanguageModelV4FinishReason,
  LanguageModelV4StreamPart as StreamPart,
  LanguageModelV4ToolCall as ToolCallPart,
  LanguageModelV4Usage,
  LanguageModelV4Content,
} from '@ai-sdk/provider';

import { contextOf, detailsOf, executableArguments, isExecutable } from '../../internal.ts';
import type { ResponseDetails } from '../../internal.ts';
import { finishMeaning } from '../../wire/types/chat/finish-reason.ts';
import { unchecked } from '../../wire/types/schema.ts';
import {
  checkFields,
  metadataOf,
  unsupported,
  toAbort,
  toGenerateError,
  toStreamError,
  isAbort,
  ProviderModel,
} from './call.ts';

/** A chat model: the mapping of `@ai-sdk/openai-compatible` over the client's `fetch`. */
export class PolygateChatModel extends ProviderModel implements LanguageModelV4 {
  readonly provider = 'polygate.chat';

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
    const client = this.client;
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

const unknownUsage: LanguageModelV4Usage = {
  inputTokens: {
    total: undefined,
    noCache: undefined,
    cacheRead: undefined,
    cacheWrite: undefined,
  },
  outputTokens: { total: undefined, text: undefined, reasoning: undefined },
};

const reasons = {
  stop: 'stop',
  length: 'length',
  tool_calls: 'tool-calls',
  content_filter: 'content-filter',
  error: 'error',
} as const;

/** A finish reason by its meaning: the AI SDK knows only the documented ones. */
function unifiedReason(reason: LanguageModelV4FinishReason): LanguageModelV4FinishReason {
  const meaning = reason.unified === 'other' ? finishMeaning(reason.raw) : undefined;
  return meaning ? { ...reason, unified: reasons[meaning] } : reason;
}

/**
 * A copy of a stream that only an abort can make fail. A failure becomes an `error` part and the finish reason `error`, because the AI
 * SDK passes only parts to `onError`, and would lose the metadata with the charge. Nothing follows an error: the AI SDK
 * would continue with a tool call that is incomplete, in another paid request. For the same reason, tool calls wait for the
 * finish reason. `toError` converts errors.
 */
function endWithErrorPart(
  stream: ReadableStream<StreamPart>,
  toError: (error: unknown) => unknown,
  addMetadata: (
    given?: SharedV4ProviderMetadata,
    own?: Record<string, number>,
  ) => SharedV4ProviderMetadata,
): ReadableStream<StreamPart> {
  const reader = stream.getReader();
  const calls: ToolCallPart[] = [];
  async function readPart(): Promise<StreamPart | undefined> {
    try {
      return (await reader.read()).value;
    } catch (error) {
      return { type: 'error', error };
    }
  }
  return new ReadableStream<StreamPart>(
    {
      async pull(controller) {
        let part = await readPart();
        while (part?.type === 'tool-call') {
          calls.push(part);
          part = await readPart();
        }
        if (part === undefined) return controller.close();
        if (part.type === 'finish') {
          const { content, metadata } = checkedCalls(calls, part.finishReason);
          for (const call of content) controller.enqueue(call);
          const providerMetadata = addMetadata(part.providerMetadata, metadata);
          const finishReason = unifiedReason(part.finishReason);
          return controller.enqueue({ ...part, finishReason, providerMetadata });
        }
        if (part.type !== 'error') return controller.enqueue(part);
        reader.cancel().catch(() => undefined);
        const error = toError(part.error);
        // An abort is not a failure. The AI SDK reports it with an `abort` part.
        if (isAbort(error)) return controller.error(error);
        controller.enqueue({ type: 'error', error });
        controller.enqueue({
          type: 'finish',
          finishReason: { unified: 'error', raw: undefined },
          usage: unknownUsage,
          providerMetadata: addMetadata(),
        });
        return controller.close();
      },
      cancel: (reason) => reader.cancel(reason),
    },
    { highWaterMark: 0 },
  );
}

/**
 * The content of a response without tool calls that were cut off: the AI SDK would execute them with the defaults of their
 * schema. `providerMetadata.polygate.cutOffToolCalls` has their number. The input of all others is an object.
 */
function checkedCalls<Content extends LanguageModelV4Content>(
  content: readonly Content[],
  { raw, unified }: LanguageModelV4FinishReason,
): { content: Content[]; metadata: Record<string, number> } {
  const calls = content.map((part) => (part.type === 'tool-call' ? part.input : '{}'));
  const mayExecute = isExecutable(raw ?? unified, calls);
  const checked = content
    .filter(({ type }) => mayExecute || type !== 'tool-call')
    .map((part) =>
      part.type === 'tool-call' ? { ...part, input: executableArguments(part.input) } : part,
    );
  const count = content.length - checked.length;
  return { content: checked, metadata: count > 0 ? { cutOffToolCalls: count } : {} };
}
