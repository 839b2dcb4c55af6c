/** How the body of a response ended. */
export type BodyEnd = 'completed' | 'truncated' | 'aborted';

interface BodyObserver {
  onChunk: (chunk: Uint8Array) => void;
  onEnd: (end: BodyEnd) => void;
}

/** Returns the same response, and reports its body as it is read, and how it ends. */
export function observeStream(
  response: Response,
  signal: AbortSignal | null | undefined,
  { onChunk, onEnd }: BodyObserver,
): Response {
  const { body, headers, status } = response;
  if (body === null) {
    onEnd('completed');
    return response;
  }
  const reader = body.getReader();
  let isCanceled = false;
  const observed = new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const { value, done } = await reader.read().catch((error: unknown) => {
          onEnd(signal?.aborted === true ? 'aborted' : 'truncated');
          throw error;
        });
        // Canceling ends a read that is pending.
        if (isCanceled) return;
        if (!done) {
          onChunk(value);
          return controller.enqueue(value);
        }
        onEnd('completed');
        controller.close();
      },
      cancel(reason) {
        isCanceled = true;
        onEnd('aborted');
        return reader.cancel(reason);
      },
    },
    { highWaterMark: 0 },
  );
  return new Response(observed, { status, headers });
}
