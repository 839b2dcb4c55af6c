import { Polygate } from '../../src/index.ts';
import type { ChatCompletionChunk, ChatStream, PolygateOptions } from '../../src/index.ts';

/** What a body does after its last piece. */
type End = 'close' | 'reset' | 'stall';

export const params = { model: 'm', messages: [{ role: 'user' as const, content: 'Hi' }] };

/** Encodes a text as UTF-8. */
export function bytes(text: string): Uint8Array<ArrayBuffer> {
  return new TextEncoder().encode(text);
}

/** A body that delivers one piece per pull and never reads ahead. */
export function body(
  pieces: readonly (string | Uint8Array<ArrayBuffer>)[],
  end: End = 'close',
): ReadableStream<Uint8Array<ArrayBuffer>> {
  let next = 0;
  return new ReadableStream(
    {
      pull(controller) {
        const piece = pieces[next];
        next += 1;
        if (piece !== undefined)
          controller.enqueue(typeof piece === 'string' ? bytes(piece) : piece);
        else if (end === 'close') controller.close();
        else if (end === 'reset') controller.error(new TypeError('terminated'));
        else return new Promise(() => {});
        return undefined;
      },
    },
    { highWaterMark: 0 },
  );
}

/** Response headers of a charged stream. */
export const streamHeaders = {
  'content-type': 'text/event-stream',
  'x-request-id': 'req-7',
  'x-svc-charge-usd': '0.25',
};

/** A `fetch` that responds to every request with a body of these pieces. */
export function streamingFetch(
  pieces: readonly (string | Uint8Array<ArrayBuffer>)[],
  end: End = 'close',
  headers: Record<string, string> = streamHeaders,
): typeof globalThis.fetch {
  return async () => new Response(body(pieces, end), { headers });
}

/** A client that sends its requests through `fetch`. */
export function clientOf(fetch: typeof globalThis.fetch, options: PolygateOptions = {}): Polygate {
  return new Polygate({
    apiKey: 'sk-test',
    baseURL: 'https://host.example',
    logLevel: 'off',
    maxRetries: 0,
    fetch,
    ...options,
  });
}

/** A chat stream whose response body consists of these pieces. */
export function streamOf(
  pieces: readonly (string | Uint8Array<ArrayBuffer>)[],
  end: End = 'close',
  options: PolygateOptions & { n?: number } = {},
): ChatStream {
  const { n, ...rest } = options;
  const gateway = clientOf(streamingFetch(pieces, end), rest);
  return gateway.chat.completions.stream(n === undefined ? params : { ...params, n });
}

/** An event with this record as its JSON data. */
export function event(record: unknown): string {
  return `data: ${JSON.stringify(record)}\n\n`;
}

/** A chunk record. */
export function chunk(choices: readonly unknown[], rest: object = {}): object {
  return { id: 'c-1', object: 'chat.completion.chunk', created: 5, model: 'm', choices, ...rest };
}

/** An event with a chunk whose only choice has this delta. */
export function deltaEvent(delta: object, index = 0): string {
  return event(chunk([{ index, delta, finish_reason: null }]));
}

/** An event with a chunk that adds text to a choice. */
export function textEvent(content: string, index = 0): string {
  return deltaEvent({ content }, index);
}

/** An event with a chunk that finishes a choice. */
export function finishEvent(reason = 'stop', index = 0): string {
  return event(chunk([{ index, delta: {}, finish_reason: reason }]));
}

/** The event that ends a stream. */
export const doneEvent = 'data: [DONE]\n\n';

/** The contents of a stream's chunks in order; a chunk without content gives an empty string. */
export async function contents(stream: AsyncIterable<ChatCompletionChunk>): Promise<string[]> {
  const texts: string[] = [];
  for await (const { choices } of stream) texts.push(choices[0]?.delta.content ?? '');
  return texts;
}
