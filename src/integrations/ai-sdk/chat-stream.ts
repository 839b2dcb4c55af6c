import type {
  LanguageModelV4FinishReason,
  LanguageModelV4StreamPart as StreamPart,
  LanguageModelV4ToolCall as ToolCallPart,
  LanguageModelV4Usage,
  SharedV4ProviderMetadata,
  LanguageModelV4Content,
} from '@ai-sdk/provider';

import { executableArguments, isExecutable } from '../../internal.ts';
import { finishMeaning } from '../../wire/types/chat/finish-reason.ts';
import { isAbort } from './call.ts';

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
export function unifiedReason(reason: LanguageModelV4FinishReason): LanguageModelV4FinishReason {
  const meaning = reason.unified === 'other' ? finishMeaning(reason.raw) : undefined;
  return meaning ? { ...reason, unified: reasons[meaning] } : reason;
}

/**
 * A copy of a stream that only an abort can make fail. A failure becomes an `error` part and the finish reason `error`, because the AI
 * SDK passes only parts to `onError`, and would lose the metadata with the charge. Nothing follows an error: the AI SDK
 * would continue with a tool call that is incomplete, in another paid request. For the same reason, tool calls wait for the
 * finish reason. `toError` converts errors.
 */
export function endWithErrorPart(
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
export function checkedCalls<Content extends LanguageModelV4Content>(
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
