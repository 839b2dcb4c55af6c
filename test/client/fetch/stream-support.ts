import type { PolygateOptions } from '../../../src/index.ts';
import { body, streamHeaders } from '../../support/event-stream.ts';
import { clientOf, virtualClock } from '../support.ts';
import { fetchChat } from './support.ts';

export type Pieces = Parameters<typeof body>[0];

export const chat = { model: 'm', messages: [{ role: 'user', content: 'Hi' }], stream: true };

/** Fetches a streamed chat whose body consists of these pieces. */
export async function fetchStream(
  pieces: Pieces,
  end: Parameters<typeof body>[1] = 'close',
  { n, ...options }: PolygateOptions & { n?: number } = {},
  init: RequestInit = {},
) {
  const clock = virtualClock();
  const state = { canceled: 0, requests: 0 };
  const gateway = clientOf(
    async () => {
      state.requests += 1;
      const source = body(pieces, end).getReader();
      const watched = new ReadableStream<Uint8Array>(
        {
          async pull(controller) {
            const { done, value } = await source.read();
            if (done) controller.close();
            else controller.enqueue(value);
          },
          cancel: () => {
            state.canceled += 1;
          },
        },
        { highWaterMark: 0 },
      );
      return new Response(watched, { headers: streamHeaders });
    },
    { clock, ...options },
  );
  const response = await fetchChat(gateway, n === undefined ? chat : { ...chat, n }, init);
  return { gateway, response, clock, state };
}

/** Reads the chunks of a body until it ends or fails. */
export async function readChunks(response: Response) {
  const chunks: Uint8Array[] = [];
  const reader = response.body?.getReader();
  for (;;) {
    const result = await reader?.read().catch((error: unknown) => ({ error }));
    if (!result || 'error' in result) return { chunks, error: result?.error };
    if (result.done) return { chunks, error: undefined };
    chunks.push(result.value);
  }
}

export const join = (chunks: readonly Uint8Array[]) => Buffer.concat(chunks);
