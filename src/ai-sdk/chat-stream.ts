import type {
  LanguageModelV4StreamPart as StreamPart,
  LanguageModelV4Usage,
  SharedV4ProviderMetadata,
} from '@ai-sdk/provider';

const unknownUsage: LanguageModelV4Usage = {
  inputTokens: {
    total: undefined,
    noCache: undefined,
    cacheRead: undefined,
    cacheWrite: undefined,
  },
  outputTokens: { total: undefined, text: undefined, reasoning: undefined },
};

/**
 * A copy of a stream that never fails. A failure becomes an `error` part and the finish reason `error`, because the AI
 * SDK passes only parts to `onError`, and would lose the metadata with the charge. `toError` converts errors.
 */
export function endWithErrorPart(
  stream: ReadableStream<StreamPart>,
  toError: (error: unknown) => unknown,
  addMetadata: (given?: SharedV4ProviderMetadata) => SharedV4ProviderMetadata,
): ReadableStream<StreamPart> {
  const reader = stream.getReader();
  let hasFailed = false;
  const convert = (part: StreamPart): StreamPart => {
    if (part.type === 'error') {
      hasFailed = true;
      return { ...part, error: toError(part.error) };
    }
    if (part.type !== 'finish') return part;
    const { finishReason: given, providerMetadata } = part;
    // A stream that contained an error may still report the finish reason of the model.
    const finishReason = hasFailed ? { ...given, unified: 'error' as const } : given;
    return { ...part, finishReason, providerMetadata: addMetadata(providerMetadata) };
  };
  return new ReadableStream<StreamPart>(
    {
      async pull(controller) {
        try {
          const { done, value } = await reader.read();
          if (done) controller.close();
          else controller.enqueue(convert(value));
        } catch (cause) {
          const error = toError(cause);
          // An abort is no failure. The AI SDK has an `abort` part of its own.
          if (error instanceof Error && error.name === 'AbortError') return controller.error(error);
          controller.enqueue({ type: 'error', error });
          controller.enqueue({
            type: 'finish',
            finishReason: { unified: 'error', raw: undefined },
            usage: unknownUsage,
            providerMetadata: addMetadata(),
          });
          controller.close();
        }
      },
      cancel: (reason) => reader.cancel(reason),
    },
    { highWaterMark: 0 },
  );
}
