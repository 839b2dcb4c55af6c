import type { ResponseHandler } from '../call/response.ts';
import { Part } from '../http/part.ts';
import type { ChunkReader } from './chunk-reader.ts';

/** What reads streams. A call that opens one lists it in `parts`, so it is loaded before any stream is open. */
export const streamReader = /* @__PURE__ */ new Part(() => import('./reading.ts'));

/** Handles a streaming response. The returned reader holds the concurrency slot until the stream ends. */
export function openStream(
  choiceCount: number,
  signal: AbortSignal | undefined,
): ResponseHandler<ChunkReader> {
  return async (received) => {
    const { readStream } = await streamReader.load();
    return readStream(received, choiceCount, signal);
  };
}
