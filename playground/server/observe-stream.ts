import type { AttemptState } from '../shared/lab.ts';

/** Returns the same response, and reports how the body ends if it is an event stream. */
export function observeStream(
  response: Response,
  signal: AbortSignal | null | undefined,
  onEnd: (state: AttemptState) => void,
): Response {
  const { body, headers, status } = response;
  if (body === null || headers.get('content-type')?.startsWith('text/event-stream') !== true) {
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
        if (!done) return controller.enqueue(value);
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
