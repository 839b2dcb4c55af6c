import type { AttemptState } from '../shared/lab.ts';

/** The same answer; when it is a stream, how it ends is told: to the end, cut off, or left by its reader. */
export function watchBody(
  response: Response,
  signal: AbortSignal | null | undefined,
  ended: (state: AttemptState) => void,
): Response {
  const { body, headers, status } = response;
  if (body === null || headers.get('content-type')?.startsWith('text/event-stream') !== true) {
    return response;
  }
  const reader = body.getReader();
  const watched = new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const { value, done } = await reader.read().catch((error: unknown) => {
          ended(signal?.aborted === true ? 'left' : 'cut');
          throw error;
        });
        if (!done) return controller.enqueue(value);
        ended('answered');
        controller.close();
      },
      cancel(reason) {
        ended('left');
        return reader.cancel(reason);
      },
    },
    { highWaterMark: 0 },
  );
  return new Response(watched, { status, headers });
}
